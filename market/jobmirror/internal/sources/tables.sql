
-- A channel in one language, or a feed.
CREATE TABLE sources (
    id         @key,                         -- in the order in which processes first named them
    kind       TEXT NOT NULL,                -- "channel" or "feed"
    name       TEXT NOT NULL,                -- the channel's identifier, or the feed's name
    language   TEXT NOT NULL,                -- in which a channel is asked for; empty: the board chooses, or it is a feed
    generation BIGINT NOT NULL DEFAULT 0,    -- the number of its last refresh, see numbers.go; 0: none has begun
    began      BIGINT NOT NULL DEFAULT 0,    -- when that began
    complete   BIGINT NOT NULL DEFAULT 0,    -- when a refresh was complete last; 0: none was
    next_due   BIGINT NOT NULL DEFAULT 0,    -- when it is to be refreshed next
    failures   BIGINT NOT NULL DEFAULT 0,    -- refreshes in a row that were not complete
    problem    TEXT NOT NULL DEFAULT '',     -- why the last one was not; empty: it was
    refused    BIGINT NOT NULL DEFAULT 0,    -- since when the board says that it has no such channel; 0: it does not
    left_out   BIGINT NOT NULL DEFAULT 0,    -- 1: the board has said so for long, and the copy does without the source
    unreadable BIGINT NOT NULL DEFAULT 0,    -- postings of its last complete refresh that could not be read
    last_answer        BIGINT NOT NULL DEFAULT 0, -- the answer's number of its last complete refresh
    last_read_answer   BIGINT NOT NULL DEFAULT 0, -- of the last one of which every posting could be read
    second_last_answer BIGINT NOT NULL DEFAULT 0, -- of the one before that, likewise
    third_last_answer  BIGINT NOT NULL DEFAULT 0, -- of the one before that: rows that it missed were missed three times
    held_lease BIGINT NOT NULL DEFAULT 0,    -- of lookups for held rows. 0: none are needed; 1: some are; above: until when a process does them
    opens      BIGINT NOT NULL DEFAULT 0,    -- how many of these lookups in a row said "open", since the last complete refresh
    informed   BIGINT NOT NULL DEFAULT 0,    -- 1: one of them gave a job's information, since the last complete refresh
    believed   BIGINT NOT NULL DEFAULT 0,    -- rows that went because lookups said "unavailable" while none gave any; 0 once none is held
    leased_until BIGINT NOT NULL DEFAULT 0,  -- until when a process refreshes it; 0: none does
    holder     TEXT NOT NULL DEFAULT '',     -- processes.id of the last one that did; empty: none
    named      BIGINT NOT NULL DEFAULT 0,    -- when a process last said that its options name it
    made       BIGINT NOT NULL DEFAULT 0,    -- when the last answer was made at the earliest: caches keep answers; 0: not known
    logged     BIGINT NOT NULL DEFAULT 0,    -- the conditions, see condition.go of the mirror, that the operator's log has of it
    UNIQUE (kind, name, language)
);
