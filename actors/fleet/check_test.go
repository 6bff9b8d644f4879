package fleet_test

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/fleet"
)

func TestCheckFindsBrokenStates(t *testing.T) {
	t.Parallel()
	for want, damage := range map[string]func(*fleet.State){
		"out of order":     func(s *fleet.State) { s.Paused = []string{"b", "a"} },
		"are known":        func(s *fleet.State) { s.Running++ },
		"1 runs are known": func(s *fleet.State) { s.Ready.Put("y", "k", 1, ticket(1)) },
	} {
		s := fleet.State{Running: 1}
		s.Members.Put("x", "k", 1, fleet.Member{Running: true})
		if err := fleet.Check(&s); err != nil {
			t.Fatalf("a sound state: %v", err)
		}
		damage(&s)
		if err := fleet.Check(&s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
