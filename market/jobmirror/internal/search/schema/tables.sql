
-- The state of the index: one row.
CREATE TABLE search_state (
    form  BIGINT NOT NULL, -- the form of the tokens, see form.go; 0 while no document is indexed
    stamp BIGINT NOT NULL  -- a random number of the last transaction that changed what a search finds
);
INSERT INTO search_state VALUES (0, 0);

-- Where a document is.
CREATE TABLE places (
    document  BIGINT NOT NULL,           -- the document's number
    number    BIGINT NOT NULL,           -- 0 for the main place, then counted on
    name      TEXT NOT NULL,             -- of the place; empty: it has none
    latitude  DOUBLE PRECISION NOT NULL, -- in degrees
    longitude DOUBLE PRECISION NOT NULL, -- in degrees
    PRIMARY KEY (document, number)
) @clustered;

-- By what the documents that a search finds are counted.
CREATE TABLE facets (
    document BIGINT NOT NULL, -- the document's number
    kind     TEXT NOT NULL,   -- a Tag.Kind
    value    TEXT NOT NULL,   -- a Tag.Value
    PRIMARY KEY (document, kind, value)
) @clustered;

-- A stemmer by which documents are indexed.
CREATE TABLE stemmers (
    name TEXT PRIMARY KEY -- as words.Stemmer returns it; empty: words stay as they are
) @clustered;

-- The words that a mistyped one may have meant: many in a row, which is replaced and never changes.
CREATE TABLE vocabulary (
    id    @key,         -- random
    words TEXT NOT NULL -- separated by spaces
);
