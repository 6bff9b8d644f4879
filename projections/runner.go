package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// Runner folds the log into views. It may be used from many goroutines; they
// take turns.
type Runner struct {
	log   events.Store
	rows  Rows
	views []*follower
	turn  chan struct{} // holds one token
	end   events.Position
}

// follower is one view on its way through the log.
type follower struct {
	view    View
	tx      *Tx
	opened  bool
	at      Checkpoint
	stopped *StoppedError
}

// NewRunner returns a runner of these views. Nothing is read before it is asked.
func NewRunner(log events.Store, rows Rows, views []View) *Runner {
	r := &Runner{log: log, rows: rows, turn: make(chan struct{}, 1)}
	for _, v := range views {
		r.views = append(r.views, newFollower(rows, v, v.Name))
	}
	r.turn <- struct{}{}
	return r
}

func newFollower(rows Rows, v View, storedAs ViewName) *follower {
	return &follower{view: v, tx: newTx(rows, storedAs)}
}

// CatchUp runs the views to the end that the log has now, and says where that
// is. A stopped view is in the report; an error is one of the log or the rows.
func (r *Runner) CatchUp(ctx context.Context) (Report, error) {
	if err := r.takeTurn(ctx); err != nil {
		return Report{}, err
	}
	defer r.endTurn()
	if err := r.lookAround(ctx); err != nil && !errors.Is(err, ErrLost) {
		return Report{}, err
	}
	return r.catchUp(ctx)
}

// catchUp catches up; where the rows are lost on the way, it begins again.
func (r *Runner) catchUp(ctx context.Context) (Report, error) {
	err := r.pass(ctx)
	if errors.Is(err, ErrLost) {
		// The rows start anew, and so do we; once, lest a bad disk keep us here.
		for _, f := range r.views {
			f.opened = false
		}
		err = r.pass(ctx)
	}
	if err != nil {
		return Report{}, err
	}
	return r.report(), nil
}

// lookAround notices what others have done with the rows. A commit would notice,
// but where the log has not grown there is none.
func (r *Runner) lookAround(ctx context.Context) error {
	for _, f := range r.views {
		at, err := r.rows.Checkpoint(ctx, f.view.Name)
		if err != nil {
			return fmt.Errorf("read checkpoint of %s: %w", f.view.Name, err)
		}
		if f.opened && !at.Same(f.stored()) {
			f.opened = false
		}
	}
	return nil
}

func (r *Runner) pass(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	return r.toTheEnd(ctx, r.views, nil)
}

// Look catches up and then calls look, which reads rows of the named views. What
// was lost meanwhile is built again and looked at once more.
func (r *Runner) Look(ctx context.Context, look func(Rows) error, names ...ViewName) error {
	for again := true; ; again = false {
		report, err := r.CatchUp(ctx)
		if err == nil {
			err = report.Err(names...)
		}
		if err == nil {
			err = look(r.rows)
		}
		if !again || !errors.Is(err, ErrLost) {
			return err
		}
	}
}

// Run catches up whenever the log has grown, until the context ends, and returns
// the context's error, or the first of the log or the rows, or, when no view goes
// on any more, why.
func (r *Runner) Run(ctx context.Context) error {
	for {
		report, err := r.takeUp(ctx)
		if err != nil {
			return err
		}
		if report.allStopped() {
			return report.Err()
		}
		if err := r.log.Follow(ctx, report.Position); err != nil {
			return fmt.Errorf("follow the log: %w", err)
		}
	}
}

func (r *Runner) takeUp(ctx context.Context) (Report, error) {
	if err := r.takeTurn(ctx); err != nil {
		return Report{}, err
	}
	defer r.endTurn()
	return r.catchUp(ctx)
}

// Report says how far the views are, without reading the log. Its position is
// that of the view that is farthest.
func (r *Runner) Report(ctx context.Context) (Report, error) {
	if err := r.takeTurn(ctx); err != nil {
		return Report{}, err
	}
	defer r.endTurn()
	var report Report
	for _, f := range r.views {
		at, err := r.rows.Checkpoint(ctx, f.view.Name)
		if err != nil {
			return Report{}, fmt.Errorf("read checkpoint of %s: %w", f.view.Name, err)
		}
		report.Views = append(report.Views, ViewReport{View: f.view.Name, Checkpoint: at, Stopped: f.stopped})
		report.Position = max(report.Position, at.Position)
	}
	return report, nil
}

func (r *Runner) takeTurn(ctx context.Context) error {
	select {
	case <-r.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Runner) endTurn() { r.turn <- struct{}{} }

func (r *Runner) report() Report {
	report := Report{Position: r.end}
	for _, f := range r.views {
		report.Views = append(report.Views, ViewReport{View: f.view.Name, Checkpoint: f.at, Stopped: f.stopped})
	}
	return report
}
