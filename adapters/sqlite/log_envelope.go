package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/events"
)

// The envelope of a row is a JSON array of
//
//	[stream, version, before, revision, chain,
//	 "time", "id", "type", "written_by", "node", "correlation", "cause"]
//
// in one column, because a row costs by its columns when a log is replayed, and
// in JSON, so that SQL takes it apart: the view "log" does.

const (
	envelopeNumbers = 5
	envelopeTexts   = 7
	// envelopeTextMax bounds one text of an envelope, in bytes.
	envelopeTextMax = 4095
)

// joinEnvelope appends the envelope of a row.
func joinEnvelope(b []byte, e *events.Event, links rowLinks) []byte {
	sign := byte('[')
	for _, n := range [envelopeNumbers]int64{links.stream, int64(e.Version), int64(links.before), int64(e.Revision), int64(e.Chain)} {
		b = strconv.AppendInt(append(b, sign), n, 10)
		sign = ','
	}
	for _, text := range envelopeTextsOf(e) {
		b = appendText(append(b, ','), text)
	}
	return append(b, ']')
}

func envelopeTextsOf(e *events.Event) [envelopeTexts]string {
	return [envelopeTexts]string{
		events.FormatTime(e.Time), string(e.ID), string(e.Type), e.By, e.Node, e.Correlation, e.Cause.Text(),
	}
}

// appendText appends a JSON string.
func appendText(b []byte, text string) []byte {
	if plain(text) {
		return append(append(append(b, '"'), text...), '"')
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("sqlite: a string that is no JSON: " + err.Error()) // json.Marshal takes every string
	}
	return append(b, quoted...)
}

// plain reports whether a text stands in JSON as it is.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// cutEnvelope reads what joinEnvelope wrote. The texts share the envelope's
// memory, but for those that hold escapes.
func cutEnvelope(e *events.Event, s string) (links rowLinks, err error) {
	if strings.IndexByte(s, '\\') >= 0 {
		return cutEscaped(e, s)
	}
	var numbers [envelopeNumbers]int64
	at := 0
	for i := range numbers {
		if at++; at > len(s) {
			return links, errEnvelope
		}
		n, start := int64(0), at
		for at < len(s) && s[at] >= '0' && s[at] <= '9' && at-start < 18 {
			n = n*10 + int64(s[at]-'0')
			at++
		}
		if at == start {
			return links, errEnvelope
		}
		numbers[i] = n
	}
	var texts [envelopeTexts]string
	for i := range texts {
		if !strings.HasPrefix(s[at:], `,"`) {
			return links, errEnvelope
		}
		at += 2
		n := strings.IndexByte(s[at:], '"')
		if n < 0 {
			return links, errEnvelope
		}
		texts[i] = s[at : at+n]
		at += n + 1
	}
	if s[at:] != "]" || s[0] != '[' {
		return links, errEnvelope
	}
	return fillEnvelope(e, &numbers, &texts)
}

var errEnvelope = errors.New("its envelope is not one")

// cutEscaped reads an envelope that holds escapes: no text of ours does.
func cutEscaped(e *events.Event, s string) (links rowLinks, err error) {
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(s), &raw); err != nil || len(raw) != envelopeNumbers+envelopeTexts {
		return links, errEnvelope
	}
	var numbers [envelopeNumbers]int64
	var texts [envelopeTexts]string
	for i := range raw {
		if i < envelopeNumbers {
			err = json.Unmarshal(raw[i], &numbers[i])
		} else {
			err = json.Unmarshal(raw[i], &texts[i-envelopeNumbers]) //nolint:gosec // there are as many raw as both
		}
		if err != nil {
			return links, errEnvelope
		}
	}
	return fillEnvelope(e, &numbers, &texts)
}

func fillEnvelope(e *events.Event, n *[envelopeNumbers]int64, t *[envelopeTexts]string) (links rowLinks, err error) {
	links = rowLinks{stream: n[0], before: events.Position(n[2])}
	e.Version, e.Revision, e.Chain = events.Version(n[1]), int(n[3]), int(n[4])
	e.ID, e.Type, e.By, e.Node, e.Correlation = events.EventID(t[1]), events.Type(t[2]), t[3], t[4], t[5]
	if e.Time, err = parseStoredTime(t[0]); err != nil {
		return links, err
	}
	e.Cause, err = events.ParseCause(t[6])
	return links, err
}

// checkEnvelopes refuses an append whose short texts are not short, or would not
// come back as they are.
func checkEnvelopes(a *events.Append) error {
	for i := range a.Events {
		for _, text := range envelopeTextsOf(&a.Events[i]) {
			switch {
			case len(text) > envelopeTextMax:
				return fmt.Errorf("append %s: %d bytes in one text of its envelope: %w", a.Events[i].Ref(), len(text), events.ErrTooLarge)
			case !utf8.ValidString(text):
				return fmt.Errorf("append %s: a text of its envelope is not UTF-8", a.Events[i].Ref())
			}
		}
	}
	return nil
}

// parseStoredTime reads the one form that FormatTime writes, several times faster
// than a layout does; whatever else it finds it leaves to ParseTime.
func parseStoredTime(s string) (time.Time, error) {
	const form = "0000-00-00T00:00:00.000000000Z"
	if len(s) != len(form) {
		return events.ParseTime(s)
	}
	for i := range len(form) {
		if c, f := s[i], form[i]; f == '0' && (c < '0' || c > '9') || f != '0' && c != f {
			return events.ParseTime(s)
		}
	}
	number := func(from, to int) int {
		n := 0
		for i := from; i < to; i++ {
			n = n*10 + int(s[i]-'0')
		}
		return n
	}
	month, day, hour, minute, second := number(5, 7), number(8, 10), number(11, 13), number(14, 16), number(17, 19)
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return events.ParseTime(s) // rare days, which a month may not have
	}
	return time.Date(number(0, 4), time.Month(month), day, hour, minute, second, number(20, 29), time.UTC), nil
}
