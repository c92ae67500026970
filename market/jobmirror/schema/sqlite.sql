INSERT INTO mirror VALUES ('epoch', lower(hex(randomblob(8)))), ('secret', lower(hex(randomblob(16))));
