-- The log: one SQLite file, format 1. (hard-parts §7, performance §1.2)
--
-- To look into it:   sqlite3 -readonly log.db 'SELECT * FROM log WHERE stream = ''fleet-main'''
-- Never change a row by hand: each event is part of a hash chain (schemas/chain.md).

-- One row for each stream: its name, and its last event. An append updates it
-- where version and hash are the expected ones; no row changed is a conflict.
CREATE TABLE streams (
    id       INTEGER PRIMARY KEY, -- stands for the name in events; never reused
    name     TEXT    NOT NULL UNIQUE, -- for example run-0123456789abcdef
    version  INTEGER NOT NULL, -- of the last event; the first event is 0
    hash     BLOB    NOT NULL, -- of the last event: 32 bytes
    position INTEGER NOT NULL  -- of the last event, in events
) STRICT;

-- One row for each event. There is deliberately no index on (stream, version): it
-- would dirty a page for each event. A stream is read along "before", from its
-- last event or from a mark. The short texts stand in one column, because a row
-- costs by its columns when a log is replayed; the view "log" shows them apart.
CREATE TABLE events (
    position INTEGER PRIMARY KEY, -- place in this log, in the order of commits, without gaps
    stream   INTEGER NOT NULL REFERENCES streams (id),
    version  INTEGER NOT NULL, -- place in the stream
    before   INTEGER NOT NULL, -- position of the stream's event before this one; 0 = this is its first
    revision INTEGER NOT NULL, -- of the payload's shape
    chain    INTEGER NOT NULL, -- number of the recipe that hash was made by
    cuts     INTEGER NOT NULL, -- bytes of id, type, written_by, node and correlation in words: 12 bits each, from the lowest
    link     BLOB    NOT NULL, -- hash of this event, as schemas/chain.md says, and of the one before it in its stream (zeros at version 0): 64 bytes
    words    TEXT    NOT NULL, -- time (RFC 3339 in UTC, nine digits: 30 bytes), id, type, written_by, node, correlation, cause, one behind the other
    decided  TEXT    NOT NULL, -- JSON: the decision that it came from, or empty
    payload  TEXT    NOT NULL  -- JSON: what happened
) STRICT;

-- A sparse index for long streams: where each 64th event of a stream is, so that
-- a read from a version begins at most 64 events behind it.
CREATE TABLE marks (
    stream   INTEGER NOT NULL REFERENCES streams (id),
    version  INTEGER NOT NULL, -- 63, 127, 191…
    position INTEGER NOT NULL, -- of that event
    PRIMARY KEY (stream, version)
) STRICT, WITHOUT ROWID;

-- For people: the events with their stream's name, one column for each field, and
-- hashes in hex. written_by is "operator:NAME" or "reviewctl", node the boot that
-- wrote it, correlation the run that it is about, cause "stream@version#row".
CREATE VIEW log AS
WITH bounds AS (
    SELECT *, CAST(words AS BLOB) AS w,
           31 AS id_at,
           31 + (cuts & 4095) AS type_at,
           31 + (cuts & 4095) + (cuts >> 12 & 4095) AS by_at,
           31 + (cuts & 4095) + (cuts >> 12 & 4095) + (cuts >> 24 & 4095) AS node_at,
           31 + (cuts & 4095) + (cuts >> 12 & 4095) + (cuts >> 24 & 4095) + (cuts >> 36 & 4095) AS correlation_at,
           31 + (cuts & 4095) + (cuts >> 12 & 4095) + (cuts >> 24 & 4095) + (cuts >> 36 & 4095) + (cuts >> 48 & 4095) AS cause_at
    FROM events
)
SELECT b.position, s.name AS stream, b.version,
       substr(b.words, 1, 30) AS time,
       CAST(substr(w, type_at, by_at - type_at) AS TEXT) AS type, b.revision,
       CAST(substr(w, by_at, node_at - by_at) AS TEXT) AS written_by,
       CAST(substr(w, node_at, correlation_at - node_at) AS TEXT) AS node,
       CAST(substr(w, correlation_at, cause_at - correlation_at) AS TEXT) AS correlation,
       CAST(substr(w, cause_at) AS TEXT) AS cause,
       b.decided, b.payload,
       CAST(substr(w, id_at, type_at - id_at) AS TEXT) AS id, b.chain,
       lower(hex(substr(b.link, 1, 32))) AS hash, lower(hex(substr(b.link, 33))) AS previous
FROM bounds AS b JOIN streams AS s ON s.id = b.stream;
