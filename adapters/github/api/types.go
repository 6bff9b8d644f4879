package api

import (
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// User is an account on GitHub.
type User struct {
	ID    int64
	Login string // an App's ends in "[bot]"
	Bot   bool
}

// Permissions are what the token may do in a repository.
type Permissions struct {
	Admin, Maintain, Push, Triage, Pull bool
}

// Repo is a repository. ID never changes; FullName does.
type Repo struct {
	ID            int64
	FullName      events.RepoName // OWNER/REPO, as it is called now
	DefaultBranch string
	CloneURL      string // https://…/OWNER/REPO.git, without credentials
	Private       bool
	Archived      bool
	Disabled      bool
	Permissions   Permissions
}

// Pull is a pull request.
type Pull struct {
	Number   int
	Title    string
	Author   User // ID 0 = a deleted account
	Draft    bool
	Closed   bool
	Merged   bool
	Locked   bool
	Head     events.Commit
	HeadRef  string
	HeadRepo events.RepoName // "" = the fork is gone (case G31)
	Base     events.Commit   // the base branch's tip, as GitHub last saw it
	BaseRef  string
	BaseRepo int64           // the numeric id of the repository that it is in
	BaseName events.RepoName // its name, as it is called now
	Labels   []string
	Created  time.Time
	Updated  time.Time
	Files    int // changed files; known of a single pull request only, else 0
	URL      string
}

// File is one changed file, as GitHub lists it.
type File struct {
	Name     string
	Previous string // of a renamed or copied one
	Status   string // added, removed, modified, renamed, copied, changed, unchanged
	Patch    string // hunks without headers of files
	HasPatch bool   // false: binary, too large, or renamed only; nothing can stand inline
}

// Event is how a review is submitted.
type Event string

// The events. (github.md §1, "Reviews")
const (
	EventApprove        Event = "APPROVE"
	EventRequestChanges Event = "REQUEST_CHANGES"
	EventComment        Event = "COMMENT"
)

// ReviewState is a review's state, in upper case. (case G16)
type ReviewState string

// The states. A pending review is seen by its author alone and has no time.
const (
	StateApproved         ReviewState = "APPROVED"
	StateChangesRequested ReviewState = "CHANGES_REQUESTED"
	StateCommented        ReviewState = "COMMENTED"
	StateDismissed        ReviewState = "DISMISSED"
	StatePending          ReviewState = "PENDING"
)

// Review is a review on a pull request. Commit is a hint alone: GitHub may move
// it. (case D37)
type Review struct {
	ID        int64
	Author    User
	Body      string
	State     ReviewState
	Commit    events.Commit
	Submitted time.Time // zero while it is pending
	URL       string
}

// Comment is one inline comment of a review that is to be created, on the new
// side. StartLine 0 = one line.
type Comment struct {
	Path      string
	StartLine int
	Line      int
	Body      string
}

// Draft is a review that is to be created pending.
type Draft struct {
	Commit   events.Commit // the commit that was read (case G26)
	Body     string
	Comments []Comment
}
