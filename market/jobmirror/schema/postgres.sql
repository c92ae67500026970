INSERT INTO mirror VALUES ('epoch', left(replace(gen_random_uuid()::text, '-', ''), 16)), ('secret', gen_random_uuid()::text);

-- A row that counts would be locked until its transaction ends.
CREATE SEQUENCE mirror_answer;
CREATE SEQUENCE mirror_batch;
CREATE SEQUENCE mirror_generation;
CREATE SEQUENCE mirror_posting;
CREATE SEQUENCE mirror_source;

CREATE TABLE changes (
    written  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number   BIGINT UNIQUE,
    stamp    BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    id       BIGINT NOT NULL,
    language TEXT NOT NULL,
    job      BIGINT, -- the change is of it or of a posting of it; none: not known
    before   TEXT,
    after    TEXT,
    cause    TEXT NOT NULL
);
CREATE INDEX changes_unnumbered ON changes (written) WHERE number IS NULL;
CREATE INDEX changes_job ON changes (job, number) WHERE job IS NOT NULL;

ALTER TABLE limits SET (fillfactor = 50);
