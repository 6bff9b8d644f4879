package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"time"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// eventColumns is what scan reads and insert writes, in this order.
const eventColumns = "position, stream, version, before, revision, chain, cuts, link, words, decided, payload"

const (
	columnPosition = iota
	columnStream
	columnVersion
	columnBefore
	columnRevision
	columnChain
	columnCuts
	columnLink
	columnWords
	columnDecided
	columnPayload
)

// How the short texts lie in words: time, then the five that cuts gives the
// lengths of, then cause.
const (
	timeBytes = len("2006-01-02T15:04:05.000000000Z")
	cutBits   = 12
	cutMax    = 1<<cutBits - 1
	linkBytes = 2 * len(events.Hash{})
)

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
	var link [linkBytes]byte
	whole := s.ColumnBytes(columnLink, link[:]) == linkBytes
	copy(e.Hash[:], link[:])
	copy(e.Previous[:], link[len(e.Hash):])
	r.text = r.appendColumn(r.text[:0], s, columnWords)
	words := len(r.text)
	r.text = r.appendColumn(r.text, s, columnDecided)
	decided := len(r.text)
	r.text = r.appendColumn(r.text, s, columnPayload)
	var err error
	if whole && words >= timeBytes {
		e.Time, err = parseStoredTime(r.text[:timeBytes])
		all := string(r.text)
		e.Decided, e.Payload = events.JSON(all[words:decided]), events.JSON(all[decided:])
		if err == nil {
			err = cutWords(e, all[timeBytes:words], uint64(s.ColumnInt64(columnCuts)))
		}
	} else {
		err = errors.New("it is cut off")
	}
	if cap(r.text) > keptText {
		r.text = nil
	}
	if err != nil {
		return links, fmt.Errorf("event at position %d: %w: %w", e.Position, events.ErrDamaged, err)
	}
	return links, nil
}

// cutWords gives an event its short texts.
func cutWords(e *events.Event, words string, cuts uint64) (err error) {
	var parts [5]string
	for i := range parts {
		n := int(cuts & cutMax)
		if n > len(words) {
			return errors.New("its cuts are not those of its words")
		}
		parts[i], words = words[:n], words[n:]
		cuts >>= cutBits
	}
	e.ID, e.Type, e.By, e.Node, e.Correlation = events.EventID(parts[0]), events.Type(parts[1]), parts[2], parts[3], parts[4]
	e.Cause, err = events.ParseCause(words)
	return err
}

// joinWords is what cutWords takes apart.
func joinWords(b []byte, e *events.Event) (words []byte, cuts int64) {
	b = append(b, events.FormatTime(e.Time)...)
	for i, part := range shortTexts(e) {
		b = append(b, part...)
		cuts |= int64(len(part)) << (i * cutBits)
	}
	return append(b, e.Cause.Text()...), cuts
}

func shortTexts(e *events.Event) [5]string {
	return [5]string{string(e.ID), string(e.Type), e.By, e.Node, e.Correlation}
}

// checkEnvelopes refuses an append whose short texts are not short.
func checkEnvelopes(a *events.Append) error {
	for i := range a.Events {
		for _, part := range shortTexts(&a.Events[i]) {
			if len(part) > cutMax {
				return fmt.Errorf("append %s: %d bytes in one text of its envelope: %w", a.Events[i].Ref(), len(part), events.ErrTooLarge)
			}
		}
	}
	return nil
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
