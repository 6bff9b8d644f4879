package localgit

import (
	"context"
	"strings"

	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/events"
)

// note puts on record that the repository cannot be read, or can be again: once,
// and again after a start, when the record may say otherwise. What cannot be
// recorded now is due in the next round.
func (p *Poller) note(ctx context.Context, trouble error) error {
	reason := ""
	if trouble != nil {
		reason = shortened(trouble.Error())
	}
	if ctx.Err() != nil || p.noted && p.trouble == reason {
		return nil //nolint:nilerr // a round that is over records nothing
	}
	var cmd events.Command = repo.NoteReachable{}
	if reason != "" {
		cmd = repo.NoteUnreachable{Reason: reason}
	}
	if err := p.ask(ctx, events.RepoStream(Host, p.RepoID), cmd); err != nil {
		return err
	}
	p.noted, p.trouble = true, reason
	return nil
}

// shortened keeps what an event takes of a reason.
func shortened(reason string) string {
	if len(reason) > repo.ReasonMax {
		reason = reason[:repo.ReasonMax]
	}
	return strings.ToValidUTF8(reason, "")
}
