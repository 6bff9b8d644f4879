package publish

import (
	"context"
	"math/bits"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// SiftMargin is what must be left of a lease to go on looking for the comments
// that GitHub refuses: enough to post the review without them.
const SiftMargin = WriteMargin + 2*CallMax

// sifting is the search for the comments that make GitHub refuse a review, which
// it takes or refuses as a whole.
type sifting struct {
	begun    bool
	writes   int                         // that the search may still make
	accepted map[events.Fingerprint]bool // whose comments were accepted together
}

// sift halves what was refused until it has the first comment that is the cause.
// That one goes into the body, and the others are tried again. When the search has
// no writes or no time left, whatever was not accepted goes there.
func (a *attempt) sift(ctx context.Context, refusal *api.Fault) (step, events.Command) {
	s := &a.sifting
	if !s.begun {
		*s = sifting{
			begun: true, writes: 2*bits.Len(uint(len(a.text.Comments))) + 2,
			accepted: map[events.Fingerprint]bool{},
		}
	}
	good, bad := 0, len(a.text.Comments) // the first so many are accepted; are refused
	for good < bad && s.accepted[a.text.Inline[good]] {
		good++
	}
	for bad-good > 1 && a.maySift() {
		middle := (good + bad) / 2
		accepted, next, end := a.probe(ctx, middle)
		switch {
		case next != nil || end != nil:
			return next, end
		case accepted:
			good = middle
		default:
			bad = middle
		}
	}
	if bad-good == 1 {
		a.refuse(refusal, a.text.Inline[good])
	} else {
		a.refuseRest(refusal)
	}
	return a.compose, nil
}

// maySift reports whether there are writes and time for another probe.
func (a *attempt) maySift() bool {
	return a.sifting.writes > 1 && a.job.Until.Sub(a.Clock.Now()) > SiftMargin
}

// probe asks whether GitHub accepts the first so many comments. What it accepts is
// deleted again.
func (a *attempt) probe(ctx context.Context, n int) (accepted bool, next step, end events.Command) {
	a.sifting.writes--
	end, err := a.post(ctx, n)
	switch {
	case end != nil:
		return false, nil, end
	case err != nil && faultOf(err).Inline():
		return false, nil, nil
	case err != nil:
		next, end = a.createFault(ctx, err)
		return false, next, end
	}
	for _, f := range a.text.Inline[:n] {
		a.sifting.accepted[f] = true
	}
	if end := a.mayWrite(ctx); end != nil {
		return false, nil, end
	}
	a.sifting.writes--
	if err := a.deletePending(ctx, a.pending); err != nil {
		next, end = a.deleteFault(err)
		return false, next, end
	}
	return true, nil, nil
}

// refuse puts findings into the body, with GitHub's reason.
func (a *attempt) refuse(f *api.Fault, findings ...events.Fingerprint) {
	a.log.Info("comments refused", "findings", findings, "why", f.Error())
	for _, print := range findings {
		a.refused[print] = "GitHub refused the comment: " + orElse(f.Message, string(f.Sub))
	}
}

// refuseRest does so with all that was not accepted yet.
func (a *attempt) refuseRest(f *api.Fault) {
	for _, finding := range a.review.Findings {
		if !a.sifting.accepted[finding.Fingerprint] {
			a.refuse(f, finding.Fingerprint)
		}
	}
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
