
CREATE TABLE search (
    document BIGINT PRIMARY KEY,
    words    TSVECTOR NOT NULL
);
CREATE INDEX search_words ON search USING gin (words) WITH (gin_pending_list_limit = 512); -- kB, which each search reads
