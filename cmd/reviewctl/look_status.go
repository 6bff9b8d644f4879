package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/status"
)

// Run prints the overview, once or after each change.
func (c *StatusCmd) Run(app *App) error {
	if !c.Watch {
		return c.look(app, func(ctx context.Context, f *Files, rows projections.Rows, now time.Time) error {
			answer, err := c.answer(ctx, app, f, rows, now)
			if err != nil {
				return err
			}
			return app.Print.Answer(answer)
		})
	}
	files, err := app.openToLook()
	if err != nil {
		return err
	}
	defer files.Close()
	return untilReaderGoes(app, func(ctx context.Context) error { return c.watch(ctx, app, files) })
}

// watch prints the overview again whenever the log has grown.
func (c *StatusCmd) watch(ctx context.Context, app *App, files *Files) error {
	for {
		end, err := c.redraw(ctx, app, files)
		if err != nil {
			return err
		}
		if err := files.Log.Follow(ctx, end); err != nil {
			return err
		}
	}
}

// redraw prints the overview, and returns how far the log is that it is about.
func (c *StatusCmd) redraw(ctx context.Context, app *App, files *Files) (events.Position, error) {
	wait, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	caught, err := files.CatchUp(wait)
	if err != nil {
		return 0, err
	}
	return caught.Position, files.Look(wait, func(rows projections.Rows) error {
		answer, err := c.answer(wait, app, files, rows, clock{}.Now())
		if err != nil {
			return err
		}
		if err := app.Print.Clear(); err != nil {
			return err
		}
		return app.Print.Answer(answer)
	})
}

// answer puts together what the rows say, what the daemon says of itself, and
// what lies on the disk.
func (c *StatusCmd) answer(ctx context.Context, app *App, f *Files, rows projections.Rows, now time.Time) (*StatusAnswer, error) {
	report, err := status.Status(ctx, rows, now)
	if err != nil {
		return nil, err
	}
	var answer StatusAnswer
	if c.At.IsZero() {
		daemon := askDaemon(ctx, f.Home)
		if daemon != nil {
			answer.Counters = &daemon.DaemonCounters
		}
		if err := lookAround(ctx, f, rows, daemon, &report.Watchdog); err != nil {
			return nil, err
		}
	}
	counters := answer.Counters
	if err := recast(report, &answer); err != nil {
		return nil, err
	}
	answer.Counters = counters
	if answer.Config = configState(report.Fleet.Config); answer.Config != nil && counters != nil {
		answer.Config.OnDisk = onDisk(answer.Config, app.Env)
	}
	answer.normalise()
	return &answer, nil
}

// WatchFreeMin is the room on the log's disk below which the watchdog barks.
const WatchFreeMin = 64 << 20

// lookAround adds to the watchdog's verdict what no event says.
func lookAround(ctx context.Context, f *Files, rows projections.Rows, daemon *DaemonState, w *status.Watchdog) error {
	switch runs := f.Home.DaemonRuns(); {
	case daemon != nil && daemon.Views != "": // reviews go on, and who looks pays
		w.Bark("the read models are not kept up: " + daemon.Views)
	case daemon != nil && daemon.Forge != "":
		w.Bark("GitHub is in trouble: " + daemon.Forge)
	case daemon == nil && runs:
		w.Bark("a daemon holds its lock and does not answer")
	case daemon == nil:
		head, err := status.WaitingForDaemon(ctx, rows)
		if err != nil {
			return err
		}
		if head != nil {
			w.Bark(fmt.Sprintf("no daemon is running, and %s waits for one", PRRef{head.Repo, head.Number}))
		}
	}
	if free, known, err := freeBytes(existing(filepath.Dir(f.Home.dir))); err == nil && known && free < WatchFreeMin {
		w.Bark(fmt.Sprintf("%d MiB are free where the log is", free>>20))
	}
	return nil
}

// configState is the configuration on record as it is printed.
func configState(c *status.Config) *ConfigState {
	if c == nil {
		return nil
	}
	state := &ConfigState{Digest: c.Digest, File: c.File, Since: c.Since.UTC(), Kept: c.Kept, Event: c.Event}
	if c.Rejected != nil {
		state.Rejected = c.Rejected.Reason
	}
	return state
}

// The states of the file on disk, against what the daemon works by.
const (
	OnDiskSame    = "same"
	OnDiskChanged = "changed"
	OnDiskBroken  = "broken"
)

// onDisk holds the file against what the daemon works by.
func onDisk(c *ConfigState, env func(string) string) string {
	read, err := readConfig(c.File, env)
	switch {
	case err != nil:
		return OnDiskBroken
	case read.keys.digest() != c.Digest:
		return OnDiskChanged
	}
	return OnDiskSame
}
