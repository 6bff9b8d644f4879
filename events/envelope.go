package events

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// Type is the stored name of an event, for example "head.queued".
type Type string

// Version is an event's place in its stream; the first is 0.
type Version int64

// NoneYet is the version of a stream that has no events.
const NoneYet Version = -1

// Position is an event's place in one store's log: ordered, otherwise opaque,
// different in every store, never hashed and never part of an event.
type Position uint64

// JSON is a JSON text exactly as it is stored and hashed. It is a string, so
// that a record read from a log can be cut into fields without copying.
type JSON string

// MarshalJSON returns the text as it is.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return []byte(j), nil
}

// UnmarshalJSON keeps the text as it is; null is the empty text.
func (j *JSON) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*j = ""
		return nil
	}
	*j = JSON(b)
	return nil
}

// Ref cites an event as stream@version.
type Ref struct {
	Stream  StreamName
	Version Version
}

// String returns "stream@version", or "" for the zero Ref.
func (r Ref) String() string {
	if r.Stream == "" {
		return ""
	}
	return string(r.Stream) + "@" + strconv.FormatInt(int64(r.Version), 10)
}

// MarshalText writes the citation.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a citation.
func (r *Ref) UnmarshalText(b []byte) error {
	parsed, err := ParseRef(string(b))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}

// ParseRef reads "stream@version"; "" is the zero Ref.
func ParseRef(s string) (Ref, error) {
	if s == "" {
		return Ref{}, nil
	}
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != '@' {
			continue
		}
		digits := s[i+1:]
		v, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || v < 0 || i == 0 || digits[0] < '0' || (digits[0] == '0' && len(digits) > 1) {
			break // one number has one text: the text is hashed
		}
		return Ref{Stream: StreamName(s[:i]), Version: Version(v)}, nil
	}
	return Ref{}, fmt.Errorf("parse citation %q: want stream@version", s)
}

// Cause is the recorded event that a command came from, and the row of the
// route table that turned it into the command. The zero Cause means that the
// command came from outside the log.
type Cause struct {
	Stream  StreamName `json:"stream"`
	Version Version    `json:"version"`
	Row     string     `json:"row"`
}

// Text is the form that is hashed and stored: "stream@version#row", or "".
func (c Cause) Text() string {
	if c.Stream == "" {
		return ""
	}
	return string(c.Stream) + "@" + strconv.FormatInt(int64(c.Version), 10) + "#" + c.Row
}

// ParseCause reads what Text wrote, sharing its memory.
func ParseCause(s string) (Cause, error) {
	if s == "" {
		return Cause{}, nil
	}
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != '#' {
			continue
		}
		ref, err := ParseRef(s[:i])
		if err != nil || ref.Stream == "" {
			break
		}
		return Cause{Stream: ref.Stream, Version: ref.Version, Row: s[i+1:]}, nil
	}
	return Cause{}, fmt.Errorf("parse cause %q: want stream@version#row", s)
}

// Hash is a SHA-256 sum.
type Hash [32]byte

// String returns 64 hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText writes 64 hex digits.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads 64 hex digits.
func (h *Hash) UnmarshalText(b []byte) error {
	if len(b) != 64 {
		return fmt.Errorf("parse hash: want 64 hex digits, got %d characters", len(b))
	}
	if _, err := hex.Decode(h[:], b); err != nil {
		return fmt.Errorf("parse hash: %w", err)
	}
	return nil
}

// Event is a stored fact: the envelope and the payload's bytes. Everything but
// Position is hashed (Hash and Previous are the chain itself).
type Event struct {
	ID          EventID
	Stream      StreamName
	Version     Version
	Position    Position
	Type        Type
	Revision    int       // of the payload's shape; the first is 1
	Time        time.Time // UTC; never earlier than the event before it in its stream
	By          string    // "operator:NAME", or "reviewctl"
	Node        string    // the boot that wrote it
	Correlation string    // the run it is about; before there is one, the head or the message
	Cause       Cause
	Decided     JSON // a Decided, or "" for inbox, policy and seal events
	Payload     JSON
	Chain       int // number of the recipe that Hash was made by
	Hash        Hash
	Previous    Hash
}

// Ref cites the event.
func (e *Event) Ref() Ref { return Ref{Stream: e.Stream, Version: e.Version} }

// timeLayout is RFC 3339 in UTC with nine digits, the hashed form of a time.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// FormatTime writes the hashed form of a time.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// ParseTime reads the hashed form of a time.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(timeLayout, s)
	// time.Parse also takes "," for "." and an hour of one digit; one time has one
	// text, for the text is hashed.
	if err != nil || len(s) != len(timeLayout) || s[19] != '.' {
		return time.Time{}, fmt.Errorf("parse time %q: want RFC 3339 in UTC with nine digits", s)
	}
	return t, nil
}

// Decided says how an event came to be, so that an audit can decide again. The
// first event of a decision carries it whole; the others carry With alone.
type Decided struct {
	// Command is the command's stored name, for example "run.begin_lane".
	Command string `json:"command,omitempty"`
	// Fields are the command's fields, where its cause does not give them.
	Fields JSON `json:"fields,omitempty"`
	// At is the time that the command came in with.
	At time.Time `json:"at,omitzero"`
	// Rules is the digest of the Rules value that decided.
	Rules Digest `json:"rules,omitempty"`
	// Draws are the ids and random numbers that came in with the command.
	Draws *Draws `json:"draws,omitempty"`
	// Count is the number of events of this decision.
	Count int `json:"count,omitempty"`
	// With is the version of the decision's first event, on all its later ones.
	With *Version `json:"with,omitempty"`
}

// Draws are what a decision used that is neither state, rules, time nor command.
type Draws struct {
	Boot BootID `json:"boot"`
	Draw Draw   `json:"draw"`
}

// Given is what comes in with a command: who asks, when, and with which luck.
type Given struct {
	At   time.Time
	Boot BootID
	Draw Draw
}

// Command asks an actor for something. Commands are plain structs of the actor's
// package; their JSON form is what Decided and an inbox message hold.
type Command interface {
	// Name is the stored name, for example "run.begin_lane": the category, a dot,
	// and a verb. It is as permanent as an event's.
	Name() string
}

// Refusal is a decider's "no", with a reason in words for whoever asked. It
// leaves no trace in the log.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }
