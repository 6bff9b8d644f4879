package sqlite

import (
	"errors"
	"fmt"
	"slices"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// eventColumns is what scan reads and insert writes, in this order.
const eventColumns = "position, envelope, link, decided, payload"

const (
	columnPosition = iota
	columnEnvelope
	columnLink
	columnDecided
	columnPayload
)

const linkBytes = 2 * len(events.Hash{})

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
func (r *reader) scan(s *zombie.Stmt, e *events.Event) (links rowLinks, err error) {
	e.Position = events.Position(s.ColumnInt64(columnPosition))
	r.text = r.appendColumn(r.text[:0], s, columnEnvelope)
	envelope := len(r.text)
	var link [linkBytes]byte
	whole := s.ColumnBytes(columnLink, link[:]) == linkBytes
	copy(e.Hash[:], link[:])
	copy(e.Previous[:], link[len(e.Hash):])
	r.text = r.appendColumn(r.text, s, columnDecided)
	decided := len(r.text)
	r.text = r.appendColumn(r.text, s, columnPayload)
	all := string(r.text)
	e.Decided, e.Payload = events.JSON(all[envelope:decided]), events.JSON(all[decided:])
	if links, err = cutEnvelope(e, all[:envelope]); err == nil && !whole {
		err = errors.New("its link is cut off")
	}
	if cap(r.text) > keptText {
		r.text = nil
	}
	if err != nil {
		return links, fmt.Errorf("event at position %d: %w: %w", e.Position, events.ErrDamaged, err)
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
