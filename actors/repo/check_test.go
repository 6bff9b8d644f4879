package repo_test

import (
	"testing"

	"github.com/reviewctl/reviewctl/actors/repo"
)

func TestCheckFindsBrokenStates(t *testing.T) {
	t.Parallel()
	for _, s := range []repo.State{
		{Numbers: map[string]int{"a": 1}, Last: 2},
		{Numbers: map[string]int{"a": 2, "b": 2}, Last: 2},
	} {
		if err := repo.Check(&s); err == nil {
			t.Errorf("%+v is taken for sound", s)
		}
	}
}
