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
