package repo

import (
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds.
const (
	RefMax      = 1024 // bytes; git takes no longer path
	ReasonMax   = 2048 // bytes of a trouble
	EnginesMax  = 100
	BranchesMax = 100_000
)

// Rules are a repository's parameters.
type Rules struct {
	Version  int `json:"version"` // of the code that decides
	Branches int `json:"branches"`
}

// DefaultRules returns the rules that hold where nobody says otherwise.
func DefaultRules() Rules { return Rules{Version: 1, Branches: BranchesMax} }

// Decide answers a command with events, with nothing where it is already so, or
// with a refusal.
func (r Rules) Decide(s *State, _ events.Given, cmd events.Command) ([]events.Payload, error) {
	switch c := cmd.(type) {
	case Configure:
		return r.configure(s, c)
	case Rename:
		return rename(s, c)
	case NumberBranch:
		return r.number(s, c)
	case NoteUnreachable:
		return trouble(s, c)
	case NoteReachable:
		if s.Trouble == "" { // guard: a repository is well again without having been in trouble
			return nil, nil
		}
		return []events.Payload{&events.RepoReachable{Was: s.Trouble}}, nil
	default:
		return nil, refused("a repository takes no %s", cmd.Name())
	}
}

func (r Rules) configure(s *State, c Configure) ([]events.Payload, error) {
	switch {
	case c.Repo == "":
		return nil, refused("a repository needs a name")
	case len(c.Engines) > EnginesMax:
		return nil, refused("%d engines are named; there may be %d", len(c.Engines), EnginesMax)
	case s.Configured && c.Repo == s.Repo && c.Base == s.Base && c.Enabled == s.Enabled && slices.Equal(c.Engines, s.Engines):
		return nil, nil
	}
	return []events.Payload{&events.RepoConfigured{Repo: c.Repo, Base: c.Base, Enabled: c.Enabled, Engines: c.Engines}}, nil
}

// rename follows the forge, which keeps the repository's id. A configuration that
// goes on using the old name does not take it back. (case G35)
func rename(s *State, c Rename) ([]events.Payload, error) {
	switch {
	case c.To == "":
		return nil, refused("a repository needs a name")
	case !s.Configured: // guard: a repository that nobody configured has a name
		return nil, refused("this repository is not configured")
	case c.To == s.Name(): // guard: each look at a renamed repository is recorded
		return nil, nil
	}
	return []events.Payload{&events.RepoRenamed{From: s.Name(), To: c.To}}, nil
}

func (r Rules) number(s *State, c NumberBranch) ([]events.Payload, error) {
	if _, known := s.Numbers[c.Ref]; known { // guard: a branch gets two numbers
		return nil, nil
	}
	switch {
	case c.Ref == "":
		return nil, refused("a branch needs a name")
	case len(c.Ref) > RefMax:
		return nil, refused("the branch's name is longer than %d bytes", RefMax)
	case s.Last >= r.Branches: // guard: branches grow without bound
		return nil, refused("%d branches have a number already", r.Branches)
	}
	return []events.Payload{&events.BranchNumbered{Ref: c.Ref, Number: s.Last + 1}}, nil
}

// trouble records a trouble once, and again where it is another one.
func trouble(s *State, c NoteUnreachable) ([]events.Payload, error) {
	switch {
	case c.Reason == "":
		return nil, refused("a trouble needs a reason")
	case len(c.Reason) > ReasonMax:
		return nil, refused("the reason is longer than %d bytes", ReasonMax)
	case c.Reason == s.Trouble: // guard: each look at a repository in trouble is recorded
		return nil, nil
	}
	return []events.Payload{&events.RepoUnreachable{Reason: c.Reason}}, nil
}

func refused(format string, args ...any) *events.Refusal {
	return &events.Refusal{Reason: fmt.Sprintf(format, args...)}
}
