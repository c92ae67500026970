
-- A change of the copy.
CREATE TABLE changes (
    number   @key,            -- in the order of the log, without gaps
    stamp    BIGINT NOT NULL, -- 64 random bits, which tell the change from others with its number
    at       BIGINT NOT NULL, -- when its transaction began
    kind     TEXT NOT NULL,   -- a ChangeKind
    id       BIGINT NOT NULL, -- the board's identifier of the posting or the job
    language TEXT NOT NULL,   -- of a posting's row; of what was forgotten "posting" or "job"; else empty
    job      BIGINT,          -- of which the change is, or of whose posting; NULL: not known, or erased
    earlier_job BIGINT,       -- whose posting it was before the change; NULL: of the same job, or of none, or erased
    before   TEXT,            -- the record before the change; NULL: there was none, or it was erased
    after    TEXT,            -- the record after the change; NULL: there is none, or it was erased
    cause    TEXT NOT NULL    -- a Change.Cause
);
CREATE INDEX changes_row ON changes (id, kind); -- by kind first SQLite would take it for the changes of a job
CREATE INDEX changes_job ON changes (job, number) WHERE job IS NOT NULL;
CREATE INDEX changes_earlier_job ON changes (earlier_job, number) WHERE earlier_job IS NOT NULL;

-- The log. number is the last change's, erased that of the last one that was removed from it,
-- erased_stamp the stamp of that.
INSERT INTO counters VALUES ('change', 0), ('erased', 0), ('erased_stamp', 0);
