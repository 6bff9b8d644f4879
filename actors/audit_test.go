package actors_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
)

// history returns the whole log of a world.
func history(t *testing.T, log *virtual.Log) []*events.Event {
	t.Helper()
	var all []*events.Event
	err := log.ReadAll(t.Context(), 0, func(e *events.Event) bool {
		all = append(all, e)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAuditRecomputesEveryDecisionOfStorms(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		result := virtual.Run(virtual.Storm(seed), seed)
		recompute(t, seed, result)
	}
}

// written asks one command of a fresh stream and returns what is to be stored.
func written(t *testing.T, stream events.StreamName, rules *shell.Rules, cmd events.Command) []*events.Event {
	t.Helper()
	kind, err := actors.KindOf(stream)
	if err != nil {
		t.Fatal(err)
	}
	m := shell.NewMachine(kind, stream)
	m.Step(shell.Ask{Command: cmd, Rules: rules, By: actors.ByNode, Given: events.Given{
		At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Boot: "boot-1", Draw: "00112233445566778899aabbccddeeff",
	}})
	var all []*events.Event
	for _, out := range m.Step(shell.Loaded{}) {
		if w, ok := out.(shell.Write); ok {
			for i := range w.Append.Events {
				all = append(all, &w.Append.Events[i])
			}
		}
	}
	return all
}

// TestAuditTakesTextThatIsNoUTF8: JSON escapes bad bytes, and what is read back is
// written otherwise; the decision must be made of what is on record.
func TestAuditTakesTextThatIsNoUTF8(t *testing.T) {
	t.Parallel()
	rules, err := actors.DefaultRules().Seal()
	if err != nil {
		t.Fatal(err)
	}
	text, err := actors.DefaultRules().Text()
	if err != nil {
		t.Fatal(err)
	}
	history := written(t, events.PolicyStream(rules.Digest), rules,
		actors.RecordPolicy{PolicyRecorded: events.PolicyRecorded{Rules: text}})
	history = append(history, written(t, events.PRStream("github.com", "1", 1), rules, pr.Observe{
		Host: "github.com", RepoID: "1", Repo: "acme/api", Number: 1, Title: "caf\xe9 \\ufffd", Author: "bob",
		Head: "1111111111111111111111111111111111111111", Owner: events.OwnerAny,
	})...)
	if len(history) != 4 {
		t.Fatalf("%d events", len(history))
	}
	found, _, err := actors.Recompute(history)
	if err != nil || len(found) > 0 {
		t.Fatalf("%v %+v", err, found)
	}
}

// TestAuditNamesWhatIsWrong forges the record of one decision, one thing a time.
func TestAuditNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	log := history(t, virtual.Run(virtual.Quiet(), 3).Log)
	at := func(of events.Type) int {
		for i, e := range log {
			if e.Type == of {
				return i
			}
		}
		t.Fatalf("no %s", of)
		return 0
	}
	for _, c := range []struct {
		name string
		of   events.Type
		do   func(*events.Event)
	}{
		{"id", "run.started", func(e *events.Event) { e.ID = "00000000-0000-8000-8000-000000000000" }},
		{"node", "run.started", func(e *events.Event) { e.Node = "boot-9" }},
		{"time", "run.started", func(e *events.Event) { e.Time = e.Time.Add(1) }},
		{"by", "run.started", func(e *events.Event) { e.By = "operator:eve" }},
		{"correlation", "lane.granted", func(e *events.Event) { e.Correlation = "0000000000000000" }},
		{"cause", "run.started", func(e *events.Event) { e.Cause.Version++ }},
		{"cause of a later event", "workspace.requested", func(e *events.Event) { e.Cause = events.Cause{} }},
		{"row", "run.started", func(e *events.Event) { e.Cause.Row = "refuse" }},
		{"no decision", "run.started", func(e *events.Event) { e.Decided = "" }},
		{"no JSON", "run.started", func(e *events.Event) { e.Decided = "{" }},
		{"no rules", "run.started", func(e *events.Event) {
			e.Decided = events.JSON(`{"command":"run.start","at":"2000-01-01T00:00:00Z","rules":"00","draws":{"boot":"b","draw":"00112233445566778899aabbccddeeff"},"count":2}`)
		}},
		{"a decision on a plain event", "policy.recorded", func(e *events.Event) { e.Decided = `{"command":"policy.record"}` }},
		{"rules of another digest", "policy.recorded", func(e *events.Event) { e.Payload = `{"rules":{}}` }},
		{"type", "run.started", func(e *events.Event) { e.Type = "run.ended" }},
		{"a version is missing", "workspace.requested", func(e *events.Event) { e.Version++ }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			forged := append([]*events.Event(nil), log...)
			i := at(c.of)
			e := *forged[i]
			c.do(&e)
			forged[i] = &e
			found, _, err := actors.Recompute(forged)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range found {
				if m.Event == e.Ref() {
					return
				}
			}
			t.Fatalf("nobody noticed: %+v", found)
		})
	}
}
