
-- The log. number is the last change's, erased that of the last one that was removed from it,
-- erased_stamp the stamp of that.
INSERT INTO counters VALUES ('change', 0), ('erased', 0), ('erased_stamp', 0);

-- A reader of the log whose place the database keeps.
CREATE TABLE readers (
    name         TEXT PRIMARY KEY,          -- that its owner gave it
    number       BIGINT NOT NULL,           -- of the last change that it has dealt with; 0: none
    stamp        BIGINT NOT NULL,           -- of that change
    leased_until BIGINT NOT NULL DEFAULT 0, -- until when somebody reads; 0: nobody does
    holder       TEXT NOT NULL DEFAULT ''   -- who read last, a random text; empty: nobody has
) @clustered;
