-- The tables of both databases. @key is a row's number that identifies it;
-- @clustered lets SQLite keep the rows in the order of their key.
CREATE TABLE mirror (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) @clustered;
INSERT INTO mirror VALUES ('program', 'jobmirror'), ('oldest', '1');

CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
) @clustered;

CREATE TABLE sources (
    id         @key,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    language   TEXT NOT NULL,
    search     TEXT NOT NULL,
    geo        TEXT NOT NULL,
    generation BIGINT NOT NULL DEFAULT 0,
    began      BIGINT NOT NULL DEFAULT 0,
    complete   BIGINT NOT NULL DEFAULT 0,
    next_due   BIGINT NOT NULL DEFAULT 0,
    failures   BIGINT NOT NULL DEFAULT 0,
    problem    TEXT NOT NULL DEFAULT '',
    refused    BIGINT NOT NULL DEFAULT 0,
    left_out   BIGINT NOT NULL DEFAULT 0,
    answer     BIGINT NOT NULL DEFAULT 0,
    previous   BIGINT NOT NULL DEFAULT 0,
    earlier    BIGINT NOT NULL DEFAULT 0,
    asking     BIGINT NOT NULL DEFAULT 0,
    opens      BIGINT NOT NULL DEFAULT 0,
    informed   BIGINT NOT NULL DEFAULT 0,
    believed   BIGINT NOT NULL DEFAULT 0,
    claimed    BIGINT NOT NULL DEFAULT 0,
    holder     TEXT NOT NULL DEFAULT '',
    named      BIGINT NOT NULL DEFAULT 0,
    made       BIGINT NOT NULL DEFAULT 0,
    told       BIGINT NOT NULL DEFAULT 0, -- what the operator's log has of the source: condition
    UNIQUE (kind, name, language, search, geo)
);

-- The long columns are the last: SQLite reads a row's pages from the first one up to what
-- it is asked for.
CREATE TABLE postings (
    id        @key,
    posting   BIGINT NOT NULL,
    language  TEXT NOT NULL,
    version   BIGINT NOT NULL,
    hash      BIGINT NOT NULL,
    linked    BIGINT NOT NULL,
    job       BIGINT,
    evidence  TEXT NOT NULL,
    answer    BIGINT NOT NULL,
    changed   BIGINT NOT NULL,
    adless    BIGINT NOT NULL DEFAULT 0,
    turns     BIGINT NOT NULL DEFAULT 0, -- when a visitor may begin or cease to see it, by its dates; 0: never
    giver     BIGINT NOT NULL DEFAULT 0,
    title     TEXT NOT NULL,
    record    TEXT NOT NULL,
    ads       TEXT NOT NULL,
    UNIQUE (posting, language)
);
CREATE INDEX postings_adless ON postings (id) WHERE adless = 1;
CREATE INDEX postings_turns ON postings (turns) WHERE turns > 0;
CREATE INDEX postings_job ON postings (job);
CREATE INDEX postings_version ON postings (version);

CREATE TABLE unindexed (
    posting @key
);

CREATE TABLE listings (
    source     BIGINT NOT NULL,
    posting    BIGINT NOT NULL,
    seen       BIGINT NOT NULL,
    missing    BIGINT NOT NULL DEFAULT 0,
    missed     BIGINT NOT NULL DEFAULT 0,
    raw        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (source, posting)
) @clustered;
CREATE INDEX listings_posting ON listings (posting);
CREATE INDEX listings_missing ON listings (source) WHERE missing <> 0;

CREATE TABLE entries (
    source     BIGINT NOT NULL,
    hash       BIGINT NOT NULL,
    job        BIGINT NOT NULL,
    missing    BIGINT NOT NULL DEFAULT 0,
    missed     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (source, hash)
) @clustered;
CREATE INDEX entries_job ON entries (job, source);
CREATE INDEX entries_missing ON entries (source) WHERE missing <> 0;

CREATE TABLE losses (
    source BIGINT NOT NULL,
    answer BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    lost   BIGINT NOT NULL,
    PRIMARY KEY (source, answer)
) @clustered;

