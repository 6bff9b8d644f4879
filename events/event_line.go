package events

import (
	"encoding/json"
	"fmt"
	"strings"
)

// eventLine is the shape of an event on the command line and in exports.
type eventLine struct {
	ID          EventID    `json:"id"`
	Stream      StreamName `json:"stream"`
	Version     Version    `json:"version"`
	Position    Position   `json:"position"`
	Type        Type       `json:"type"`
	Revision    int        `json:"rev"`
	Time        string     `json:"time"`
	By          string     `json:"by"`
	Node        string     `json:"node"`
	Correlation string     `json:"correlation"`
	Cause       *Cause     `json:"cause"`
	Decided     JSON       `json:"decided"`
	Payload     JSON       `json:"payload"`
	Chain       int        `json:"chain"`
	Hash        Hash       `json:"hash"`
	Previous    Hash       `json:"previous"`
}

// MarshalJSON writes the event line of CLI.md.
func (e *Event) MarshalJSON() ([]byte, error) {
	line := eventLine{
		ID: e.ID, Stream: e.Stream, Version: e.Version, Position: e.Position, Type: e.Type,
		Revision: e.Revision, Time: FormatTime(e.Time), By: e.By, Node: e.Node,
		Correlation: e.Correlation, Decided: e.Decided, Payload: e.Payload, Chain: e.Chain,
		Hash: e.Hash, Previous: e.Previous,
	}
	if e.Cause.Stream != "" {
		line.Cause = &e.Cause
	}
	return json.Marshal(line)
}

// UnmarshalJSON reads the event line of CLI.md.
func (e *Event) UnmarshalJSON(b []byte) error {
	var line eventLine
	if err := json.Unmarshal(b, &line); err != nil {
		return fmt.Errorf("read event line: %w", err)
	}
	at, err := ParseTime(line.Time)
	if err != nil {
		return err
	}
	*e = Event{
		ID: line.ID, Stream: line.Stream, Version: line.Version, Position: line.Position,
		Type: line.Type, Revision: line.Revision, Time: at, By: line.By, Node: line.Node,
		Correlation: line.Correlation, Decided: line.Decided, Payload: line.Payload,
		Chain: line.Chain, Hash: line.Hash, Previous: line.Previous,
	}
	if line.Cause != nil {
		e.Cause = *line.Cause
	}
	return nil
}

// AppendLine appends the event line of CLI.md in which decided and payload stand
// byte for byte as they are stored, so that a reader can hash them. (MarshalJSON
// goes through encoding/json, which may escape and compact them anew; the two
// agree in value.) A text with a raw line end, which only a foreign writer
// stores, cannot stand on one line and is an error.
func (e *Event) AppendLine(b []byte) ([]byte, error) {
	if strings.ContainsAny(string(e.Decided)+string(e.Payload), "\r\n") {
		return b, fmt.Errorf("print %s: its stored text holds a line end", e.Ref())
	}
	bare := *e
	bare.Decided, bare.Payload = "", ""
	line, err := json.Marshal(&bare)
	if err != nil {
		return b, fmt.Errorf("print %s: %w", e.Ref(), err)
	}
	const empty = `"decided":null,"payload":null`
	// Quotes inside strings are escaped, so the members can be found as text.
	before, after, found := strings.Cut(string(line), empty)
	if !found {
		return b, fmt.Errorf("print %s: the line has no place for its payload", e.Ref())
	}
	b = append(b, before...)
	b = append(b, `"decided":`...)
	b = append(b, orNull(e.Decided)...)
	b = append(b, `,"payload":`...)
	b = append(b, orNull(e.Payload)...)
	return append(b, after...), nil
}

func orNull(j JSON) JSON {
	if j == "" {
		return "null"
	}
	return j
}
