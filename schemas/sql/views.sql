-- The read models, in a file of their own beside the log: "<log>.views". All of
-- it is a cache. Whoever deletes the file loses nothing: it is built again from
-- the log. PRAGMA user_version holds the format; any other one starts anew.

-- One row for each view; its number stands in for its name below, so that a view
-- built beside the live one takes its place by a change of names.
CREATE TABLE views (
  id            INTEGER PRIMARY KEY,
  name          TEXT    NOT NULL UNIQUE,
  version       INTEGER NOT NULL, -- of the view that wrote the rows
  position      INTEGER NOT NULL, -- checkpoint: the last event seen …
  event_stream  TEXT    NOT NULL, -- … its stream,
  event_version INTEGER NOT NULL, -- its version in it,
  event_hash    BLOB    NOT NULL, -- its hash: tells another log from this one,
  event_time    INTEGER NOT NULL, -- its time, in nanoseconds since 1970
  unknown       INTEGER NOT NULL  -- events skipped because nobody here knew them
) STRICT;

-- The rows of all views.
CREATE TABLE view_rows (
  view  INTEGER NOT NULL, -- views.id
  kind  TEXT    NOT NULL, -- one sort of row within the view, for example "run"
  key   TEXT    NOT NULL,
  sort  TEXT    NOT NULL, -- scans come in the order of (sort, key)
  repo  TEXT    NOT NULL, -- "" where the row belongs to none
  state TEXT    NOT NULL, -- "" where the row has none
  at    INTEGER NOT NULL, -- since when, or when last changed, in ns; the least integer = never
  value BLOB    NOT NULL, -- JSON
  PRIMARY KEY (view, kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX view_rows_in_order ON view_rows (view, kind, sort, key);

-- How far a reader of the log that keeps no rows has come, for example the router.
CREATE TABLE positions (
  name     TEXT    PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The folded state of long streams. One snapshot a stream, never truth: it counts
-- only for the code that wrote it and for the event that it names.
CREATE TABLE snapshots (
  stream  TEXT    PRIMARY KEY,
  code    TEXT    NOT NULL, -- hash of the fold's code
  version INTEGER NOT NULL, -- of the last event that is folded in
  hash    BLOB    NOT NULL, -- of that event
  at      INTEGER NOT NULL, -- its time, in nanoseconds since 1970
  state   BLOB    NOT NULL
) STRICT;
