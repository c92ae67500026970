INSERT INTO mirror VALUES ('epoch', lower(hex(randomblob(8)))), ('secret', lower(hex(randomblob(16))));

CREATE TABLE changes (
    number   INTEGER PRIMARY KEY,
    stamp    BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    id       BIGINT NOT NULL,
    language TEXT NOT NULL,
    before   TEXT,
    after    TEXT,
    cause    TEXT NOT NULL
);

CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
INSERT INTO search (search, rank) VALUES ('usermerge', 2); -- pieces of a size, which merge puts together
