package events

import (
	"encoding/json"
	"fmt"
	"strings"
)

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
