package repo

import "github.com/reviewctl/reviewctl/events"

// Configure: these flags hold from now on.
type Configure struct {
	Repo    events.RepoName     `json:"repo"`
	Base    string              `json:"base"`
	Enabled bool                `json:"enabled"`
	Engines []events.EngineName `json:"engines,omitempty"`
}

// Rename: the forge calls the repository by this name.
type Rename struct {
	To events.RepoName `json:"to"`
}

// NumberBranch: this branch, or range reviewed by hand, needs a number.
type NumberBranch struct {
	Ref string `json:"ref"`
}

// NoteUnreachable: the repository cannot be read now.
type NoteUnreachable struct {
	Reason string `json:"reason"`
}

// NoteReachable: the repository was read.
type NoteReachable struct{}

// The stored names.
func (Configure) Name() string    { return "repo.configure" }
func (Rename) Name() string       { return "repo.rename" }
func (NumberBranch) Name() string { return "repo.number_branch" }

func (NoteUnreachable) Name() string { return "repo.note_unreachable" }
func (NoteReachable) Name() string   { return "repo.note_reachable" }
