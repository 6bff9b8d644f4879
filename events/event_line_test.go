package events

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestLineKeepsTheStoredBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, decided, payload string }{
		{"absent", "", ""},
		{"escapes and spaces", `{ "a" : "<&>  " }`, `{"b": [1.0, 1e3, "\u003c\/"]}`},
		{"its own frame inside", `{"x":"\"decided\":null,\"payload\":null"}`, `{"decided":null,"payload":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := Event{
				ID: "e", Stream: `run-"decided":null`, Type: "head.queued", Revision: 1, Time: time.Unix(1, 5).UTC(), By: `"decided":null,"payload":null`,
				Cause: Cause{Stream: "pr-a", Version: 3, Row: "r"}, Decided: JSON(c.decided), Payload: JSON(c.payload), Chain: 1,
			}
			line, err := e.AppendLine([]byte("> "))
			if err != nil {
				t.Fatal(err)
			}
			if c.payload != "" && !strings.Contains(string(line), `"decided":`+c.decided+`,"payload":`+c.payload+`,"chain":1`) {
				t.Errorf("the stored bytes are not in %s", line)
			}
			var back Event
			if err := json.Unmarshal(line[2:], &back); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, e) {
				t.Errorf("read back:\n%+v\n%+v", back, e)
			}
		})
	}
	e := Event{Payload: "{\n}"}
	if _, err := e.AppendLine(nil); err == nil {
		t.Error("a line end was let through")
	}
}
