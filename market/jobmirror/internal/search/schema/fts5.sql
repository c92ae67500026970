
-- The index of the documents' tokens. A rowid is the document's number.
CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
INSERT INTO search (search, rank) VALUES ('usermerge', 2); -- pieces of a size, which merge puts together
