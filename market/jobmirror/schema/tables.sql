-- The tables of both databases. @key is a row's number that identifies it;
-- @clustered lets SQLite keep the rows in the order of their key.
-- Times are milliseconds since 1970 by the database's clock, and 0 is no time. Truths are 0 and 1.
-- "An answer's number" is one of those that numbers.go calls answers; 0 is none.

-- Facts about the database. Rows are "program" and "oldest", by which Open knows whether it may use
-- the database, "epoch" and "secret", which are random texts, and "board", "base_url" and "jobdb_url",
-- which say whose copy it is.
CREATE TABLE mirror (
    name  TEXT PRIMARY KEY, -- of the fact
    value TEXT NOT NULL     -- the fact, as a text
) @clustered;
INSERT INTO mirror VALUES ('program', 'jobmirror'), ('oldest', '1');

-- Numbers that only grow: on SQLite all that numbers.go names, on both databases those of the log.
CREATE TABLE counters (
    name  TEXT PRIMARY KEY, -- of the counter
    value BIGINT NOT NULL   -- the last number that it gave
) @clustered;

-- A posting in one language.
-- The long columns are the last: SQLite reads a row's pages from the first one up to what
-- it is asked for.
CREATE TABLE postings (
    id        @key,                      -- in the order in which the copy came to know them
    posting   BIGINT NOT NULL,           -- the board's identifier of the posting
    language  TEXT NOT NULL,             -- in which it was asked for; empty: the board chose
    version   BIGINT NOT NULL,           -- the board's identifier of the version
    hash      BIGINT NOT NULL,           -- of what the board gave, without what the mirror adds to the record
    linked    BIGINT NOT NULL,           -- the job that the posting's own link names; 0: none
    job       BIGINT,                    -- whose posting it is by the strongest evidence; NULL: not known
    answer    BIGINT NOT NULL,           -- the number of the answer that it was copied from
    adless    BIGINT NOT NULL DEFAULT 0, -- 1: it was too large to be copied with its advertisement
    visibility_due BIGINT NOT NULL DEFAULT 0, -- when a visitor may begin or cease to see it, by its dates; 0: never
    giver     BIGINT NOT NULL DEFAULT 0, -- sources.id of the source that it was copied from; 0: not known
    first_seen  BIGINT NOT NULL DEFAULT 0, -- when it came; 0: with the first complete refresh of a source, so it may be old
    shown_again BIGINT NOT NULL DEFAULT 0, -- how often it has come back after it had left the copy
    title     TEXT NOT NULL,             -- as the record has it, without what PostgreSQL refuses in a text
    record    TEXT NOT NULL,             -- a PostingRecord as JSON
    ads       TEXT NOT NULL,             -- the texts of the advertisement by their keys, as JSON; empty: none
    UNIQUE (posting, language)
);
CREATE INDEX postings_adless ON postings (id) WHERE adless = 1;
CREATE INDEX postings_visibility_due ON postings (visibility_due) WHERE visibility_due > 0;
CREATE INDEX postings_job ON postings (job);
CREATE INDEX postings_linked ON postings (linked);
CREATE INDEX postings_version ON postings (version);

-- What is remembered of a posting that left the copy, and may come back.
CREATE TABLE gone_postings (
    posting     BIGINT NOT NULL, -- the board's identifier of the posting
    language    TEXT NOT NULL,   -- as in postings
    first_seen  BIGINT NOT NULL, -- as in postings
    shown_again BIGINT NOT NULL, -- as in postings
    gone        BIGINT NOT NULL, -- when it left
    PRIMARY KEY (posting, language)
) @clustered;

-- A posting that the text index does not have yet, or as it was.
CREATE TABLE unindexed (
    posting @key,                     -- postings.id
    changed BIGINT NOT NULL DEFAULT 0 -- 1: what a search finds it by changed; 0: it is indexed anew as it is
);

-- When what a search finds a posting by changed last. In a table of its own because it is written each time that
-- the posting is indexed, and a row of postings is long.
CREATE TABLE marks (
    posting @key,          -- postings.id
    number  BIGINT NOT NULL -- which the counter "indexed" had after the transaction that indexed it
);
CREATE INDEX marks_number ON marks (number);
INSERT INTO counters VALUES ('indexed', 0); -- transactions that indexed postings which had changed; see marks.go

-- What a feed's entry says of a posting or a version: that it is its job's.
CREATE TABLE claims (
    kind   TEXT NOT NULL,   -- what value is: "posting" or "version"
    value  BIGINT NOT NULL, -- the board's identifier of it
    job    BIGINT NOT NULL, -- the entry's job
    source BIGINT NOT NULL, -- sources.id of the feed
    entry  BIGINT NOT NULL, -- entries.hash
    PRIMARY KEY (kind, value, job, source, entry)
) @clustered;
CREATE INDEX claims_entry ON claims (source, entry);
CREATE INDEX claims_job ON claims (job);

-- The limit that all processes share; see internal/pace. Its times are microseconds.
CREATE TABLE limits (
    name      TEXT PRIMARY KEY,                    -- "board"
    rate      DOUBLE PRECISION NOT NULL DEFAULT 0, -- requests a second at most; 0: no limit
    next_slot BIGINT NOT NULL DEFAULT 0,           -- when the next request may be sent
    paused    BIGINT NOT NULL DEFAULT 0,           -- until when none may; 0: no pause
    slowed    BIGINT NOT NULL DEFAULT 0,           -- how often the rate was halved
    calm      BIGINT NOT NULL DEFAULT 0            -- the end of the last pause, from which the rate recovers; 0: there was none
) @clustered;
INSERT INTO limits (name) VALUES ('board');

-- A call of Run or Refresh that is at work, or ended without saying so within the last hour.
CREATE TABLE processes (
    id      TEXT PRIMARY KEY, -- random
    name    TEXT NOT NULL,    -- of the machine, with the process's number
    version TEXT NOT NULL,    -- of the program; empty: it was not built from a version
    doing   TEXT NOT NULL,    -- "run" or "refresh"
    started BIGINT NOT NULL,  -- when it began
    seen    BIGINT NOT NULL,  -- when it last said that it works
    lookups BIGINT NOT NULL,  -- how many it has written
    tokens  BIGINT NOT NULL   -- the form of the tokens that it indexes by; see form.go
) @clustered;

-- A job or posting that is erased, and that is not copied again.
CREATE TABLE forgotten (
    kind   TEXT NOT NULL,             -- "job" or "posting"
    id     BIGINT NOT NULL,           -- the board's identifier
    at     BIGINT NOT NULL,           -- when that began
    erased BIGINT NOT NULL DEFAULT 0, -- 1: nothing of it is left; 0: some of it may be, such as in the log
    PRIMARY KEY (kind, id)
) @clustered;
CREATE INDEX forgotten_unerased ON forgotten (kind, id) WHERE erased = 0;
