
-- A job that something names or named: what lookups said of it, and when it is looked up next.
CREATE TABLE jobs (
    job           @key,                      -- the board's identifier
    state         TEXT NOT NULL,             -- a State: the last answer that is believed
    language      TEXT NOT NULL DEFAULT '',  -- of its information, without what PostgreSQL refuses in a text; empty: none
    record        TEXT NOT NULL DEFAULT '',  -- a JobRecord as JSON; empty: no answer was believed yet
    service_time  BIGINT NOT NULL DEFAULT 0, -- the board's own time of its information; 0: it gave none
    looked_up     BIGINT NOT NULL DEFAULT 0, -- when the last answer came that is believed; 0: none has
    streak        BIGINT NOT NULL DEFAULT 0, -- lookups before the last that found the same state
    answer        BIGINT NOT NULL DEFAULT 0, -- the number of the last answer that is believed
    next_due      BIGINT NOT NULL,           -- when it is to be looked up next
    wanted        BIGINT NOT NULL DEFAULT 0, -- it stays due until an answer with a higher number comes; see Writer.Put
    last_lookup   BIGINT NOT NULL DEFAULT 0, -- the number of the last lookup for a held row, or whose answer is not believed
    leased_until  BIGINT NOT NULL DEFAULT 0, -- until when a process looks it up; 0: none does
    batch         BIGINT NOT NULL DEFAULT 0, -- batches.number of the batch that leased it last; 0: none has
    failures      BIGINT NOT NULL DEFAULT 0, -- lookups in a row that were not answered
    problem       TEXT NOT NULL DEFAULT '',  -- why the last was not, or its answer is not believed; empty: nothing is wrong
    made          BIGINT NOT NULL DEFAULT 0, -- when the stored answer was made at the earliest: caches keep answers; 0: not known
    catalogue     TEXT NOT NULL DEFAULT '',  -- catalogues.hash of the record's nationalities; empty: none
    unnamed       BIGINT NOT NULL DEFAULT 0, -- since when nothing names it; 0: something does
    said          TEXT NOT NULL DEFAULT '',  -- a State, or "posting unavailable": what the board says that is not believed; empty: nothing
    doubted       BIGINT NOT NULL DEFAULT 0, -- since when the board says that; 0: it does not
    last_posting  TEXT NOT NULL DEFAULT '',  -- of its posting that left the copy last, what the caller keeps; empty: none has left
    last_posting_id BIGINT NOT NULL DEFAULT 0 -- the board's identifier of that posting; 0: none has left
);
CREATE INDEX jobs_last_posting ON jobs (last_posting_id) WHERE last_posting_id <> 0;
CREATE INDEX jobs_due ON jobs (next_due);
CREATE INDEX jobs_said ON jobs (said) WHERE said <> '';

-- Jobs that a process looks up together.
CREATE TABLE batches (
    number  @key,            -- see numbers.go
    process TEXT NOT NULL,   -- processes.id
    since   BIGINT NOT NULL  -- when it leased them
);

-- The daily pass over all jobs, which the processes share: how far it has come.
CREATE TABLE passes (
    name  TEXT PRIMARY KEY,          -- "jobs"
    began BIGINT NOT NULL DEFAULT 0, -- when the last pass began; 0: none has
    job   BIGINT NOT NULL DEFAULT 0, -- the last job that it looked at
    done  BIGINT NOT NULL DEFAULT 1  -- 1: it looked at all
) @clustered;
INSERT INTO passes (name) VALUES ('jobs');

-- A list of nationalities, which many jobs share.
CREATE TABLE catalogues (
    hash    TEXT PRIMARY KEY, -- of entries
    used    BIGINT NOT NULL,  -- when the pass over all jobs last saw a job that has it
    entries TEXT NOT NULL     -- identifiers and labels as JSON
) @clustered;
