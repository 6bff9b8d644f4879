// Package decidertest is the language that the tests of deciders are written in:
// given these events, when this command comes, then these events, or a refusal.
//
//	case   one line of a table: a fresh stream, one command, what it decides
//	scene  a stream that goes on: each command's events are folded before the next
//
// Every payload goes through events.Encode and events.Decode before it is folded,
// as it does in a log. Beside what a case states, each checks what holds for all
// deciders: deciding changes no state, a state read back from its JSON form
// decides the same, payloads are pointers, and the fold of the recorded events is
// the live state.
package decidertest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Actor is what is tested.
type Actor[S any] struct {
	Stream events.StreamName
	Fold   func(*S, *events.Event, events.Payload)
	Decide func(*S, events.Given, events.Command) ([]events.Payload, error)
	Check  func(*S) error // what must hold in every state; nil = nothing
}

// Step is a recorded event; a zero At is the time of the one before it.
type Step struct {
	At      time.Time
	Payload events.Payload
}

// Steps records payloads at one time.
func Steps(at time.Time, payloads ...events.Payload) []Step {
	steps := make([]Step, len(payloads))
	for i, p := range payloads {
		steps[i] = Step{At: at, Payload: p}
	}
	return steps
}

// Case is one line of a table.
type Case[S any] struct {
	Name    string
	Given   []Step
	With    events.Given // what comes in with the command: time, boot, luck
	When    events.Command
	Then    []events.Payload
	Refused string // a part of the refusal's reason; "" = it is not refused
	// Twice says that the same command, come again after Then was recorded,
	// decides nothing more.
	Twice bool
}

// Run tries each case as a parallel subtest.
func (a Actor[S]) Run(t *testing.T, cases ...Case[S]) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			scene := a.Begin(t)
			scene.Given(c.Given...)
			if c.Refused != "" {
				scene.Refuses(c.With, c.When, c.Refused)
				return
			}
			scene.Then(c.With, c.When, c.Then...)
			if c.Twice {
				scene.Then(c.With, c.When)
			}
			scene.CheckReplay()
		})
	}
}

// Scene is a stream that goes on.
type Scene[S any] struct {
	State S
	Log   []events.Event // what was recorded, in order

	t     testing.TB
	actor Actor[S]
	quick bool
}

// Begin opens an empty stream.
func (a Actor[S]) Begin(t testing.TB) *Scene[S] { return &Scene[S]{t: t, actor: a} }

// Quick leaves out what costs as much as the state is large: for long sequences,
// which call Reload and CheckReplay now and then instead.
func (s *Scene[S]) Quick() *Scene[S] {
	s.quick = true
	return s
}

// Given records events without deciding.
func (s *Scene[S]) Given(steps ...Step) {
	s.t.Helper()
	for _, step := range steps {
		s.record(step.At, step.Payload)
	}
}

// Decide decides the command against the state, and records nothing.
func (s *Scene[S]) Decide(with events.Given, cmd events.Command) ([]events.Payload, error) {
	s.t.Helper()
	if s.quick {
		return s.actor.Decide(&s.State, with, cmd)
	}
	before := Text(s.t, &s.State)
	decided, err := s.actor.Decide(&s.State, with, cmd)
	if after := Text(s.t, &s.State); after != before {
		s.t.Fatalf("deciding %s changed the state:\nbefore %s\nafter  %s", cmd.Name(), before, after)
	}
	var copied S
	if err := json.Unmarshal([]byte(before), &copied); err != nil {
		s.t.Fatalf("read the state back: %v\n%s", err, before)
	}
	again, errAgain := s.actor.Decide(&copied, with, cmd)
	if got, want := describe(s.t, again, errAgain), describe(s.t, decided, err); got != want {
		s.t.Fatalf("%s decides otherwise after its state was read back:\nlive %s\ncopy %s",
			cmd.Name(), want, got)
	}
	return decided, err
}

