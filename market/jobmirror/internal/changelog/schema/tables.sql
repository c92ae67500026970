INSERT INTO counters VALUES ('change', 0), ('erased', 0), ('erased_stamp', 0);

-- The places of readers of the log that Consume keeps.
CREATE TABLE readers (
    name    TEXT PRIMARY KEY,
    number  BIGINT NOT NULL,
    stamp   BIGINT NOT NULL,
    claimed BIGINT NOT NULL DEFAULT 0,
    holder  TEXT NOT NULL DEFAULT ''
) @clustered;