CREATE TABLE claims (
    kind   TEXT NOT NULL,
    value  BIGINT NOT NULL,
    job    BIGINT NOT NULL,
    source BIGINT NOT NULL,
    entry  BIGINT NOT NULL,
    PRIMARY KEY (kind, value, job, source, entry)
) @clustered;
CREATE INDEX claims_entry ON claims (source, entry);

CREATE TABLE jobs (
    job           @key,
    state         TEXT NOT NULL,
    title         TEXT NOT NULL DEFAULT '',
    language      TEXT NOT NULL DEFAULT '',
    record        TEXT NOT NULL DEFAULT '',
    service_time  BIGINT NOT NULL DEFAULT 0,
    looked_up     BIGINT NOT NULL DEFAULT 0,
    streak        BIGINT NOT NULL DEFAULT 0,
    answer        BIGINT NOT NULL DEFAULT 0,
    next_due      BIGINT NOT NULL,
    wanted        BIGINT NOT NULL DEFAULT 0,
    asked         BIGINT NOT NULL DEFAULT 0,
    claimed       BIGINT NOT NULL DEFAULT 0,
    batch         BIGINT NOT NULL DEFAULT 0,
    failures      BIGINT NOT NULL DEFAULT 0,
    problem       TEXT NOT NULL DEFAULT '',
    made          BIGINT NOT NULL DEFAULT 0,
    catalogue     TEXT NOT NULL DEFAULT '',
    unnamed       BIGINT NOT NULL DEFAULT 0,
    said          TEXT NOT NULL DEFAULT '',
    doubted       BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX jobs_due ON jobs (next_due);
CREATE INDEX jobs_said ON jobs (said) WHERE said <> '';

CREATE TABLE inquiries (
    about    TEXT PRIMARY KEY,
    since    BIGINT NOT NULL DEFAULT 0,
    accepted BIGINT NOT NULL DEFAULT 0,
    answers  TEXT NOT NULL DEFAULT '[]'
) @clustered;
INSERT INTO inquiries (about) VALUES ('jobs');

CREATE TABLE doubts (
    source     BIGINT NOT NULL,
    posting    BIGINT NOT NULL,
    since      BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    PRIMARY KEY (source, posting)
) @clustered;

CREATE TABLE batches (
    number  @key,
    process TEXT NOT NULL,
    since   BIGINT NOT NULL
);

-- The daily pass over all jobs, which the processes share: how far it has come.
CREATE TABLE passes (
    name  TEXT PRIMARY KEY,
    began BIGINT NOT NULL DEFAULT 0,
    job   BIGINT NOT NULL DEFAULT 0,
    done  BIGINT NOT NULL DEFAULT 1
) @clustered;
INSERT INTO passes (name) VALUES ('jobs');

CREATE TABLE catalogues (
    hash    TEXT PRIMARY KEY,
    used    BIGINT NOT NULL,
    entries TEXT NOT NULL
) @clustered;

CREATE TABLE limits (
    name      TEXT PRIMARY KEY,
    rate      DOUBLE PRECISION NOT NULL DEFAULT 0,
    next_slot BIGINT NOT NULL DEFAULT 0,
    paused    BIGINT NOT NULL DEFAULT 0,
    slowed    BIGINT NOT NULL DEFAULT 0,
    calm      BIGINT NOT NULL DEFAULT 0
) @clustered;
INSERT INTO limits (name) VALUES ('board');

CREATE TABLE processes (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    version TEXT NOT NULL,
    doing   TEXT NOT NULL,
    started BIGINT NOT NULL,
    seen    BIGINT NOT NULL,
    lookups BIGINT NOT NULL,
    tokens  BIGINT NOT NULL
) @clustered;

CREATE TABLE forgotten (
    kind TEXT NOT NULL,
    id   BIGINT NOT NULL,
    at   BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
) @clustered;

-- The pages of which search engines were told within a day.
CREATE TABLE announced (
    address TEXT NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (address, at)
) @clustered;
CREATE INDEX announced_at ON announced (at);
