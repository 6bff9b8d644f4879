package account_test

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/events"
)

func TestCheckFindsBrokenStates(t *testing.T) {
	t.Parallel()
	a, b := ask(1, "a", 10), ask(2, "a", 10)
	held := events.LaneKey{Run: a.Run, Lane: a.Lane, Attempt: a.Attempt}
	for want, damage := range map[string]func(*account.State){
		"waits or has ended":   func(s *account.State) { s.Looks.Put(held, "k", 9, "gpt") },
		"tokens are held":      func(s *account.State) { s.OpenTokens++ },
		"pool gpt holds":       func(s *account.State) { s.Pools[0].Open++ },
		"are looked at again":  func(s *account.State) { s.Looks.Put(events.LaneKey{Run: "z"}, "k", 9, "gpt") },
		"on its book":          func(s *account.State) { book, _ := s.Runs.Get(a.Run); book.Value.Lanes++ },
		"holds no reservation": func(s *account.State) { s.Breaker.Phase = account.PhaseProbing },
	} {
		scene := actor(account.DefaultRules()).Begin(t)
		scene.Given(decidertest.Steps(t0, limits(10, 0), reserved(a), waits(b, day, "x"))...)
		if err := account.Check(&scene.State); err != nil {
			t.Fatalf("a sound state: %v", err)
		}
		damage(&scene.State)
		if err := account.Check(&scene.State); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
