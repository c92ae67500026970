
-- A posting that a channel shows, or has ceased to show and that is held.
CREATE TABLE listings (
    source     BIGINT NOT NULL,           -- sources.id
    posting    BIGINT NOT NULL,           -- postings.id
    seen       BIGINT NOT NULL,           -- when it came, or, of a row that is missing, when the source showed it last
    missing    BIGINT NOT NULL DEFAULT 0, -- since when it is held; 0: the source shows it; -1: it goes
    missed     BIGINT NOT NULL DEFAULT 0, -- the number of the answer that first missed it; holds where missing is not 0
    raw        BIGINT NOT NULL DEFAULT 0, -- a hash of the bytes in which the source shows it as it is stored; 0: not known
    PRIMARY KEY (source, posting)
) @clustered;
CREATE INDEX listings_posting ON listings (posting);
CREATE INDEX listings_missing ON listings (source) WHERE missing <> 0;

-- An entry that a feed shows, or has ceased to show and that is held.
CREATE TABLE entries (
    source     BIGINT NOT NULL,           -- sources.id
    hash       BIGINT NOT NULL,           -- of the entry's bytes: an entry that changes is another one
    job        BIGINT NOT NULL,           -- that it is of
    missing    BIGINT NOT NULL DEFAULT 0, -- as in listings
    missed     BIGINT NOT NULL DEFAULT 0, -- as in listings
    PRIMARY KEY (source, hash)
) @clustered;
CREATE INDEX entries_job ON entries (job, source);
CREATE INDEX entries_missing ON entries (source) WHERE missing <> 0;

-- A complete refresh by which rows went at once because they were few.
CREATE TABLE losses (
    source BIGINT NOT NULL, -- sources.id
    answer BIGINT NOT NULL, -- the refresh's answer's number
    at     BIGINT NOT NULL, -- when they went
    lost   BIGINT NOT NULL, -- how many rows went
    PRIMARY KEY (source, answer)
) @clustered;

-- A posting of which a channel shows a lower version than the copy has.
CREATE TABLE lower_versions (
    source     BIGINT NOT NULL, -- sources.id of the channel
    posting    BIGINT NOT NULL, -- postings.id
    since      BIGINT NOT NULL, -- when the channel showed it first
    generation BIGINT NOT NULL, -- of the refresh that saw it last
    PRIMARY KEY (source, posting)
) @clustered;
