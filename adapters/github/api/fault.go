package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Kind is what a fault means for whoever asked. (github.md §4)
type Kind string

// The kinds.
const (
	KindAuth         Kind = "auth"           // the token is missing, wrong or expired
	KindClockSkew    Kind = "clock_skew"     // the clock here is off (case G54)
	KindPrimary      Kind = "primary"        // the hourly limit; RetryAt is its end
	KindSecondary    Kind = "secondary"      // too much at once; RetryAt is when to go on
	KindPaced        Kind = "paced"          // our own pace; GitHub was not asked
	KindPermission   Kind = "permission"     // the token may not do this; asking again does not help
	KindNotFound     Kind = "not_found"      // not there, or hidden from the token (case G34)
	KindGone         Kind = "gone"           // not there any more
	KindBlocked      Kind = "blocked"        // for legal reasons
	KindDiffTooLarge Kind = "diff_too_large" // GitHub makes no diff of this
	KindConflict     Kind = "conflict"       // something else changed it meanwhile
	KindValidation   Kind = "validation"     // what was sent is not accepted; Sub says why
	KindRedirected   Kind = "redirected"     // it is elsewhere; Moved says where
	KindNotReady     Kind = "not_ready"      // accepted, and not done yet
	KindTransient    Kind = "transient"      // no answer, or none that can be understood
	KindUnexpected   Kind = "unexpected"     // an answer that we have no rule for
)

// AllKinds lists every kind.
func AllKinds() []Kind {
	return []Kind{
		KindAuth, KindClockSkew, KindPrimary, KindSecondary, KindPaced, KindPermission, KindNotFound, KindGone, KindBlocked,
		KindDiffTooLarge, KindConflict, KindValidation, KindRedirected, KindNotReady, KindTransient, KindUnexpected,
	}
}

// Sub tells faults of one kind apart.
type Sub string

// The parts of KindValidation. The first six are about the place of an inline
// comment. (github.md §1, "Reviews")
const (
	SubLineUnresolved  Sub = "line_unresolved"
	SubPathUnresolved  Sub = "path_unresolved"
	SubLineOutsideDiff Sub = "line_outside_diff"
	SubOtherHunk       Sub = "other_hunk"
	SubLinesReversed   Sub = "lines_reversed"
	SubNoHunk          Sub = "no_hunk"
	SubPendingExists   Sub = "pending_exists" // case G14
	SubNotPending      Sub = "not_pending"    // submitted already
	SubOwnPull         Sub = "own_pull"       // case G13
	SubCommitGone      Sub = "commit_gone"    // case G27
	SubTooLong         Sub = "too_long"
	SubBlank           Sub = "blank"
	SubExists          Sub = "exists"
	SubUnknown         Sub = "unknown"
)

// The parts of KindPermission. (cases G33, G58)
const (
	SubToken       Sub = "token"       // the token lacks a permission
	SubRole        Sub = "role"        // its owner lacks one
	SubArchived    Sub = "archived"    // nobody can write there
	SubLocked      Sub = "locked"      // the conversation is locked
	SubInteraction Sub = "interaction" // interactions are limited, or we are blocked
	SubSuspended   Sub = "suspended"   // the account is
	SubSSO         Sub = "sso"         // the organisation wants the token authorised
)

// Fault is an answer that is no success, or none at all. It never holds a token.
type Fault struct {
	Kind    Kind
	Sub     Sub
	Op      string // what was asked, for example "list pulls of octo/town"
	Status  int    // 0 = there was no answer
	Message string // what GitHub said, in one line
	Needs   string // the permission that would help, as GitHub names it; "" = it did not say
	RetryAt time.Time
	Unknown bool            // a write that may have happened
	Moved   events.RepoName // where it is now (case G35)

	after time.Duration // how long to wait; 0 = nobody said
	cause error         // of a context alone
}

// Error tells what happened, to what, and until when.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Op + ": " + string(f.Kind))
	if f.Sub != "" {
		b.WriteString(" (" + string(f.Sub) + ")")
	}
	if f.Status != 0 {
		fmt.Fprintf(&b, ": GitHub answered %d", f.Status)
	}
	if f.Message != "" {
		b.WriteString(": " + f.Message)
	}
	if f.Needs != "" {
		b.WriteString("; the token needs " + f.Needs)
	}
	if f.Moved != "" {
		b.WriteString("; it is called " + string(f.Moved) + " now")
	}
	if !f.RetryAt.IsZero() {
		b.WriteString("; not before " + f.RetryAt.UTC().Format(time.RFC3339))
	}
	if f.Unknown {
		b.WriteString("; whether it happened is not known")
	}
	return b.String()
}

// Unwrap is the end of the context that stopped the call, if that was it.
func (f *Fault) Unwrap() error { return f.cause }

// Limited reports whether time alone will help, and RetryAt says when.
func (f *Fault) Limited() bool {
	return f.Kind == KindPrimary || f.Kind == KindSecondary || f.Kind == KindPaced
}

// Passing reports whether the same request may succeed later without anybody doing
// anything.
func (f *Fault) Passing() bool {
	return f.Limited() || f.Kind == KindTransient || f.Kind == KindNotReady
}

// Inline reports whether the place of an inline comment was refused, so that the
// review without it may pass.
func (f *Fault) Inline() bool {
	return slices.Contains([]Sub{SubLineUnresolved, SubPathUnresolved, SubLineOutsideDiff, SubOtherHunk, SubLinesReversed, SubNoHunk}, f.Sub)
}

func writes(method string) bool { return method != http.MethodGet && method != http.MethodHead }
