package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

// message is what an operator asks of an actor.
type message struct {
	target  events.StreamName
	command events.Command
	note    string // what whoever is obeyed should know
}

// operate records an operator's command in a stream of its own and waits for the
// daemon's answer. What it is about must be known: that is found in rows.
func (w *Waiting) operate(app *App, find func(context.Context, projections.Rows) (message, error)) error {
	files, err := app.openLog()
	if err != nil {
		return err
	}
	defer files.Close()
	var m message
	if err := files.Look(app.Context, func(rows projections.Rows) error {
		m, err = find(app.Context, rows)
		return err
	}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(app.Context, w.Wait)
	defer cancel()
	answer, err := send(ctx, app, files, m)
	if err != nil {
		return err
	}
	if m.note != "" && answer.Reason == "" && answer.Result() == nil {
		answer.Reason = m.note
	}
	if err := app.Print.Answer(answer); err != nil {
		return err
	}
	return answer.Result()
}

// send appends the message and follows its stream until it is settled. Without a
// daemon it says that the command is recorded.
func send(ctx context.Context, app *App, files *Files, m message) (*CommandAnswer, error) {
	inbox, err := appendMessage(app.Context, app, files, m)
	if err != nil {
		return nil, err
	}
	answer := &CommandAnswer{Command: m.command.Name(), Events: []events.Ref{}}
	if !files.Home.DaemonRuns() {
		answer.Reason = "no daemon is running"
		return answer, nil
	}
	settled, err := awaitSettled(ctx, files, inbox)
	switch {
	case err != nil && app.Context.Err() == nil && ctx.Err() != nil:
		answer.Reason = "the daemon has not answered yet"
	case err != nil:
		return nil, err
	default:
		answer.Accepted, answer.Reason, answer.Events = &settled.Accepted, settled.Reason, settled.Events
	}
	return answer, nil
}

func appendMessage(ctx context.Context, app *App, files *Files, m message) (events.StreamName, error) {
	fields, err := json.Marshal(m.command)
	if err != nil {
		return "", err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	inbox := events.InboxStream(hex.EncodeToString(id[:]))
	rules, err := actors.DefaultRules().Seal()
	if err != nil {
		return "", err
	}
	system := proto.NewSystem(proto.Config{
		Store: files.Log, Rules: func() *shell.Rules { return rules }, Boot: events.BootID(hex.EncodeToString(id[:])),
		Clock: clock{}, Draw: draw, Logger: app.Logger(),
	})
	defer func() {
		grace, cancel := context.WithTimeout(context.Background(), StopGrace)
		defer cancel()
		_ = system.Stop(grace) // one append, which was answered
	}()
	_, err = system.Ask(ctx, inbox, operator(), actors.Receive{CommandReceived: events.CommandReceived{
		Target: m.target, Command: m.command.Name(), Fields: events.JSON(fields),
	}})
	return inbox, err
}

// awaitSettled follows the message's stream.
func awaitSettled(ctx context.Context, files *Files, inbox events.StreamName) (*events.CommandSettled, error) {
	var after events.Position
	for {
		var settled *events.CommandSettled
		err := eachPayload(ctx, files.Log, inbox, func(e *events.Event, p events.Payload) {
			after = max(after, e.Position)
			if s, ok := p.(*events.CommandSettled); ok {
				settled = s
			}
		})
		if err != nil || settled != nil {
			return settled, err
		}
		if err := files.Log.Follow(ctx, after); err != nil {
			return nil, err
		}
		if err := files.Log.ReadAll(ctx, after, func(e *events.Event) bool {
			after = e.Position
			return true
		}); err != nil {
			return nil, err
		}
	}
}

// aboutPR addresses a command to a pull request.
func aboutPR(ref PRRef, command events.Command) func(context.Context, projections.Rows) (message, error) {
	return func(ctx context.Context, rows projections.Rows) (message, error) {
		found, err := findPR(ctx, rows, ref)
		if err != nil {
			return message{}, err
		}
		return message{target: found.Stream, command: command}, nil
	}
}

// Run asks for a review.
func (c *EnqueueCmd) Run(app *App) error {
	ref, err := c.PR.Ref()
	if err != nil {
		return err
	}
	return c.operate(app, aboutPR(ref, pr.Enqueue{SHA: c.SHA, High: c.Priority}))
}

// Run opens a head again.
func (c *RetryCmd) Run(app *App) error {
	ref, err := c.PR.Ref()
	if err != nil {
		return err
	}
	return c.operate(app, aboutPR(ref, pr.Retry{}))
}

// Run ends a queued or running head.
func (c *CancelCmd) Run(app *App) error {
	if c.RunID != "" {
		return c.operate(app, c.aboutRun)
	}
	ref, err := c.PR.Ref()
	if err != nil {
		return err
	}
	return c.operate(app, aboutPR(ref, pr.Cancel{Reason: c.Reason}))
}

// aboutRun finds the pull request that the run judges.
func (c *CancelCmd) aboutRun(ctx context.Context, rows projections.Rows) (message, error) {
	id, err := findRun(ctx, rows, c.RunID)
	if err != nil {
		return message{}, err
	}
	found, err := status.RunOf(ctx, rows, id)
	if err != nil {
		return message{}, err
	}
	return message{target: found.Stream, command: pr.Cancel{Run: id, Reason: c.Reason}}, nil
}

// Run stops starting new work.
func (c *PauseCmd) Run(app *App) error {
	return c.operate(app, aboutScope(c.Scope, func(scope string) events.Command { return fleet.Pause{Scope: scope} }))
}

// Run starts new work again.
func (c *ResumeCmd) Run(app *App) error {
	return c.operate(app, aboutScope(c.Scope, func(scope string) events.Command { return fleet.Resume{Scope: scope} }))
}

// aboutScope addresses a command to the fleet: about everything, a repository
// that is known, or a pull request.
func aboutScope(arg ScopeArg, command func(scope string) events.Command) func(context.Context, projections.Rows) (message, error) {
	return func(ctx context.Context, rows projections.Rows) (message, error) {
		scope, err := arg.Scope()
		if err != nil {
			return message{}, err
		}
		if scope.Repo == "" {
			return message{target: events.FleetStream, command: command("")}, nil
		}
		if scope.Number == 0 {
			return message{target: events.FleetStream, command: command(string(scope.Repo))}, knownRepo(ctx, rows, scope.Repo)
		}
		found, err := findPR(ctx, rows, scope)
		if err != nil {
			return message{}, err
		}
		return message{target: events.FleetStream, command: command(string(found.Stream))}, nil
	}
}

func knownRepo(ctx context.Context, rows projections.Rows, name events.RepoName) error {
	prs, err := status.GetPRs(ctx, rows, projections.Filter{Repo: string(name), Limit: 1})
	if err != nil || len(prs.Items) > 0 {
		return err
	}
	repos, err := status.GetRepos(ctx, rows, projections.Filter{Repo: string(name), Limit: 1})
	if err == nil && len(repos.Items) == 0 {
		err = NotFound("repository", string(name))
	}
	return err
}
