package localgit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// Host is the forge's name in streams. (ARCHITECTURE, "Streams")
const Host = "local"

// How often a round is due when nothing is noticed, and how long a notice waits
// for more to come: git renames several files for one change.
const (
	IntervalDefault = 30 * time.Second
	SettleTime      = 100 * time.Millisecond
)

// Params are one local repository, and what a Poller needs.
type Params struct {
	Repo     events.RepoName
	RepoID   string   // what the repository's streams are called after
	Path     string   // of the repository
	Base     string   // the base branch; "" = the default branch
	Globs    []string // of branches; none = all
	Owner    events.BootID
	Priority events.Priority
	Settings events.Settings
	Interval time.Duration // default IntervalDefault

	// Ask sends a command and waits until it is carried out, or refused with a
	// *events.Refusal.
	Ask func(ctx context.Context, stream events.StreamName, cmd events.Command) error
	// Numbers reads the numbers on record in the repository's stream, by ref.
	Numbers func(ctx context.Context) (map[string]int, error)
	Clock   actors.Clock
	Log     *slog.Logger
}

// Poller tells the actors what happens to a repository's branches.
type Poller struct {
	Params

	turn    sync.Mutex // of one round
	told    memory
	numbers map[string]int // nil before the first round
	trouble string         // that is on record; "" = none
	noted   bool           // since the start

	loop actors.Loop
	wake chan struct{}
}

// NewPoller checks the patterns. It reads nothing yet.
func NewPoller(p Params) (*Poller, error) {
	for _, glob := range p.Globs {
		if err := git.CheckGlob(glob); err != nil {
			return nil, fmt.Errorf("watch repository %s: %w", p.Repo, err)
		}
	}
	if p.Interval <= 0 {
		p.Interval = IntervalDefault
	}
	return &Poller{Params: p, told: memory{}, wake: make(chan struct{}, 1)}, nil
}

// Round reads the repository once and asks the actors for what follows. What
// could not be asked for is due again in the next round; one branch's trouble
// holds up no other.
func (p *Poller) Round(ctx context.Context) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	now, err := p.look(ctx)
	if err := errors.Join(err, p.note(ctx, err)); err != nil {
		return fmt.Errorf("poll repository %s: %w", p.Repo, err)
	}
	var numbered []string
	if p.numbers == nil {
		if p.numbers, err = p.Numbers(ctx); err != nil {
			return fmt.Errorf("poll repository %s: %w", p.Repo, err)
		}
		if p.numbers == nil {
			p.numbers = map[string]int{}
		}
		numbered = slices.Collect(maps.Keys(p.numbers))
	}
	var troubles []error
	for _, s := range decide(now, p.told, numbered, p.matches) {
		if err := p.carryOut(ctx, now, s); err != nil {
			troubles = append(troubles, fmt.Errorf("branch %q: %w", s.ref, err))
		}
	}
	if err := errors.Join(troubles...); err != nil {
		return fmt.Errorf("poll repository %s: %w", p.Repo, err)
	}
	return nil
}

// look reads the branches and the base.
func (p *Poller) look(ctx context.Context) (view, error) {
	r, err := git.Open(ctx, p.Path)
	if err != nil {
		return view{}, err
	}
	base, tip, err := r.DefaultBranch(ctx, p.Base)
	if err != nil {
		return view{}, err
	}
	branches, err := r.Branches(ctx, p.Globs...)
	if err != nil {
		return view{}, err
	}
	return view{base: base, tip: tip, branches: branches}, nil
}

func (p *Poller) matches(ref string) bool {
	for _, glob := range p.Globs {
		if git.MatchGlob(glob, ref) {
			return true
		}
	}
	return len(p.Globs) == 0
}

// carryOut asks for one step and remembers that it was asked for.
func (p *Poller) carryOut(ctx context.Context, now view, s step) error {
	if s.branch == nil {
		// A closing that fails is remembered as a head that is nowhere.
		p.told[s.ref] = ""
		if number, known := p.numbers[s.ref]; known {
			stream := events.PRStream(Host, p.RepoID, number)
			if err := p.ask(ctx, stream, pr.Close{Reason: "the branch is gone"}); err != nil {
				return err
			}
		}
		delete(p.told, s.ref)
		return nil
	}
	number, err := p.number(ctx, s.ref)
	if err != nil {
		return err
	}
	err = p.ask(ctx, events.PRStream(Host, p.RepoID, number), pr.Observe{
		Host: Host, RepoID: p.RepoID, Repo: p.Repo, Number: number, Ref: s.ref, BaseRef: now.base,
		Title: s.branch.Subject, Author: s.branch.Author.Name, Head: s.branch.Head, Base: now.tip,
		Priority: p.Priority, Owner: p.Owner, Settings: p.Settings,
	})
	if err != nil {
		return err
	}
	p.told[s.ref] = s.branch.Head
	return nil
}

// number returns a branch's number and asks for one where it has none.
func (p *Poller) number(ctx context.Context, ref string) (int, error) {
	if n, known := p.numbers[ref]; known {
		return n, nil
	}
	if err := p.Ask(ctx, events.RepoStream(Host, p.RepoID), repo.NumberBranch{Ref: ref}); err != nil {
		return 0, err
	}
	numbers, err := p.Numbers(ctx)
	if err != nil {
		return 0, err
	}
	n, known := numbers[ref]
	if !known {
		return 0, errNoNumber
	}
	p.numbers = numbers
	return n, nil
}

var errNoNumber = errors.New("it has no number on record")

// ask sends a command to a pull request. A refusal is an answer: the same command
// would be refused again.
func (p *Poller) ask(ctx context.Context, stream events.StreamName, cmd events.Command) error {
	err := p.Ask(ctx, stream, cmd)
	var refusal *events.Refusal
	if errors.As(err, &refusal) {
		p.Log.Warn("command refused", "stream", stream, "command", cmd.Name(), "reason", refusal.Reason)
		return nil
	}
	return err
}
