INSERT INTO mirror VALUES ('epoch', left(replace(gen_random_uuid()::text, '-', ''), 16)), ('secret', gen_random_uuid()::text);

-- A row that counts would be locked until its transaction ends.
CREATE SEQUENCE mirror_answer;
CREATE SEQUENCE mirror_batch;
CREATE SEQUENCE mirror_generation;
CREATE SEQUENCE mirror_posting;
CREATE SEQUENCE mirror_source;
