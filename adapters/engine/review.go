package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// messageMax bounds a failure's message, which stays in the log for ever.
const messageMax = 500

// nothing is the usage of a session whose engine never ran.
var nothing = events.Usage{Confidence: events.ConfidenceExact}

// session runs one session and returns its commands, the last of them the end.
func (r *Runner) session(ctx context.Context, job actors.LaneJob, until time.Time) []events.Command {
	in, answer, err := r.review(ctx, job, until)
	if err != nil {
		return end(ctx, job, err)
	}
	return complete(ctx, job, in, answer)
}

// review opens the workspace and lets the engine look. Engines parse hostile
// input with libraries of others: a panic there ends one lane and no more.
func (r *Runner) review(ctx context.Context, job actors.LaneJob, until time.Time) (in *session.Input, answer *session.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("engine panicked", "engine", job.Engine, "stack", string(debug.Stack()))
			answer, err = nil, &session.Failure{Kind: events.FailureInfra, Message: "the engine panicked", Usage: unknown}
		}
	}()
	engine, ok := r.engine(job)
	if !ok {
		return nil, nil, &session.Failure{
			Kind: events.FailureFatal, Usage: nothing,
			Message: fmt.Sprintf("no engine %q of kind %q is configured here", job.Engine, job.Kind),
		}
	}
	change, err := r.workspace.Open(ctx, job.Workspace)
	if err != nil {
		return nil, nil, beforeStart("the workspace could not be opened: %v", err)
	}
	if change.Print != job.DiffPrint {
		return nil, nil, beforeStart("the change on disk is not the one of the run: its diff has another digest")
	}
	if in, err = offer(job, change, until); err != nil {
		return nil, nil, &session.Failure{Kind: events.FailureFatal, Message: err.Error(), Usage: nothing}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if job.Kind == KindExec && r.prior != nil {
		if in.Prior, err = r.prior(ctx, job); err != nil { // a review without them is one all the same
			r.log.Warn("earlier findings could not be read", "run", job.Key.Run, "error", err)
			in.Prior = nil
		}
	}
	answer, err = engine.engine.Review(ctx, in)
	return in, answer, err
}

// unknown is the usage of a session that may have spent and did not say.
var unknown = events.Usage{Confidence: events.ConfidenceUnknown}

// beforeStart: this process knows that nothing ran.
func beforeStart(format string, args ...any) *session.Failure {
	return &session.Failure{Kind: events.FailureBefore, Message: fmt.Sprintf(format, args...), Usage: nothing}
}

// end is the one command of a session that did not complete.
func end(ctx context.Context, job actors.LaneJob, err error) []events.Command {
	var failed *session.Failure
	if !errors.As(err, &failed) {
		failed = &session.Failure{Kind: events.FailureInfra, Usage: nothing}
		if err != nil {
			failed.Message = err.Error()
		}
	}
	key := job.Key
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopped), errors.Is(cause, errClosed): // going down uses up no try
		return []events.Command{run.NoteLaneStopped{
			Lane: key.Lane, Attempt: key.Attempt, Generation: job.Generation, Usage: failed.Usage,
		}}
	case errors.Is(cause, errDeadline):
		failed.Kind, failed.Message = events.FailureTimeout, errDeadline.Error()
	default:
		var deferred *session.Deferral
		if errors.As(err, &deferred) {
			return []events.Command{run.DeferLane{
				Lane: key.Lane, Attempt: key.Attempt, Generation: job.Generation,
				Reason: shorten(oneLine(deferred.Reason), messageMax),
			}}
		}
	}
	return []events.Command{run.FailLane{
		Lane: key.Lane, Attempt: key.Attempt, Generation: job.Generation,
		Kind: failed.Kind, Message: shorten(oneLine(failed.Message), messageMax), Usage: failed.Usage,
		Reset: failed.Reset, Sandbox: failed.Sandbox, Artifact: failed.Artifact,
	}}
}
