package events

// A repository's life. The stream is repo-HOST/REPO_ID.

// RepoConfigured: these flags hold from now on.
type RepoConfigured struct {
	Repo    RepoName     `json:"repo"`
	Base    string       `json:"base"`
	Enabled bool         `json:"enabled"`
	Engines []EngineName `json:"engines,omitempty"`
}

// Type is "repo.configured".
func (RepoConfigured) Type() Type { return "repo.configured" }

// RepoRenamed: the forge calls the repository by another name.
type RepoRenamed struct {
	From RepoName `json:"from"`
	To   RepoName `json:"to"`
}

// Type is "repo.renamed".
func (RepoRenamed) Type() Type { return "repo.renamed" }

// BranchNumbered: on a local repository a branch, or a range reviewed by hand,
// is a pull request of this number from now on.
type BranchNumbered struct {
	Ref    string `json:"ref"`
	Number int    `json:"number"` // from 1, in order of appearance
}

// Type is "branch.numbered".
func (BranchNumbered) Type() Type { return "branch.numbered" }

// RepoUnreachable: the repository cannot be read, so that nothing of it is seen
// until it can be again.
type RepoUnreachable struct {
	Reason string `json:"reason"`
}

// Type is "repo.unreachable".
func (RepoUnreachable) Type() Type { return "repo.unreachable" }

// RepoReachable: the repository can be read again.
type RepoReachable struct {
	Was string `json:"was"` // the trouble that is over
}

// Type is "repo.reachable".
func (RepoReachable) Type() Type { return "repo.reachable" }
