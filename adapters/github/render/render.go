package render

import (
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/events"
)

// ErrSecret says that a secret stands in a review after all, so that it must not
// be posted.
var ErrSecret = errors.New("a secret stands in the review")

// Render writes the review. The same review gives the same bytes.
func Render(r *Review) (*Output, error) {
	key := marker.Key{Repo: r.RepoID, Number: r.Number, Head: r.Head, Kind: marker.KindReview}
	first := marker.Marker{Key: key, Base: r.Base, Run: r.Run, Verdict: r.Verdict}.String()
	if _, ok := marker.Find(first); !ok {
		return nil, fmt.Errorf("render review of run %s: repository %d, number %d and head %q make no marker", r.Run, r.RepoID, r.Number, r.Head)
	}
	if !r.Outcome.Reviewed() || r.Verdict == "" {
		return nil, fmt.Errorf("render review of run %s: it ended %q and has no verdict to post", r.Run, r.Outcome)
	}
	w := newWriter(r)
	blocks := w.blocks()
	w.place(blocks)
	out := &Output{Event: r.event()}
	for _, b := range blocks {
		if b.why != "" {
			out.Moved = append(out.Moved, Moved{Fingerprint: b.f.Fingerprint, Number: b.f.Number, Why: b.why})
			continue
		}
		out.Comments = append(out.Comments, w.comment(b))
		out.Inline = append(out.Inline, b.f.Fingerprint)
	}
	out.Body = w.body(first, blocks)
	if err := w.check(out); err != nil {
		return nil, fmt.Errorf("render review of run %s: %w", r.Run, err)
	}
	return out, nil
}

// event is what the verdict becomes on GitHub: an approval only where the policy
// allows one and all was reviewed, and on an own pull request always a comment,
// since GitHub takes nothing else there. (case G13)
func (r *Review) event() api.Event {
	switch {
	case r.Own:
	case r.Verdict == events.VerdictRequestChanges:
		return api.EventRequestChanges
	case r.Verdict == events.VerdictApprove && r.Approve && r.Outcome != events.OutcomePartial:
		return api.EventApprove
	}
	return api.EventComment
}

// check refuses what holds a secret after all.
func (w *writer) check(out *Output) error {
	if w.masker.holds(out.Body) {
		return ErrSecret
	}
	for i := range out.Comments {
		if c := &out.Comments[i]; w.masker.holds(c.Body) || w.masker.holds(c.Path) {
			return ErrSecret
		}
	}
	return nil
}