// When decides the command, and records and returns its events. A refusal
// records nothing; any other error fails the test.
func (s *Scene[S]) When(with events.Given, cmd events.Command) ([]events.Payload, error) {
	s.t.Helper()
	decided, err := s.Decide(with, cmd)
	if err != nil {
		var refusal *events.Refusal
		if !errors.As(err, &refusal) {
			s.t.Fatalf("%s: %v, which is no refusal", cmd.Name(), err)
		}
		if len(decided) != 0 {
			s.t.Fatalf("%s was refused and decided %s", cmd.Name(), describe(s.t, decided, nil))
		}
		return nil, err
	}
	for _, p := range decided {
		if reflect.ValueOf(p).Kind() != reflect.Pointer {
			s.t.Fatalf("%s decided a %T; payloads are pointers", cmd.Name(), p)
		}
		s.record(with.At, p)
	}
	if s.actor.Check != nil {
		if err := s.actor.Check(&s.State); err != nil {
			s.t.Fatalf("after %s: %v", cmd.Name(), err)
		}
	}
	return decided, nil
}

// Then is When, and the events must be these.
func (s *Scene[S]) Then(with events.Given, cmd events.Command, want ...events.Payload) {
	s.t.Helper()
	decided, err := s.When(with, cmd)
	if got, wanted := describe(s.t, decided, err), describe(s.t, want, nil); got != wanted {
		s.t.Fatalf("%s decided\n%s\nwant\n%s", cmd.Name(), got, wanted)
	}
}

// Refuses is When, and the command must be refused for a reason that holds part.
func (s *Scene[S]) Refuses(with events.Given, cmd events.Command, part string) {
	s.t.Helper()
	decided, err := s.When(with, cmd)
	if err == nil || !strings.Contains(err.Error(), part) {
		s.t.Fatalf("%s decided\n%s\nwant a refusal with %q", cmd.Name(), describe(s.t, decided, err), part)
	}
}

// Reload replaces the state by what is read back from its JSON form.
func (s *Scene[S]) Reload() {
	s.t.Helper()
	text := Text(s.t, &s.State)
	var fresh S
	if err := json.Unmarshal([]byte(text), &fresh); err != nil {
		s.t.Fatalf("read the state back: %v\n%s", err, text)
	}
	s.State = fresh
}

// CheckReplay fails unless folding the recorded events again gives the state.
func (s *Scene[S]) CheckReplay() {
	s.t.Helper()
	var fresh S
	for i := range s.Log {
		e := s.Log[i]
		s.actor.Fold(&fresh, &e, s.decode(&e))
	}
	if got, want := Text(s.t, &fresh), Text(s.t, &s.State); got != want {
		s.t.Fatalf("the fold of all events is not the live state:\nlive %s\nfold %s", want, got)
	}
}

func (s *Scene[S]) record(at time.Time, p events.Payload) {
	s.t.Helper()
	payload, err := events.Encode(p)
	if err != nil {
		s.t.Fatal(err)
	}
	e := events.Event{
		Stream: s.actor.Stream, Version: events.Version(len(s.Log)), Type: p.Type(),
		Revision: events.Revision, Time: at.UTC(), Payload: payload,
	}
	// As a store does: time never goes back within a stream. (hard-parts §3)
	if n := len(s.Log); n > 0 && e.Time.Before(s.Log[n-1].Time) {
		e.Time = s.Log[n-1].Time
	}
	s.Log = append(s.Log, e)
	s.actor.Fold(&s.State, &e, s.decode(&e))
}

func (s *Scene[S]) decode(e *events.Event) events.Payload {
	s.t.Helper()
	p, err := events.Decode(e)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// Text is a value's JSON form.
func Text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func describe(t testing.TB, decided []events.Payload, err error) string {
	t.Helper()
	if err != nil {
		return "refused: " + err.Error()
	}
	if len(decided) == 0 {
		return "nothing"
	}
	lines := make([]string, len(decided))
	for i, p := range decided {
		lines[i] = string(p.Type()) + " " + Text(t, p)
	}
	return strings.Join(lines, "\n")
}
