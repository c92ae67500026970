CREATE TABLE mirror (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO mirror VALUES ('program', 'jobmirror'), ('oldest', '1');
CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE postings (
    id        INTEGER PRIMARY KEY,
    posting   BIGINT NOT NULL,
    language  TEXT NOT NULL,
    version   BIGINT NOT NULL,
    hash      BIGINT NOT NULL,
    linked    BIGINT NOT NULL,
    job       BIGINT,
    answer    BIGINT NOT NULL,
    adless    BIGINT NOT NULL DEFAULT 0,
    visibility_due BIGINT NOT NULL DEFAULT 0,
    giver     BIGINT NOT NULL DEFAULT 0,
    title     TEXT NOT NULL,
    record    TEXT NOT NULL,
    ads       TEXT NOT NULL,
    UNIQUE (posting, language)
);
CREATE INDEX postings_adless ON postings (id) WHERE adless = 1;
CREATE INDEX postings_visibility_due ON postings (visibility_due) WHERE visibility_due > 0;
CREATE INDEX postings_job ON postings (job);
CREATE INDEX postings_linked ON postings (linked);
CREATE INDEX postings_version ON postings (version);
CREATE TABLE unindexed (
    posting INTEGER PRIMARY KEY
);
CREATE TABLE claims (
    kind   TEXT NOT NULL,
    value  BIGINT NOT NULL,
    job    BIGINT NOT NULL,
    source BIGINT NOT NULL,
    entry  BIGINT NOT NULL,
    PRIMARY KEY (kind, value, job, source, entry)
) WITHOUT ROWID;
CREATE INDEX claims_entry ON claims (source, entry);
CREATE INDEX claims_job ON claims (job);
CREATE TABLE limits (
    name      TEXT PRIMARY KEY,
    rate      DOUBLE PRECISION NOT NULL DEFAULT 0,
    next_slot BIGINT NOT NULL DEFAULT 0,
    paused    BIGINT NOT NULL DEFAULT 0,
    slowed    BIGINT NOT NULL DEFAULT 0,
    calm      BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
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
) WITHOUT ROWID;
CREATE TABLE forgotten (
    kind   TEXT NOT NULL,
    id     BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    erased BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX forgotten_unerased ON forgotten (kind, id) WHERE erased = 0;
CREATE TABLE changes (
    number   INTEGER PRIMARY KEY,
    stamp    BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    id       BIGINT NOT NULL,
    language TEXT NOT NULL,
    job      BIGINT,
    earlier_job BIGINT,
    before   TEXT,
    after    TEXT,
    cause    TEXT NOT NULL
);
CREATE INDEX changes_row ON changes (id, kind);
CREATE INDEX changes_job ON changes (job, number) WHERE job IS NOT NULL;
CREATE INDEX changes_earlier_job ON changes (earlier_job, number) WHERE earlier_job IS NOT NULL;
INSERT INTO counters VALUES ('change', 0), ('erased', 0), ('erased_stamp', 0);
CREATE TABLE sources (
    id         INTEGER PRIMARY KEY,
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
    unreadable BIGINT NOT NULL DEFAULT 0,
    last_answer        BIGINT NOT NULL DEFAULT 0,
    last_read_answer   BIGINT NOT NULL DEFAULT 0,
    second_last_answer BIGINT NOT NULL DEFAULT 0,
    third_last_answer  BIGINT NOT NULL DEFAULT 0,
    held_lease BIGINT NOT NULL DEFAULT 0,
    opens      BIGINT NOT NULL DEFAULT 0,
    informed   BIGINT NOT NULL DEFAULT 0,
    believed   BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0,
    holder     TEXT NOT NULL DEFAULT '',
    named      BIGINT NOT NULL DEFAULT 0,
    made       BIGINT NOT NULL DEFAULT 0,
    logged     BIGINT NOT NULL DEFAULT 0,
    UNIQUE (kind, name, language, search, geo)
);
CREATE TABLE listings (
    source     BIGINT NOT NULL,
    posting    BIGINT NOT NULL,
    seen       BIGINT NOT NULL,
    missing    BIGINT NOT NULL DEFAULT 0,
    missed     BIGINT NOT NULL DEFAULT 0,
    raw        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (source, posting)
) WITHOUT ROWID;
CREATE INDEX listings_posting ON listings (posting);
CREATE INDEX listings_missing ON listings (source) WHERE missing <> 0;
CREATE TABLE entries (
    source     BIGINT NOT NULL,
    hash       BIGINT NOT NULL,
    job        BIGINT NOT NULL,
    missing    BIGINT NOT NULL DEFAULT 0,
    missed     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (source, hash)
) WITHOUT ROWID;
CREATE INDEX entries_job ON entries (job, source);
CREATE INDEX entries_missing ON entries (source) WHERE missing <> 0;
CREATE TABLE losses (
    source BIGINT NOT NULL,
    answer BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    lost   BIGINT NOT NULL,
    PRIMARY KEY (source, answer)
) WITHOUT ROWID;
CREATE TABLE lower_versions (
    source     BIGINT NOT NULL,
    posting    BIGINT NOT NULL,
    since      BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    PRIMARY KEY (source, posting)
) WITHOUT ROWID;
CREATE TABLE jobs (
    job           INTEGER PRIMARY KEY,
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
    last_lookup   BIGINT NOT NULL DEFAULT 0,
    leased_until  BIGINT NOT NULL DEFAULT 0,
    batch         BIGINT NOT NULL DEFAULT 0,
    failures      BIGINT NOT NULL DEFAULT 0,
    problem       TEXT NOT NULL DEFAULT '',
    made          BIGINT NOT NULL DEFAULT 0,
    catalogue     TEXT NOT NULL DEFAULT '',
    unnamed       BIGINT NOT NULL DEFAULT 0,
    said          TEXT NOT NULL DEFAULT '',
    doubted       BIGINT NOT NULL DEFAULT 0,
    last_posting  TEXT NOT NULL DEFAULT '',
    last_posting_id BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX jobs_last_posting ON jobs (last_posting_id) WHERE last_posting_id <> 0;
CREATE INDEX jobs_due ON jobs (next_due);
CREATE INDEX jobs_said ON jobs (said) WHERE said <> '';
CREATE TABLE inquiries (
    about    TEXT PRIMARY KEY,
    since    BIGINT NOT NULL DEFAULT 0,
    accepted BIGINT NOT NULL DEFAULT 0,
    answers  TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;
INSERT INTO inquiries (about) VALUES ('jobs');
CREATE TABLE batches (
    number  INTEGER PRIMARY KEY,
    process TEXT NOT NULL,
    since   BIGINT NOT NULL
);
CREATE TABLE passes (
    name  TEXT PRIMARY KEY,
    began BIGINT NOT NULL DEFAULT 0,
    job   BIGINT NOT NULL DEFAULT 0,
    done  BIGINT NOT NULL DEFAULT 1
) WITHOUT ROWID;
INSERT INTO passes (name) VALUES ('jobs');
CREATE TABLE catalogues (
    hash    TEXT PRIMARY KEY,
    used    BIGINT NOT NULL,
    entries TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE search_state (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO search_state VALUES ('form', 0);
CREATE TABLE places (
    document  BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    name      TEXT NOT NULL,
    latitude  DOUBLE PRECISION NOT NULL,
    longitude DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (document, number)
) WITHOUT ROWID;
CREATE TABLE facets (
    document BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (document, kind, value)
) WITHOUT ROWID;
CREATE TABLE stemmers (
    name TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE vocabulary (
    id      INTEGER PRIMARY KEY,
    checked BIGINT NOT NULL,
    leaving TEXT NOT NULL,
    words   TEXT NOT NULL
);
CREATE TABLE index_changes (
    stamp BIGINT NOT NULL
);
INSERT INTO mirror VALUES ('epoch', lower(hex(randomblob(8)))), ('secret', lower(hex(randomblob(16))));
CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
INSERT INTO search (search, rank) VALUES ('usermerge', 2);
CREATE TABLE mirror_versions (version_id BIGINT NOT NULL);
INSERT INTO mirror_versions VALUES (0), (1);
