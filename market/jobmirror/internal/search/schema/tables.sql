
-- What is noted once, of all documents.
CREATE TABLE search_state (
    name  TEXT PRIMARY KEY, -- "form"
    value BIGINT NOT NULL   -- the form of the tokens, see form.go; 0 while no document is indexed
) @clustered;
INSERT INTO search_state VALUES ('form', 0);

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

-- Transactions that changed what a search finds. A search whose snapshot has the same rows finds the same.
CREATE TABLE index_changes (
    stamp BIGINT NOT NULL -- a random number, of one transaction or in place of many
);
