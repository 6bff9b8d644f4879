package sqlite

import (
	"fmt"
	"slices"
	"time"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// eventColumns is what scan reads, in its order.
const eventColumns = "position, stream, version, before, revision, chain, hash, previous, time, " +
	"id, type, written_by, node, correlation, cause, decided, payload"

const (
	columnPosition = iota
	columnStream
	columnVersion
	columnBefore
	columnRevision
	columnChain
	columnHash
	columnPrevious
	columnTime
	columnID // the first of the texts that an event keeps
	columnType
	columnBy
	columnNode
	columnCorrelation
	columnCause
	columnDecided
	columnPayload
)

const texts = columnPayload - columnID + 1

// rowLinks is what a row says about its place, beside the event.
type rowLinks struct {
	stream int64 // id of the stream
	before events.Position
}

// keptText bounds the buffer that a reader keeps between rows.
const keptText = 1 << 20

// scan reads the row that s stands on into e, but for the name of its stream. All
// texts of a row become one string that the fields are cut from: one allocation an
// event, where one for each column would cost more than reading the row.
// (performance §1.4)
func (r *reader) scan(s *zombie.Stmt, e *events.Event) (rowLinks, error) {
	links := rowLinks{stream: s.ColumnInt64(columnStream), before: events.Position(s.ColumnInt64(columnBefore))}
	e.Position = events.Position(s.ColumnInt64(columnPosition))
	e.Version = events.Version(s.ColumnInt64(columnVersion))
	e.Revision = int(s.ColumnInt64(columnRevision))
	e.Chain = int(s.ColumnInt64(columnChain))
	if s.ColumnBytes(columnHash, e.Hash[:]) != len(e.Hash) || s.ColumnBytes(columnPrevious, e.Previous[:]) != len(e.Previous) {
		return links, fmt.Errorf("event at position %d: a hash is cut off: %w", e.Position, events.ErrDamaged)
	}
	var err error
	r.text = r.appendColumn(r.text[:0], s, columnTime)
	if e.Time, err = parseStoredTime(r.text); err != nil {
		return links, fmt.Errorf("event at position %d: %w: %w", e.Position, events.ErrDamaged, err)
	}
	var ends [texts]int
	r.text = r.text[:0]
	for i := range ends {
		r.text = r.appendColumn(r.text, s, columnID+i)
		ends[i] = len(r.text)
	}
	all := string(r.text)
	e.ID = events.EventID(all[:ends[0]])
	e.Type = events.Type(all[ends[0]:ends[1]])
	e.By = all[ends[1]:ends[2]]
	e.Node = all[ends[2]:ends[3]]
	e.Correlation = all[ends[3]:ends[4]]
	if e.Cause, err = events.ParseCause(all[ends[4]:ends[5]]); err != nil {
		return links, fmt.Errorf("event at position %d: %w: %w", e.Position, events.ErrDamaged, err)
	}
	e.Decided = events.JSON(all[ends[5]:ends[6]])
	e.Payload = events.JSON(all[ends[6]:])
	if cap(r.text) > keptText {
		r.text = nil
	}
	return links, nil
}

// firstText is the room that a row's texts are first given.
const firstText = 4 << 10

// appendColumn copies a column's bytes behind those of b.
func (r *reader) appendColumn(b []byte, s *zombie.Stmt, column int) []byte {
	if cap(b) == 0 {
		b = make([]byte, 0, firstText)
	}
	free := cap(b) - len(b)
	n := s.ColumnBytes(column, b[len(b):cap(b)])
	if n == free { // perhaps cut off
		length := s.ColumnLen(column)
		b = slices.Grow(b, length+1)
		n = s.ColumnBytes(column, b[len(b):cap(b)])
	}
	return b[:len(b)+n]
}

// parseStoredTime reads the one form that FormatTime writes, several times faster
// than a layout does; whatever else it finds it leaves to ParseTime.
func parseStoredTime(b []byte) (time.Time, error) {
	const form = "0000-00-00T00:00:00.000000000Z"
	if len(b) != len(form) {
		return events.ParseTime(string(b))
	}
	for i, c := range b {
		if f := form[i]; f == '0' && (c < '0' || c > '9') || f != '0' && c != f {
			return events.ParseTime(string(b))
		}
	}
	number := func(from, to int) int {
		n := 0
		for _, c := range b[from:to] {
			n = n*10 + int(c-'0')
		}
		return n
	}
	month, day, hour, minute, second := number(5, 7), number(8, 10), number(11, 13), number(14, 16), number(17, 19)
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return events.ParseTime(string(b)) // rare days, which a month may not have
	}
	return time.Date(number(0, 4), time.Month(month), day, hour, minute, second, number(20, 29), time.UTC), nil
}
