package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
)

// ShorterMax bounds a body that is written again because GitHub found it too long,
// in bytes.
const ShorterMax = 30_000

// compose writes the review's text. GitHub's own list of files says what may stand
// at a line; a review without findings does not need it.
func (a *attempt) compose(ctx context.Context) (step, events.Command) {
	if len(a.review.Findings) > 0 && !a.listed {
		if err := a.listFiles(ctx); err != nil {
			return a.readFault("list the changed files", err)
		}
	}
	r := *a.review
	r.RepoID, r.Repo, r.Number, r.Own, r.Diff = a.repoID, a.name, a.number, a.own, a.diff
	r.Refused = maps.Clone(a.refused)
	if a.shorter {
		r.BodyMax = ShorterMax
	}
	r.Secrets = append(append([]string(nil), r.Secrets...), a.Secrets()...)
	out, err := render.Render(&r)
	if err != nil {
		return nil, a.failed(events.FailureFatal, fmt.Sprintf("the review's text could not be made: %v", err))
	}
	a.text = out
	return a.create, nil
}

// listFiles reads what GitHub shows of the change. Where it shows nothing, because
// there is too much of it, all findings stand in the body. (case G06)
func (a *attempt) listFiles(ctx context.Context) error {
	call, cancel := a.call(ctx, a.job.Until)
	defer cancel()
	files, complete, err := a.Hub.Files(call, a.name, a.number)
	var f *api.Fault
	switch {
	case errors.As(err, &f) && f.Kind == api.KindDiffTooLarge:
		a.diff = render.Diff{None: "GitHub shows no diff of a change this large"}
	case err != nil:
		return err
	default:
		a.diff = render.Diff{Files: files, Partial: !complete || len(files) < a.changed}
	}
	a.listed = true
	return nil
}
