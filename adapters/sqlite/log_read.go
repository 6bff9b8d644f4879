package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// Events are read in chunks. The connection goes back before the first event of
// a chunk is handed out, so that a slow reader holds no connection and no old
// state of the log, which would keep the write-ahead log growing.
const (
	markEvery  = 64 // events of a stream from mark to mark: the largest chunk of one stream
	chunkFirst = 16 // events; the later ones grow
	chunkMost  = 256
	chunkBytes = 1 << 20 // a chunk ends behind the event that reaches it
)

// head is a stream's head row.
type head struct {
	id       int64
	version  events.Version
	hash     events.Hash
	position events.Position
}

// ReadStream reads a stream forwards.
func (l *Log) ReadStream(ctx context.Context, stream events.StreamName, from events.Version, yield func(*events.Event) bool) error {
	next := max(from, 0)
	for {
		var chunk []events.Event
		var last events.Version
		err := l.read(ctx, func(r *reader) (err error) {
			chunk, last, err = r.forward(stream, next)
			return err
		})
		if err != nil {
			return fmt.Errorf("read stream %s: %w", stream, err)
		}
		for i := range chunk {
			if !yield(&chunk[i]) {
				return nil
			}
		}
		next += events.Version(len(chunk))
		if len(chunk) == 0 || next > last {
			return nil
		}
	}
}

// ReadBack reads a stream backwards.
func (l *Log) ReadBack(ctx context.Context, stream events.StreamName, yield func(*events.Event) bool) error {
	var at *place
	for size := chunkFirst; ; size = min(2*size, markEvery) {
		var chunk []events.Event
		err := l.read(ctx, func(r *reader) (err error) {
			if at == nil {
				if at, err = r.lastOf(stream); err != nil {
					return err
				}
			}
			chunk, err = r.backward(stream, at, size)
			return err
		})
		if err != nil {
			return fmt.Errorf("read stream %s backwards: %w", stream, err)
		}
		for i := range chunk {
			if !yield(&chunk[i]) {
				return nil
			}
		}
		if at.version < 0 {
			return nil
		}
	}
}

// ReadAll reads all streams in the order of the log.
func (l *Log) ReadAll(ctx context.Context, after events.Position, yield func(*events.Event) bool) error {
	for size := chunkFirst; ; size = min(2*size, chunkMost) {
		var chunk []events.Event
		var more bool
		err := l.read(ctx, func(r *reader) (err error) {
			chunk, more, err = r.all(&l.names, after, size)
			return err
		})
		if err != nil {
			return fmt.Errorf("read the log after position %d: %w", after, err)
		}
		for i := range chunk {
			if !yield(&chunk[i]) {
				return nil
			}
			after = chunk[i].Position
		}
		if !more {
			return nil
		}
	}
}

// read lends a connection to f for one transaction.
func (l *Log) read(ctx context.Context, f func(*reader) error) error {
	r, err := l.pool.take(ctx)
	if err != nil {
		return err
	}
	l.counts.reads.Add(1)
	err = r.within(func() error { return f(r) })
	l.pool.give(r, err)
	return err
}

// headOf reads a head row; a stream that does not exist is at NoneYet.
func (r *reader) headOf(stream events.StreamName) (head, error) {
	s, h := r.head, head{version: events.NoneYet}
	s.BindText(1, string(stream))
	row, err := s.Step()
	if err != nil {
		return h, translate(err)
	}
	if row {
		h.id = s.ColumnInt64(0)
		h.version = events.Version(s.ColumnInt64(1))
		s.ColumnBytes(2, h.hash[:])
		h.position = events.Position(s.ColumnInt64(3))
	}
	return h, translate(s.Reset())
}

// place is where the walk along a stream stands.
type place struct {
	id       int64
	version  events.Version
	position events.Position
}

func (r *reader) lastOf(stream events.StreamName) (*place, error) {
	h, err := r.headOf(stream)
	return &place{id: h.id, version: h.version, position: h.position}, err
}

// forward reads the events of a stream from a version up to the next mark, or to
// the last one. It walks back from there and fills the chunk from its end.
func (r *reader) forward(stream events.StreamName, from events.Version) ([]events.Event, events.Version, error) {
	at, err := r.lastOf(stream)
	if err != nil || at.version < from {
		return nil, at.version, err
	}
	last := at.version
	if last-from >= markEvery {
		if err := r.toMark(at, from); err != nil {
			return nil, last, err
		}
	}
	chunk := make([]events.Event, at.version-from+1)
	for i := len(chunk) - 1; i >= 0; i-- {
		if err := r.walk(stream, at, &chunk[i]); err != nil {
			return nil, last, err
		}
	}
	return chunk, last, nil
}

// toMark moves at to the first mark at or behind a version, where there is one
// before it.
func (r *reader) toMark(at *place, from events.Version) error {
	r.mark.BindInt64(1, at.id)
	r.mark.BindInt64(2, int64(from))
	row, err := r.mark.Step()
	if err != nil {
		return translate(err)
	}
	version := events.Version(r.mark.ColumnInt64(0))
	if !row || version-from >= markEvery || version > at.version {
		return errors.Join(fmt.Errorf("a mark is missing at version %d: %w", from, events.ErrDamaged), translate(r.mark.Reset()))
	}
	at.version, at.position = version, events.Position(r.mark.ColumnInt64(1))
	return translate(r.mark.Reset())
}

// backward reads at most size events from a place on.
func (r *reader) backward(stream events.StreamName, at *place, size int) ([]events.Event, error) {
	chunk := make([]events.Event, min(size, int(at.version)+1))
	bytes := 0
	for i := range chunk {
		if err := r.walk(stream, at, &chunk[i]); err != nil {
			return nil, err
		}
		if bytes += len(chunk[i].Payload); bytes >= chunkBytes {
			return chunk[:i+1], nil
		}
	}
	return chunk, nil
}

// walk reads the event at a place and moves on to the one before it.
func (r *reader) walk(stream events.StreamName, at *place, e *events.Event) error {
	s := r.byPosition
	s.BindInt64(1, int64(at.position))
	row, err := s.Step()
	if err != nil {
		return translate(err)
	}
	var links rowLinks
	if row {
		links, err = r.scan(s, e)
	}
	if err = errors.Join(err, translate(s.Reset())); err != nil {
		return err
	}
	if !row || links.stream != at.id || e.Version != at.version {
		return fmt.Errorf("position %d does not hold %s@%d: %w", at.position, stream, at.version, events.ErrDamaged)
	}
	e.Stream = stream
	at.version, at.position = at.version-1, links.before
	return nil
}

// all reads at most size events behind a position, and whether there may be more.
func (r *reader) all(names *nameCache, after events.Position, size int) (chunk []events.Event, more bool, err error) {
	s := r.after
	s.BindInt64(1, int64(after))
	chunk = make([]events.Event, 0, size)
	for bytes := 0; len(chunk) < size && bytes < chunkBytes; {
		row, err := s.Step()
		if err != nil {
			return nil, false, translate(err)
		}
		if !row {
			return chunk, false, translate(s.Reset())
		}
		chunk = chunk[:len(chunk)+1]
		e := &chunk[len(chunk)-1]
		links, err := r.scan(s, e)
		if err == nil {
			e.Stream, err = r.nameOf(names, links.stream)
		}
		if err != nil {
			return nil, false, errors.Join(err, translate(s.Reset()))
		}
		bytes += len(e.Payload) + len(e.Decided)
	}
	return chunk, true, translate(s.Reset())
}
