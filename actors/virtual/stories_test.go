package virtual_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
)

var record = flag.Bool("record", false, "write testdata/streams anew (before the first release only)")

const streams = "../../testdata/streams"

// turns are events that a story is told for: each must be in its history.
var turns = map[string][]events.Type{
	"two-lanes":       {"lane.completed", "findings.numbered", "verdict.published", "head.settled"},
	"push-during-run": {"head.superseded", "lane.stop_requested", "lane.stopped", "verdict.published"},
	"killed-between-adopted-and-published": {
		"verdict.adopted", "publication.unknown", "publication.resumed", "verdict.published",
	},
	"lost-engine": {"lane.failed", "lane.expired", "lane.completed", "verdict.published"},
	"dismissed-pushed-reopened": {
		"finding.dismissed", "finding.reopened", "trigger.noted", "findings.numbered", "verdict.adopted",
	},
	"draft-ready-pushed-reverted": {
		"head.skipped", "head.queued", "verdict.published", "label.wanted", "label.synced", "head.superseded", "head.closed",
	},
	"cancel-in-line": {"command.received", "head.cancelled", "lane.withdrawn", "lane.released", "command.settled"},
}

// TestStoriesReplay holds each recorded history against today's code: its chain
// verifies, every stream folds, and every decision comes out the same.
func TestStoriesReplay(t *testing.T) {
	t.Parallel()
	for name, scenario := range virtual.Stories() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *record {
				write(t, name, virtual.Run(scenario, 1))
			}
			history := read(t, name)
			heads, folds := map[events.StreamName]events.Hash{}, map[events.StreamName]any{}
			var types []events.Type
			for _, e := range history {
				if err := events.Verify(heads[e.Stream], e); err != nil {
					t.Fatal(err)
				}
				heads[e.Stream] = e.Hash
				types = append(types, e.Type)
				kind, err := actors.KindOf(e.Stream)
				if err != nil {
					t.Fatal(err)
				}
				if folds[e.Stream] == nil {
					folds[e.Stream] = kind.New()
				}
				p, err := events.Decode(e)
				if err != nil {
					t.Fatal(err)
				}
				kind.Fold(folds[e.Stream], e, p)
				if kind.Check != nil {
					if err := kind.Check(folds[e.Stream]); err != nil {
						t.Errorf("%s: %v", e.Ref(), err)
					}
				}
			}
			for _, turn := range turns[name] {
				if !slices.Contains(types, turn) {
					t.Errorf("there is no %s", turn)
				}
			}
			found, counts, err := actors.Recompute(history)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range found {
				t.Errorf("%s %s: %s\nrecorded   %s\nrecomputed %s", m.Event, m.Command, m.Why, m.Recorded, m.Recomputed)
			}
			if counts.Events != len(history) || counts.OtherRules > 0 {
				t.Errorf("%+v of %d events", counts, len(history))
			}
		})
	}
}

func write(t *testing.T, name string, result virtual.Result) {
	t.Helper()
	for _, v := range result.Violations {
		t.Fatalf("%s: %s", v.At, v.What)
	}
	var b []byte
	err := result.Log.ReadAll(t.Context(), 0, func(e *events.Event) bool {
		line, err := e.AppendLine(b)
		if err != nil {
			t.Fatal(err)
		}
		b = append(line, '\n')
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(streams, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(streams, name+".jsonl"), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []*events.Event {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(streams, name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var history []*events.Event
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		e := new(events.Event)
		if err := json.Unmarshal(lines.Bytes(), e); err != nil {
			t.Fatal(err)
		}
		history = append(history, e)
	}
	return history
}
