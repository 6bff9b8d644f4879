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
-- last event or from a mark. What describes the event stands in one column,
-- because a row costs by its columns when a log is replayed; the view "log" shows
-- it apart.
CREATE TABLE events (
    position INTEGER PRIMARY KEY, -- place in this log, in the order of commits, without gaps
    envelope TEXT NOT NULL, -- JSON: [stream (its id), version, before (position of the stream's event before this one; 0 = this is its first), revision (of the payload's shape), chain (number of the recipe that hash was made by), "time" (RFC 3339 in UTC, nine digits), "id", "type", "written_by", "node", "correlation", "cause"]
    link     BLOB NOT NULL, -- hash of this event, as schemas/chain.md says, and of the one before it in its stream (zeros at version 0): 64 bytes
    decided  TEXT NOT NULL, -- JSON: the decision that it came from, or empty
    payload  TEXT NOT NULL  -- JSON: what happened
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
SELECT e.position, s.name AS stream, e.envelope ->> 1 AS version,
       e.envelope ->> 5 AS time, e.envelope ->> 7 AS type, e.envelope ->> 3 AS revision,
       e.envelope ->> 8 AS written_by, e.envelope ->> 9 AS node, e.envelope ->> 10 AS correlation,
       e.envelope ->> 11 AS cause, e.decided, e.payload,
       e.envelope ->> 6 AS id, e.envelope ->> 4 AS chain,
       lower(hex(substr(e.link, 1, 32))) AS hash, lower(hex(substr(e.link, 33))) AS previous
FROM events AS e JOIN streams AS s ON s.id = e.envelope ->> 0;
