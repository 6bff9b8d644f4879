package pool_test

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/events"
)

func TestCheckFindsBrokenStates(t *testing.T) {
	t.Parallel()
	one, two := events.LaneKey{Run: "r", Lane: "1", Attempt: 1}, events.LaneKey{Run: "r", Lane: "2", Attempt: 1}
	for want, damage := range map[string]func(*pool.State){
		"is held by":       func(s *pool.State) { s.Held.Put(two, "b", 2, pool.Grant{Slot: 0, Generation: 1}) },
		"marked free":      func(s *pool.State) { s.Taken[0] = false },
		"and waits":        func(s *pool.State) { s.Line.Put(one, "a", 1, pool.Waiting{}) },
		"was never given":  func(s *pool.State) { s.Generation = 0 },
		"are marked taken": func(s *pool.State) { s.Taken = append(s.Taken, true) },
	} {
		s := pool.State{Generation: 1, Taken: []bool{true}}
		s.Held.Put(one, "a", 1, pool.Grant{Slot: 0, Generation: 1})
		if err := pool.Check(&s); err != nil {
			t.Fatalf("a sound state: %v", err)
		}
		damage(&s)
		if err := pool.Check(&s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
