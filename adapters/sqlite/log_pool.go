package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"

	zombie "zombiezen.com/go/sqlite"
)

// pool lends out at most readersMax connections that read. They are opened when
// they are first needed. A connection is never lent while a caller's function
// runs, so that a reader may read again from inside of its loop.
type pool struct {
	path     string
	settings connSettings

	tickets chan struct{} // one for each connection that may be lent
	mu      sync.Mutex
	idle    []*reader
	closed  bool
}

// reader is a connection with the statements that it keeps.
type reader struct {
	conn *zombie.Conn
	text []byte // of the row that is being read

	byPosition, after, head, mark, name, last, begin, end *zombie.Stmt
}

func newPool(path string, busy time.Duration, frozen bool) *pool {
	return &pool{
		path:     path,
		settings: connSettings{Access: forReading, Busy: busy, MappedBytes: mappedBytes, Frozen: frozen},
		tickets:  make(chan struct{}, readersMax),
	}
}

func (p *pool) take(ctx context.Context) (*reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case p.tickets <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	closed := p.closed
	var r *reader
	if n := len(p.idle); n > 0 && !closed {
		r, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if closed {
		<-p.tickets
		return nil, errClosed
	}
	if r != nil {
		return r, nil
	}
	r, err := p.open()
	if err != nil {
		<-p.tickets
		return nil, err
	}
	return r, nil
}

// give takes a connection back; one that the disk failed is closed.
func (p *pool) give(r *reader, err error) {
	defer func() { <-p.tickets }()
	p.mu.Lock()
	keep := !p.closed && !errors.Is(err, errDisk)
	if keep {
		p.idle = append(p.idle, r)
	}
	p.mu.Unlock()
	if !keep {
		r.conn.Close()
	}
}

// close waits for the connections that are lent and closes all.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	var errs []error
	for _, r := range idle {
		errs = append(errs, r.conn.Close())
	}
	for range readersMax {
		p.tickets <- struct{}{}
	}
	for range readersMax {
		<-p.tickets
	}
	return errors.Join(errs...)
}

func (p *pool) open() (*reader, error) {
	conn, err := openConn(p.path, p.settings)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: conn}
	if err := r.prepare(); err != nil {
		conn.Close()
		return nil, err
	}
	return r, nil
}

func (r *reader) prepare() error {
	for _, kept := range []struct {
		into **zombie.Stmt
		sql  string
	}{
		{&r.byPosition, "SELECT " + eventColumns + " FROM events WHERE position = ?"},
		{&r.after, "SELECT " + eventColumns + " FROM events WHERE position > ? ORDER BY position"},
		{&r.head, "SELECT id, version, hash, position FROM streams WHERE name = ?"},
		{&r.mark, "SELECT version, position FROM marks WHERE stream = ? AND version >= ? ORDER BY version LIMIT 1"},
		{&r.name, "SELECT name FROM streams WHERE id = ?"},
		{&r.last, "SELECT max(position) FROM events"},
		{&r.begin, "BEGIN"},
		{&r.end, "COMMIT"},
	} {
		stmt, err := r.conn.Prepare(kept.sql)
		if err != nil {
			return translate(err)
		}
		*kept.into = stmt
	}
	return nil
}

// within runs read inside one transaction, so that it sees one state of the log.
func (r *reader) within(read func() error) error {
	if err := step(r.begin); err != nil {
		return err
	}
	if err := read(); err != nil {
		if !r.conn.AutocommitEnabled() {
			err = errors.Join(err, step(r.end))
		}
		return err
	}
	return step(r.end)
}

// step executes a kept statement that has no rows.
func step(s *zombie.Stmt) error {
	if err := s.Reset(); err != nil {
		return translate(err)
	}
	if _, err := s.Step(); err != nil {
		return translate(err)
	}
	return translate(s.Reset())
}
