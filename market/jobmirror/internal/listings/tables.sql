
-- A posting that a channel shows, or has ceased to show and that is held.
CREATE TABLE listings (
    source     BIGINT NOT NULL,           -- sources.id
    posting    BIGINT NOT NULL,           -- postings.id
    seen       BIGINT NOT NULL,           -- when it came, or, of a row that is not shown, when the source showed it last
    state      TEXT NOT NULL DEFAULT 'shown', -- "shown"; "held": the source has ceased to show it; "going": it is about to be removed
    since      BIGINT NOT NULL DEFAULT 0, -- since when the source does not show it; 0: it does
    missed     BIGINT NOT NULL DEFAULT 0, -- the number of the answer that first missed it; holds where the source does not show it
    raw        BIGINT NOT NULL DEFAULT 0, -- a hash of the bytes in which the source shows it as it is stored; 0: not known
    PRIMARY KEY (source, posting)
) @clustered;
CREATE INDEX listings_posting ON listings (posting);
CREATE INDEX listings_missing ON listings (source) WHERE state <> 'shown';

-- An entry that a feed shows, or has ceased to show and that is held.
CREATE TABLE entries (
    source     BIGINT NOT NULL,           -- sources.id
    hash       BIGINT NOT NULL,           -- of the entry's bytes: an entry that changes is another one
    job        BIGINT NOT NULL,           -- that it is of
    state      TEXT NOT NULL DEFAULT 'shown', -- as in listings
    since      BIGINT NOT NULL DEFAULT 0, -- as in listings
    missed     BIGINT NOT NULL DEFAULT 0, -- as in listings
    PRIMARY KEY (source, hash)
) @clustered;
CREATE INDEX entries_job ON entries (job, source);
CREATE INDEX entries_missing ON entries (source) WHERE state <> 'shown';

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
