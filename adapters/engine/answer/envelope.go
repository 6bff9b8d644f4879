package answer

import (
	"encoding/json"
	"strings"
)

// envelope is what command lines of models print around an answer: one object, a
// list of events, or an event a line, the last of type "result". (case E19)
//
// An exec engine prints the answer itself, so that an envelope of a good one is
// broken like any other object without findings. But the error in one is told:
// the engine would be asked in vain again. (case E09)
type envelope struct {
	Type      string          `json:"type"`
	IsError   bool            `json:"is_error"`
	Result    json.RawMessage `json:"result"`
	APIStatus int             `json:"api_error_status"`
}

// envelopeError returns the error of an envelope that says it is one. It never
// looks at what a valid review says: a review may well be about rate limits.
func envelopeError(text string) *EngineError {
	e, ok := lastResult(text)
	if !ok || !e.IsError {
		return nil
	}
	var message string
	if json.Unmarshal(e.Result, &message) != nil || strings.TrimSpace(message) == "" {
		message = "the engine reported an error"
	}
	low := strings.ToLower(message)
	limit := e.APIStatus == 429 || strings.Contains(low, "hit your") && strings.Contains(low, "limit") ||
		strings.Contains(low, "usage limit")
	return &EngineError{Message: strings.TrimSpace(message), Limit: limit}
}

// lastResult finds the envelope in the three forms that it has.
func lastResult(text string) (envelope, bool) {
	var one envelope
	if json.Unmarshal([]byte(text), &one) == nil {
		return one, true
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		for line := range strings.Lines(text) {
			list = append(list, json.RawMessage(line))
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		var event envelope
		if json.Unmarshal(list[i], &event) == nil && event.Type == "result" {
			return event, true
		}
	}
	return envelope{}, false
}
