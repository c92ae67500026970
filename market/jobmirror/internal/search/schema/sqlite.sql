
-- The tokens of the index, for who checks it.
CREATE VIRTUAL TABLE tokens USING fts5vocab(search, row);
