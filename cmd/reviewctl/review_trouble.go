package main

import (
	"errors"
	"strings"
	"syscall"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// troubleGrace is how long a review that cannot be recorded may take to stop: what
// it waits for would not be stored.
const troubleGrace = 3 * time.Second

// trouble is what does not pass while somebody waits in front of a terminal: a
// daemon tries again until there is room, a review ends and says what to do.
type trouble struct {
	home  string // the folder of checkouts is there
	found chan error
}

func newTrouble(home Home) *trouble { return &trouble{home: home.dir, found: make(chan error, 1)} }

func (t *trouble) report(err error) {
	select {
	case t.found <- err:
	default: // the first tells more
	}
}

// undelivered is told why a command was not carried out this time.
func (t *trouble) undelivered(err error) {
	if errors.Is(err, events.ErrFull) || errors.Is(err, events.ErrReadOnly) {
		t.report(err)
	}
}

// observe is told of the run's events. That the code has no room is a reason in
// words.
func (t *trouble) observe(p events.Payload) {
	waits, ok := p.(*events.WorkspaceWaiting)
	if !ok {
		return
	}
	for _, full := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if strings.Contains(strings.ToLower(waits.Reason), strings.ToLower(full.Error())) {
			t.report(&CLIError{
				Code: CodeUnavailable, What: "no space left for the code", Subject: waits.Reason,
				Remedy: "free space on the disk of " + t.home + ", then repeat the call; nothing is lost", Err: full,
			})
			return
		}
	}
}
