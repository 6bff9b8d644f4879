package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/answer"
	"github.com/reviewctl/reviewctl/adapters/engine/artifact"
	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// patchName is the file with the whole diff, in the session's own folder.
const patchName = "change.patch"

// Grace is how long a program gets at its end.
type Grace struct {
	Term time.Duration // between SIGTERM and SIGKILL; 0 = TermDefault
	Pipe time.Duration // for a pipe that stays open after its end; 0 = PipeDefault
}

// The default graces. (semantics 11.1)
const (
	TermDefault = 15 * time.Second
	PipeDefault = 10 * time.Second
)

// Params is what an engine needs.
type Params struct {
	Name      events.EngineName
	Command   []string
	Env       []string // names of variables that the program gets beside the usual ones
	Strict    bool
	Temp      string
	Boot      events.BootID
	Artifacts *artifact.Folder
	Sandbox   *sandbox.Sandbox
	Grace     Grace
}

// Engine runs one configured program.
type Engine struct{ Params }

// New returns the engine.
func New(p Params) *Engine {
	if p.Grace.Term == 0 {
		p.Grace.Term = TermDefault
	}
	if p.Grace.Pipe == 0 {
		p.Grace.Pipe = PipeDefault
	}
	return &Engine{Params: p}
}

// lane is one session at work.
type lane struct {
	*Engine
	in      *session.Input
	temp    string // its own folder, which goes with it
	command []string
	record  record
	spent   events.Usage
	turns   int
}

// Review runs the program until its answer holds, or three turns are over.
func (e *Engine) Review(ctx context.Context, in *session.Input) (*session.Answer, error) {
	told := *in
	told.Prior = fitting(in.Prior)
	l := &lane{Engine: e, in: &told, record: record{Schema: 1, Engine: e.Name}}
	if err := l.prepare(); err != nil {
		return nil, &session.Failure{
			Kind: events.FailureInfra, Message: err.Error(), Usage: events.Usage{Confidence: events.ConfidenceExact},
		}
	}
	got, err := l.review(ctx)
	// The folder goes after the processes that write to it.
	if cleanErr := process.RemoveTree(filepath.Dir(l.temp)); cleanErr != nil && err == nil {
		err = l.failure(events.FailureInfra, cleanErr.Error())
	}
	if err != nil {
		return nil, err
	}
	return got, nil
}

// prepare makes the session's folder and finds the program.
func (l *lane) prepare() error {
	path, err := osexec.LookPath(l.Command[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("the engine's program is not here: %w", err)
	}
	root, err := os.MkdirTemp(l.Temp, "lane-")
	if err != nil {
		return fmt.Errorf("make the engine's folder: %w", err)
	}
	l.temp = filepath.Join(root, "tmp")
	if err = os.Mkdir(l.temp, 0o700); err == nil {
		err = os.WriteFile(l.patch(), l.in.Change.Patch, 0o400)
	}
	if err == nil {
		l.command, err = l.Sandbox.Wrap(sandbox.Session{
			Command: append([]string{path}, l.Command[1:]...), Worktree: l.in.Change.Dir, Temp: l.temp, Strict: l.Strict,
		})
	}
	if err != nil {
		return errors.Join(fmt.Errorf("prepare the engine: %w", err), process.RemoveTree(root))
	}
	return nil
}

// patch is beside TMPDIR and not in it, so that a program cannot write to it in a
// strict sandbox.
func (l *lane) patch() string { return filepath.Join(filepath.Dir(l.temp), patchName) }

// review is the turns. A turn that fails ends them.
func (l *lane) review(ctx context.Context) (*session.Answer, error) {
	request := newRequest(l.in, l.patch())
	for {
		out, err := l.turn(ctx, request)
		if err != nil {
			return nil, err
		}
		got, err := answer.Parse(out.stdout, answer.Expected{Phase: l.in.Job.Phase, Head: l.in.Change.Head, Prior: l.in.Prior})
		var broken *answer.BrokenError
		var failed *answer.EngineError
		switch {
		case err == nil:
			l.add(got.Usage)
			return l.good(ctx, got)
		case errors.As(err, &failed):
			kind := events.FailureInfra
			if failed.Limit {
				kind = events.FailureUsageLimit
			}
			return nil, l.fail(ctx, kind, failed.Message)
		case errors.As(err, &broken):
			l.add(events.Usage{Confidence: events.ConfidenceUnknown})
			l.record.last().Faults = broken.Faults
			if l.turns > CorrectionsMax {
				return nil, l.fail(ctx, events.FailureContract, "the answer broke its contract: "+broken.Error())
			}
			request.Correction = &Correction{
				Turn: l.turns, Of: CorrectionsMax, Errors: broken.Faults, Previous: head(out.stdout, previousMax),
			}
		default:
			return nil, l.fail(ctx, events.FailureContract, err.Error())
		}
	}
}

// good is the answer, without secrets.
func (l *lane) good(ctx context.Context, got *answer.Reviewer) (*session.Answer, error) {
	scrub := l.scrubber(ctx)
	for i := range got.Findings {
		f := &got.Findings[i]
		for _, text := range []*string{&f.Title, &f.Body, &f.Suggestion, &f.File, &f.Category, &f.Rule} {
			*text = scrub.text(*text)
		}
		if scrub.text(f.Quote) != f.Quote {
			f.Quote = "" // masked, it is in no file
		}
	}
	summary := scrub.text(got.Summary)
	for i := range got.Notes {
		got.Notes[i] = scrub.text(got.Notes[i])
	}
	if scrub.err != nil {
		return nil, l.failure(events.FailureInfra, "the answer could not be searched for secrets: "+scrub.err.Error())
	}
	digest, err := l.keep(ctx)
	if err != nil {
		return nil, l.failure(events.FailureInfra, err.Error())
	}
	return &session.Answer{
		Findings: got.Findings, Usage: l.spent, Summary: summary, Notes: got.Notes,
		Engine: "exec/" + string(l.Name), Sandbox: l.Sandbox.Describe(l.Strict), Artifact: digest,
	}, nil
}

// fail is a failure with a message of the engine's and what it printed.
func (l *lane) fail(ctx context.Context, kind events.FailureKind, message string) *session.Failure {
	scrub := l.scrubber(ctx)
	message = scrub.text(head(message, messageMax))
	if scrub.err != nil {
		message = "the engine's message could not be searched for secrets"
	}
	failed := l.failure(kind, message)
	if digest, err := l.keep(ctx); err == nil {
		failed.Artifact = digest
	}
	return failed
}

// messageMax bounds a message before it is searched for secrets.
const messageMax = 4 << 10

// failure is one whose message is ours.
func (l *lane) failure(kind events.FailureKind, message string) *session.Failure {
	usage := l.spent
	if l.turns == 0 {
		usage.Confidence = events.ConfidenceExact
	}
	return &session.Failure{Kind: kind, Message: message, Usage: usage, Sandbox: l.Sandbox.Describe(l.Strict)}
}

// add sums the turns up.
func (l *lane) add(u events.Usage) { l.spent = l.spent.Plus(u) }

func (l *lane) mark() process.Mark { return process.Mark{Boot: l.Boot, Key: l.in.Job.Key} }
