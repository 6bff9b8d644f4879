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
-- last event or from a mark.
CREATE TABLE events (
    position    INTEGER PRIMARY KEY, -- place in this log, in the order of commits, without gaps
    stream      INTEGER NOT NULL REFERENCES streams (id),
    version     INTEGER NOT NULL, -- place in the stream
    before      INTEGER NOT NULL, -- position of the stream's event before this one; 0 = this is its first
    revision    INTEGER NOT NULL, -- of the payload's shape
    chain       INTEGER NOT NULL, -- number of the recipe that hash was made by
    hash        BLOB    NOT NULL, -- 32 bytes, as schemas/chain.md says
    previous    BLOB    NOT NULL, -- hash of the event before it in its stream; zeros at version 0
    time        TEXT    NOT NULL, -- RFC 3339 in UTC with nine digits
    id          TEXT    NOT NULL, -- UUID
    type        TEXT    NOT NULL, -- stored name, for example head.queued
    written_by  TEXT    NOT NULL, -- operator:NAME, or reviewctl
    node        TEXT    NOT NULL, -- boot id of the process that wrote it
    correlation TEXT    NOT NULL, -- the run that it is about
    cause       TEXT    NOT NULL, -- stream@version#row, or empty
    decided     TEXT    NOT NULL, -- JSON: the decision that it came from, or empty
    payload     TEXT    NOT NULL  -- JSON: what happened
) STRICT;

-- A sparse index for long streams: where each 64th event of a stream is, so that
-- a read from a version begins at most 64 events behind it.
CREATE TABLE marks (
    stream   INTEGER NOT NULL REFERENCES streams (id),
    version  INTEGER NOT NULL, -- 63, 127, 191…
    position INTEGER NOT NULL, -- of that event
    PRIMARY KEY (stream, version)
) STRICT, WITHOUT ROWID;

-- For people: the events with their stream's name, hashes in hex.
CREATE VIEW log AS
SELECT e.position, s.name AS stream, e.version, e.time, e.type, e.revision,
       e.written_by, e.node, e.correlation, e.cause, e.decided, e.payload, e.id,
       e.chain, lower(hex(e.hash)) AS hash, lower(hex(e.previous)) AS previous
FROM events AS e JOIN streams AS s ON s.id = e.stream;
