
-- Of all documents: what is noted once.
CREATE TABLE search_state (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
) @clustered;
INSERT INTO search_state VALUES ('form', 0); -- of the tokens; 0: no document is indexed yet

-- Where a document is, its main place first.
CREATE TABLE places (
    document  BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    name      TEXT NOT NULL,
    latitude  DOUBLE PRECISION NOT NULL,
    longitude DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (document, number)
) @clustered;

-- By what the documents that a search finds are counted.
CREATE TABLE facets (
    document BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (document, kind, value)
) @clustered;

-- The stemmers of the documents' languages.
CREATE TABLE stemmers (
    name TEXT PRIMARY KEY
) @clustered;

-- The words that a mistyped one may have meant: many in a row, which never changes.
CREATE TABLE vocabulary (
    id      @key,
    checked BIGINT NOT NULL, -- when somebody last looked for words that no document has any more
    leaving TEXT NOT NULL,   -- such words; the next check forgets them
    words   TEXT NOT NULL
);

-- A random number for each transaction that changed what a search finds. A search whose snapshot has the same
-- numbers finds the same.
CREATE TABLE index_changes (
    stamp BIGINT NOT NULL
);
