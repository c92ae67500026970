
-- The index of the documents' tokens.
CREATE TABLE search (
    document BIGINT PRIMARY KEY, -- the document's number
    words    TSVECTOR NOT NULL   -- its tokens
);
CREATE INDEX search_words ON search USING gin (words) WITH (gin_pending_list_limit = 512); -- kB, which each search reads
