package repo

import (
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// State is what the repository's events say.
type State struct {
	Configured bool                `json:"configured"`
	Repo       events.RepoName     `json:"repo"`              // as the configuration calls it
	Renamed    events.RepoName     `json:"renamed,omitempty"` // as the forge calls it, where that is another name
	Base       string              `json:"base"`
	Enabled    bool                `json:"enabled"`
	Engines    []events.EngineName `json:"engines"`
	Numbers    map[string]int      `json:"numbers"` // by ref
	Last       int                 `json:"last"`    // number that was given
	Trouble    string              `json:"trouble"` // why it cannot be read; "" = it can
}

// Name is what the repository is called, by its newest name.
func (s *State) Name() events.RepoName {
	if s.Renamed != "" {
		return s.Renamed
	}
	return s.Repo
}

// Fold applies a recorded event.
func Fold(s *State, _ *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.RepoConfigured:
		s.Configured = true
		if p.Repo != s.Repo {
			s.Renamed = ""
		}
		s.Repo, s.Base, s.Enabled, s.Engines = p.Repo, p.Base, p.Enabled, p.Engines
	case *events.RepoRenamed:
		s.Renamed = p.To
	case *events.BranchNumbered:
		if s.Numbers == nil {
			s.Numbers = make(map[string]int)
		}
		s.Numbers[p.Ref] = p.Number
		s.Last = max(s.Last, p.Number)
	case *events.RepoUnreachable:
		s.Trouble = p.Reason
	case *events.RepoReachable:
		s.Trouble = ""
	}
}

// Check reports a state that no sequence of decisions may reach.
func Check(s *State) error {
	if len(s.Numbers) != s.Last {
		return fmt.Errorf("repo: %d refs have a number, the last is %d", len(s.Numbers), s.Last)
	}
	refs := make(map[int]string, len(s.Numbers))
	for ref, number := range s.Numbers {
		if other, twice := refs[number]; twice {
			return fmt.Errorf("repo: number %d is of %s and of %s", number, min(ref, other), max(ref, other))
		}
		refs[number] = ref
	}
	return nil
}
