package poll

import (
	"context"
	"strings"

	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/events"
)

// note puts on record that a repository cannot be read, or can be again: once, and
// again after a start, when the record may say otherwise. What cannot be recorded
// now is due in the next look. A name that was never found has no record; it is
// logged.
func (p *Poller) note(ctx context.Context, w *watched, trouble error) error {
	if trouble != nil && !reads(trouble) {
		return nil
	}
	reason := ""
	if trouble != nil {
		reason = shortened(reasonOf(trouble))
	}
	if ctx.Err() != nil || w.noted && w.reason == reason { // else each look is recorded
		return nil //nolint:nilerr // the trouble is on record
	}
	id := w.id
	if id == "" {
		if err := p.load(ctx); err != nil {
			return err
		}
		if id = p.records.named(w.conf.Name); id == "" {
			return nil
		}
	}
	var cmd events.Command = repo.NoteReachable{}
	if reason != "" {
		cmd = repo.NoteUnreachable{Reason: reason}
	}
	if err := p.ask(ctx, events.RepoStream(p.Host, id), cmd); err != nil {
		return err
	}
	w.noted, w.reason = true, reason
	return nil
}

// shortened keeps what an event takes of a reason.
func shortened(reason string) string {
	return strings.ToValidUTF8(reason[:min(len(reason), repo.ReasonMax)], "")
}
