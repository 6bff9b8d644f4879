package sqlite

import (
	"errors"
	"fmt"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// statements are those that the writer keeps.
type statements struct {
	begin, commit, rollback *zombie.Stmt
	at, addStream, setHead  *zombie.Stmt
	addEvent, addMark       *zombie.Stmt
	back                    *reader // reads what is stored, inside the same transaction
	envelope, link          []byte  // of the row that is being written
}

func prepareStatements(conn *zombie.Conn) (*statements, error) {
	s := &statements{back: &reader{conn: conn}}
	if err := s.back.prepare(); err != nil {
		return nil, err
	}
	if _, err := holdMemory(conn); err != nil { // it goes with the connection
		return nil, err
	}
	for _, kept := range []struct {
		into **zombie.Stmt
		sql  string
	}{
		{&s.begin, "BEGIN IMMEDIATE"},
		{&s.commit, "COMMIT"},
		{&s.rollback, "ROLLBACK"},
		{&s.at, "SELECT link FROM events WHERE position = ?"},
		{&s.addStream, "INSERT INTO streams (name, version, hash, position) VALUES (?, ?, ?, ?)"},
		{&s.setHead, "UPDATE streams SET version = ?, hash = ?, position = ? WHERE id = ? AND version = ? AND hash = ?"},
		{&s.addEvent, "INSERT INTO events (" + eventColumns + ") VALUES (?, ?, ?, ?, ?)"},
		{&s.addMark, "INSERT INTO marks (stream, version, position) VALUES (?, ?, ?)"},
	} {
		stmt, err := conn.Prepare(kept.sql)
		if err != nil {
			return nil, translate(err)
		}
		*kept.into = stmt
	}
	return s, nil
}

// fileError is an error of the file, as opposed to an answer to one append.
type fileError struct{ err error }

func (e *fileError) Error() string { return e.err.Error() }

// broken marks a driver's error as one of the file.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return &fileError{err: err}
}

// write puts one append behind position last. It looks at the head row first, so
// that whatever is refused has written nothing and needs no savepoint; the update
// of the head row compares once more. (hard-parts §7)
func (s *statements) write(a *events.Append, last events.Position) (out events.Appended, stored bool, err error) {
	h, err := s.back.headOf(a.Stream)
	if err != nil {
		return out, false, broken(err)
	}
	if a.Retry {
		if out, found, err := s.findStored(a, h); found || err != nil {
			return out, false, err
		}
	}
	if h.version != a.Expected || h.hash != a.Previous {
		return out, false, &events.ConflictError{Stream: a.Stream, Expected: a.Expected, Actual: h.version}
	}
	out = events.Appended{
		Last:     a.Expected + events.Version(len(a.Events)),
		Position: last + events.Position(len(a.Events)),
	}
	if err := s.moveHead(a, &h, out); err != nil {
		return out, false, err
	}
	before := h.position
	for i := range a.Events {
		last++
		if err := s.insert(&a.Events[i], h.id, last, before); err != nil {
			return out, false, broken(err)
		}
		before = last
	}
	return out, true, nil
}

// moveHead sets a stream's head row to the append's last event.
func (s *statements) moveHead(a *events.Append, h *head, out events.Appended) error {
	hash := &a.Events[len(a.Events)-1].Hash
	if a.Expected == events.NoneYet {
		s.addStream.BindText(1, string(a.Stream))
		s.addStream.BindInt64(2, int64(out.Last))
		s.addStream.BindBytes(3, hash[:])
		s.addStream.BindInt64(4, int64(out.Position))
		if err := finish(s.addStream); err != nil {
			return broken(err)
		}
		h.id = s.back.conn.LastInsertRowID()
		return nil
	}
	s.setHead.BindInt64(1, int64(out.Last))
	s.setHead.BindBytes(2, hash[:])
	s.setHead.BindInt64(3, int64(out.Position))
	s.setHead.BindInt64(4, h.id)
	s.setHead.BindInt64(5, int64(a.Expected))
	s.setHead.BindBytes(6, a.Previous[:])
	if err := finish(s.setHead); err != nil {
		return broken(err)
	}
	if s.back.conn.Changes() == 0 {
		return &events.ConflictError{Stream: a.Stream, Expected: a.Expected, Actual: h.version}
	}
	return nil
}

func (s *statements) insert(e *events.Event, stream int64, position, before events.Position) error {
	s.envelope = joinEnvelope(s.envelope[:0], e, rowLinks{stream: stream, before: before})
	q := s.addEvent
	q.BindInt64(columnPosition+1, int64(position))
	q.BindText(columnEnvelope+1, string(s.envelope))
	q.BindBytes(columnLink+1, append(append(s.link[:0], e.Hash[:]...), e.Previous[:]...))
	q.BindText(columnDecided+1, string(e.Decided))
	q.BindText(columnPayload+1, string(e.Payload))
	if err := finish(q); err != nil {
		return err
	}
	if e.Version%markEvery != markEvery-1 {
		return nil
	}
	s.addMark.BindInt64(1, stream)
	s.addMark.BindInt64(2, int64(e.Version))
	s.addMark.BindInt64(3, int64(position))
	return finish(s.addMark)
}

// findStored looks for a repeated append in the place where it would be.
func (s *statements) findStored(a *events.Append, h head) (out events.Appended, found bool, err error) {
	if h.version <= a.Expected {
		return out, false, nil // nothing is there: an ordinary append
	}
	conflict := &events.ConflictError{Stream: a.Stream, Expected: a.Expected, Actual: h.version}
	n := 0
	for from := a.Expected + 1; n < len(a.Events) && from <= h.version; {
		chunk, _, err := s.back.forward(a.Stream, from)
		if err != nil {
			return out, false, broken(err)
		}
		for i := range chunk[:min(len(chunk), len(a.Events)-n)] {
			was, is := &chunk[i], &a.Events[n]
			if was.ID != is.ID {
				return out, false, conflict
			}
			if !sameBytes(was, is) {
				return out, false, fmt.Errorf("%s: %w", was.Ref(), events.ErrDiffers)
			}
			out = events.Appended{Last: was.Version, Position: was.Position}
			n++
		}
		from += events.Version(len(chunk))
	}
	if n < len(a.Events) {
		return out, false, conflict // someone stored a part of it, and nothing else
	}
	return out, true, nil
}

// sameBytes compares all that is hashed, and the hash.
func sameBytes(a, b *events.Event) bool {
	x, y := *a, *b
	x.Position, y.Position = 0, 0
	x.Time, y.Time = b.Time, b.Time
	return x == y && a.Time.Equal(b.Time)
}

// has says whether an event is stored at a position.
func (s *statements) has(position events.Position, hash events.Hash) (bool, error) {
	s.at.BindInt64(1, int64(position))
	row, err := s.at.Step()
	if err != nil {
		return false, translate(err)
	}
	var stored events.Hash
	there := row && s.at.ColumnBytes(0, stored[:]) == len(stored) && stored == hash
	return there, translate(s.at.Reset())
}

// finish executes a statement without rows and makes it ready for the next.
func finish(s *zombie.Stmt) error {
	_, err := s.Step()
	return translate(errors.Join(err, s.Reset()))
}
