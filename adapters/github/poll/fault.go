package poll

import (
	"errors"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// PauseMax bounds how long all looks wait for GitHub's clock: its longest limit is
// an hour. A clock that is off must not end polling.
const PauseMax = time.Hour + 5*time.Minute

func faultOf(err error) *api.Fault {
	var f *api.Fault
	if !errors.As(err, &f) {
		return &api.Fault{}
	}
	return f
}

// movedTo is the name that a repository has now, where an error says so. (case G35)
func movedTo(err error) events.RepoName { return faultOf(err).Moved }

// moved reports whether a repository is elsewhere.
func moved(err error) bool {
	f := faultOf(err)
	return f.Moved != "" || f.Kind == api.KindRedirected
}

// vanished reports whether something is not there, or is not shown to us.
// (case G34)
func vanished(err error) bool {
	kind := faultOf(err).Kind
	return kind == api.KindNotFound || kind == api.KindGone
}

// hold makes all looks wait where GitHub takes no requests: until its own clock
// says so, or one interval where only a person can help.
func (p *Poller) hold(err error) {
	f := faultOf(err)
	if err == nil || !f.Limited() && f.Kind != api.KindAuth && f.Kind != api.KindClockSkew {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Clock.Now()
	until := now.Add(p.Interval)
	if f.Limited() && !f.RetryAt.IsZero() { // else a limit is met again and again
		until = f.RetryAt
	}
	if most := now.Add(PauseMax); until.After(most) { // else a clock that is off ends polling
		until = most
	}
	if until.After(p.paused) {
		p.paused = until
	}
}

// sentences say what is wrong, by kind.
var sentences = map[api.Kind]string{
	api.KindAuth:       "GitHub does not accept the token",
	api.KindClockSkew:  "GitHub says that the clock here is off",
	api.KindPrimary:    "GitHub's hourly limit is used up",
	api.KindSecondary:  "GitHub asks for fewer requests",
	api.KindPermission: "the token may not read it",
	api.KindNotFound:   "GitHub knows no such repository, or does not show it to this token",
	api.KindGone:       "GitHub says that it is gone",
	api.KindBlocked:    "GitHub blocks it for legal reasons",
	api.KindTransient:  "GitHub gives no usable answer",
	api.KindNotReady:   "GitHub gives no usable answer yet",
}

// reasonOf says what is wrong with a repository, in words that are the same as long
// as the trouble is.
func reasonOf(err error) string {
	f := faultOf(err)
	said, known := sentences[f.Kind]
	if !known {
		return err.Error()
	}
	if f.Status != 0 {
		said += fmt.Sprintf(" (status %d)", f.Status)
	}
	if f.Message != "" && f.Status != 0 && f.Kind != api.KindTransient { // else it is of one request alone
		said += ": " + f.Message
	}
	if f.Needs != "" {
		said += "; it needs " + f.Needs
	}
	if f.Limited() && !f.RetryAt.IsZero() {
		said += "; not before " + f.RetryAt.UTC().Format(time.RFC3339)
	}
	return said
}
