// Package sqlite keeps the log, and the read models beside it, in SQLite files.
//
//	log.db  the events; the only truth     log*.go
//	views   rows, checkpoints, snapshots   views*.go, snapshots*.go
//
// The words of the log:
//
//   - head row: a stream's row in streams, with version, hash and position of its
//     last event. An append updates it where version and hash match, inside the
//     write transaction; no heads are kept in memory, so any number of processes
//     may append. (hard-parts §7)
//   - group: the appends that share one transaction. Everything that was queued
//     while the last commit ran goes into the next.
//   - mark: a row that says where each 64th event of a stream is. Streams have no
//     index of their own; events point back to the one before them.
//   - tide: the highest position that this process knows of; Follow waits for it.
//   - watch: what notices that another process has appended.
//
// schemas/sql/log.sql says what each column is.
package sqlite
