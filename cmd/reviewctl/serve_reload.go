package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/events"
)

// ViewsRetry is how long a daemon waits before it tries again to keep read models
// that could not be written.
const ViewsRetry = 10 * time.Second

// daemon is a `serve` at work. Its configuration may change while it works: what
// runs goes on with what it was planned with, and new work is planned anew.
// (ARCHITECTURE, rule 4)
type daemon struct {
	app     *App
	cmd     *ServeCmd
	file    string // the configuration's; "" = none
	station *Station
	now     *configRead // in force
	atStart *Config     // its store and its address hold for this process
	places  *knownPlaces
	pollers map[events.RepoName]*polled
	hub     *hub
	intake  *intake                // nil = no repository on GitHub is configured
	views   atomic.Pointer[string] // why they are not kept up; nil = they are
}

// reload reads the configuration again. One that is broken leaves the old one in
// force, and says so in three places: here, on record, and in `status`.
func (d *daemon) reload(ctx context.Context) {
	next, err := d.cmd.read(d.app, d.file)
	if err != nil {
		d.reject(ctx, err)
		return
	}
	changed := d.now.keys.changed(next.keys)
	if err := d.carryOut(ctx, next); err != nil {
		d.reject(ctx, fmt.Errorf("carry out the configuration: %w", err))
		return
	}
	d.now = next
	if err := d.note(ctx, next, changed); err != nil {
		d.station.log.Error("configuration not on record", slog.Any("error", err))
	}
	what := "nothing changed"
	if len(changed) > 0 {
		what = "changed: " + strings.Join(changed, ", ")
	}
	d.app.Progress("configuration read again; " + what)
	for _, key := range d.kept(next) {
		d.app.Progress(key + " cannot change while it runs: it holds from the next start on")
	}
}

// carryOut makes new work follow a configuration. Each step may be repeated; the
// rules change last, so that nothing is planned with what is not there yet.
func (d *daemon) carryOut(ctx context.Context, next *configRead) error {
	rules, err := rulesOf(next.Config, next.policy).Seal()
	if err != nil {
		return err
	}
	if err := d.station.Engines.Configure(engineConfigs(next.Config)); err != nil {
		return err
	}
	d.places.learn(next.Config)
	config := StationConfig{Config: next.Config, Policy: next.policy, Configs: true}
	if err := d.station.record(ctx, rules, config); err != nil {
		return err
	}
	d.station.rules.Store(rules)
	return d.watch(ctx, next.Config)
}

// kept are the keys that a running daemon cannot change, and the file did.
func (d *daemon) kept(next *configRead) []string {
	var kept []string
	if next.Listen != d.atStart.Listen {
		kept = append(kept, "listen")
	}
	if next.Store != d.atStart.Store {
		kept = append(kept, "store")
	}
	if next.GitHub.APIURL != d.atStart.GitHub.APIURL {
		kept = append(kept, "github.api_url")
	}
	if next.GitHub.Labels != d.atStart.GitHub.Labels {
		kept = append(kept, "github.labels")
	}
	return kept
}

// note puts on record which configuration holds, and what of it is new.
func (d *daemon) note(ctx context.Context, now *configRead, changed []string) error {
	return d.station.tell(ctx, events.FleetStream, fleet.LoadConfig{
		Digest: now.keys.digest(), Rules: d.station.rules.Load().Digest, File: d.fileName(),
		Changed: firstKeys(changed), Kept: d.kept(now),
	})
}

// firstKeys are as many as the record takes.
func firstKeys(keys []string) []string {
	if len(keys) <= fleet.ConfigKeysMax {
		return keys
	}
	more := fmt.Sprintf("%d more", len(keys)-fleet.ConfigKeysMax+1)
	return append(slices.Clone(keys[:fleet.ConfigKeysMax-1]), more)
}

// fileName is the file's whole path: whoever reads it stands elsewhere.
func (d *daemon) fileName() string {
	path, err := filepath.Abs(d.file)
	if d.file == "" || err != nil {
		return d.file
	}
	return path
}

// reject says that the file was not taken.
func (d *daemon) reject(ctx context.Context, why error) {
	if ctx.Err() != nil {
		return // it is stopping
	}
	reason := allReasons(why)
	d.station.log.Error("configuration rejected; the old one holds", slog.String("why", reason))
	err := d.station.tell(ctx, events.FleetStream, fleet.RejectConfig{File: d.fileName(), Reason: reason})
	if err != nil {
		d.station.log.Error("rejection not on record", slog.Any("error", err))
	}
}

// allReasons is everything that is wrong with a file, in its order.
func allReasons(err error) string {
	problems := cliErrors(err)
	slices.SortStableFunc(problems, byPlace)
	var reasons []string
	for _, e := range problems {
		reasons = append(reasons, e.Error())
	}
	text := strings.Join(reasons, "; ")
	if len(text) > fleet.ConfigReasonMax {
		text = strings.ToValidUTF8(text[:fleet.ConfigReasonMax-len("…")], "") + "…"
	}
	return text
}

// keepViews keeps the read models up while the daemon works. Where they cannot be
// written it says so and goes on: reviews need none of them.
func (d *daemon) keepViews(ctx context.Context) {
	for {
		_, err := d.station.Rows.CatchUp(ctx)
		switch {
		case err == nil && d.station.unkept != nil:
			why := whyUnwritable(d.station.unkept) + ", in memory only"
			d.views.Store(&why)
		case err == nil && d.views.Swap(nil) != nil:
			d.app.Progress("views are kept up again")
		}
		if err == nil {
			err = d.station.Rows.Run(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		why := err.Error()
		if last := d.views.Swap(&why); last == nil || *last != why {
			d.station.log.Error("views are not kept up; reviews go on", slog.Any("error", err))
		}
		retry := time.NewTimer(ViewsRetry)
		select {
		case <-ctx.Done():
			retry.Stop()
			return
		case <-retry.C:
		}
	}
}
