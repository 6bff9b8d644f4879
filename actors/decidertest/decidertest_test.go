package decidertest_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/events"
)

// pauses is a toy: it knows how many scopes are paused.
type pauses struct {
	N      int `json:"n"`
	Hidden int `json:"-"`
}

type pause struct{ scope string }

func (pause) Name() string { return "fleet.pause" }

func fold(s *pauses, _ *events.Event, p events.Payload) {
	if _, ok := p.(*events.FleetPaused); ok {
		s.N++
		s.Hidden++
	}
}

type decide = func(*pauses, events.Given, events.Command) ([]events.Payload, error)

func once(s *pauses, _ events.Given, cmd events.Command) ([]events.Payload, error) {
	switch {
	case cmd.(pause).scope == "":
		return nil, &events.Refusal{Reason: "no scope"}
	case s.N > 0:
		return nil, nil
	default:
		return []events.Payload{&events.FleetPaused{Scope: cmd.(pause).scope}}, nil
	}
}

func actor(d decide) decidertest.Actor[pauses] {
	return decidertest.Actor[pauses]{Stream: events.FleetStream, Fold: fold, Decide: d, Check: func(s *pauses) error {
		if s.N > 1 {
			return errors.New("paused twice")
		}
		return nil
	}}
}

var given = events.Given{At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}

func TestCases(t *testing.T) {
	t.Parallel()
	paused := &events.FleetPaused{Scope: "a"}
	actor(once).Run(t,
		decidertest.Case[pauses]{Name: "first", With: given, When: pause{"a"}, Then: []events.Payload{paused}, Twice: true},
		decidertest.Case[pauses]{Name: "again", Given: decidertest.Steps(given.At, paused), With: given, When: pause{"a"}},
		decidertest.Case[pauses]{Name: "refused", With: given, When: pause{}, Refused: "scope"},
	)
}

// fake records the failure that a scene reports.
type fake struct {
	testing.TB
	failure string
}

func (f *fake) Helper() {}
func (f *fake) Fatal(args ...any) {
	f.failure = fmt.Sprint(args...)
	runtime.Goexit()
}
func (f *fake) Fatalf(format string, args ...any) {
	f.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestScenesFail(t *testing.T) {
	t.Parallel()
	for want, try := range map[string]struct {
		decide decide
		act    func(*decidertest.Scene[pauses])
	}{
		"changed the state": {decide: func(s *pauses, _ events.Given, _ events.Command) ([]events.Payload, error) {
			s.N++
			return nil, nil
		}},
		"decides otherwise": {decide: func(s *pauses, _ events.Given, _ events.Command) ([]events.Payload, error) {
			return []events.Payload{&events.FleetPaused{Scope: fmt.Sprint(s.Hidden)}}, nil
		}},
		"payloads are pointers": {decide: func(*pauses, events.Given, events.Command) ([]events.Payload, error) {
			return []events.Payload{events.FleetPaused{}}, nil
		}},
		"which is no refusal": {decide: func(*pauses, events.Given, events.Command) ([]events.Payload, error) {
			return nil, errors.New("broken")
		}},
		"was refused and decided": {decide: func(*pauses, events.Given, events.Command) ([]events.Payload, error) {
			return []events.Payload{&events.FleetPaused{}}, &events.Refusal{Reason: "no"}
		}},
		"paused twice": {decide: func(*pauses, events.Given, events.Command) ([]events.Payload, error) {
			return []events.Payload{&events.FleetPaused{}}, nil
		}},
		"want\nnothing": {decide: once, act: func(s *decidertest.Scene[pauses]) {
			s.State = pauses{}
			s.Then(given, pause{"a"})
		}},
		"want a refusal": {decide: once, act: func(s *decidertest.Scene[pauses]) { s.Refuses(given, pause{"a"}, "x") }},
		"is not the live state": {decide: once, act: func(s *decidertest.Scene[pauses]) {
			s.State.N = 7
			s.CheckReplay()
		}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			f := &fake{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				scene := actor(try.decide).Begin(f)
				scene.Given(decidertest.Steps(given.At, &events.FleetPaused{})...)
				if try.act != nil {
					try.act(scene)
					return
				}
				_, _ = scene.When(given, pause{"b"})
			}()
			<-done
			if !strings.Contains(f.failure, want) {
				t.Errorf("the scene failed with %q, want %q", f.failure, want)
			}
		})
	}
}
