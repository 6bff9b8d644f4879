package events

import (
	"fmt"
	"strings"
)

// StreamName names the ordered events of one subject. What stands before the
// first "-" is its category; the rest cannot change during the subject's life.
type StreamName string

// The categories. Their spelling is for ever: it is part of every hash.
const (
	CategoryPR      = "pr"
	CategoryRun     = "run"
	CategoryPool    = "pool"
	CategoryAccount = "account"
	CategoryRepo    = "repo"
	CategoryFleet   = "fleet"
	CategoryInbox   = "inbox"
	CategoryPolicy  = "policy"
	CategorySeal    = "seal"
)

// AllCategories lists every category in the order of the documentation.
func AllCategories() []string {
	return []string{
		CategoryPR, CategoryRun, CategoryPool, CategoryAccount, CategoryRepo,
		CategoryFleet, CategoryInbox, CategoryPolicy, CategorySeal,
	}
}

// Singletons.
const (
	FleetStream StreamName = "fleet-main"
	SealStream  StreamName = "seal-main"
)

// StreamNameMax bounds a stream's name, in bytes.
const StreamNameMax = 512

// Category returns what stands before the first "-", or "" where there is none.
func (s StreamName) Category() string {
	category, _, ok := strings.Cut(string(s), "-")
	if !ok {
		return ""
	}
	return category
}

// Subject returns what stands after the first "-".
func (s StreamName) Subject() string {
	_, subject, _ := strings.Cut(string(s), "-")
	return subject
}

// PRStream names a pull request: host, the forge's id of the repository, number.
func PRStream(host, repoID string, number int) StreamName {
	return StreamName(fmt.Sprintf("%s-%s/%s/%d", CategoryPR, host, repoID, number))
}

// RepoStream names a repository by host and the forge's id of it.
func RepoStream(host, repoID string) StreamName {
	return StreamName(CategoryRepo + "-" + host + "/" + repoID)
}

// RunStream names a run.
func RunStream(id RunID) StreamName { return StreamName(CategoryRun + "-" + string(id)) }

// PoolStream names a pool of slots.
func PoolStream(name PoolName) StreamName { return StreamName(CategoryPool + "-" + string(name)) }

// AccountStream names an account.
func AccountStream(name AccountName) StreamName {
	return StreamName(CategoryAccount + "-" + string(name))
}

// InboxStream names one message of an operator; its id is the idempotence key.
func InboxStream(id string) StreamName { return StreamName(CategoryInbox + "-" + id) }

// PolicyStream names one Rules value by its digest.
func PolicyStream(d Digest) StreamName { return StreamName(CategoryPolicy + "-" + string(d)) }

// Valid reports whether the name has a known category, a subject, and no bytes
// that would make it awkward on a command line or in a listing.
func (s StreamName) Valid() bool {
	if len(s) > StreamNameMax || s.Subject() == "" {
		return false
	}
	for _, r := range string(s) {
		if r <= ' ' || r == 0x7f || r == '\uFFFD' {
			return false
		}
	}
	category := s.Category()
	for _, known := range AllCategories() {
		if category == known {
			return true
		}
	}
	return false
}
