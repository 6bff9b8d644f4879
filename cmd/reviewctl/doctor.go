package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/status"
)

// DoctorAnswer is what `doctor` prints. (CLI.md, "Shapes")
type DoctorAnswer struct {
	Checks []DoctorCheck `json:"checks"`
}

// DoctorCheck is one thing that a run needs.
type DoctorCheck struct {
	Label  string `json:"label"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy"` // "" = nothing is to be done
}

// Result is nil, or ErrAnswerNo where a check failed.
func (a *DoctorAnswer) Result() error {
	for _, check := range a.Checks {
		if !check.OK {
			return ErrAnswerNo
		}
	}
	return nil
}

func (a *DoctorAnswer) text(p *Printer) string {
	var b strings.Builder
	for _, check := range a.Checks {
		mark := p.paint("32", "[ok]")
		if !check.OK {
			mark = p.paint("1;31", "[FAIL]")
		}
		fmt.Fprintf(&b, "%s %s: %s\n", mark, Plain(check.Label), strings.ReplaceAll(Plain(check.Detail), "\n", " "))
		if check.Remedy != "" {
			fmt.Fprintf(&b, "  → %s\n", Plain(check.Remedy))
		}
	}
	return b.String()
}

// doctor makes the checks, one after the other.
type doctor struct {
	app    *App
	config *Config
	log    string // the log's path
	home   Home
	files  *Files // nil = there is no log, or it cannot be opened
	answer DoctorAnswer

	transport http.RoundTripper // to GitHub; nil = TCP
}

func (d *doctor) good(label, detail string) {
	d.answer.Checks = append(d.answer.Checks, DoctorCheck{Label: label, OK: true, Detail: detail})
}

func (d *doctor) bad(label, detail, remedy string) {
	d.answer.Checks = append(d.answer.Checks, DoctorCheck{Label: label, Detail: detail, Remedy: remedy})
}

// failed adds an error with the remedy that it has everywhere else.
func (d *doctor) failed(label string, err error) {
	e := Explain(err)
	d.bad(label, e.Error(), e.Remedy)
}

// Run checks everything that a run needs. It makes no log and changes none.
func (c *DoctorCmd) Run(app *App) error {
	config, err := LoadConfig(app.Globals, app.Env)
	if err != nil {
		return err
	}
	path, err := SQLitePath(config.Store)
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	d := &doctor{app: app, config: config, log: path, home: HomeOf(path)}
	d.git(app.Context)
	d.configuration()
	d.store(app.Context)
	if d.files != nil {
		defer d.files.Close()
		d.views(app.Context)
		d.clock(app.Context)
	}
	d.folder()
	d.daemon(app.Context)
	d.engines(c.NoModels)
	d.repositories(app.Context)
	d.github(app.Context)
	d.limits()
	if err := app.Context.Err(); err != nil {
		return err
	}
	if err := app.Print.Answer(&d.answer); err != nil {
		return err
	}
	return d.answer.Result()
}

func (d *doctor) configuration() {
	from := "no file: the built-in defaults"
	if d.config.File != "" {
		from = d.config.File
	}
	d.good("configuration", from)
	switch policy, err := d.config.ReadPolicy(""); {
	case err != nil:
		d.failed("policy", err)
	default:
		d.good("policy", fmt.Sprintf("changes are requested at %s; approvals stand: %v", policy.Verdict.RequestChangesAt, policy.Approve))
	}
}

// FreeMin is the room that the log's disk should have: a run's worth of checkouts
// and artefacts.
const FreeMin = 512 << 20

// store looks at the log: that it can be opened and written, that SQLite finds it
// whole with each stream's head at its last event, and that there is room.
func (d *doctor) store(ctx context.Context) {
	d.room()
	if _, err := os.Stat(d.log); errors.Is(err, fs.ErrNotExist) {
		d.good("store", d.log+" is not made yet; the first review or serve makes it")
		return
	}
	log, err := sqlite.Open(ctx, d.log, sqlite.Options{})
	if err != nil {
		d.failed("store", err)
		return
	}
	files := &Files{Home: d.home, Log: log, notice: d.app.Progress}
	if err := writable(d.log); err != nil {
		d.bad("store", d.log+": "+errnoOf(err).Error(), "make the file and its folder writable for this user, or name another with --store")
	} else {
		d.good("store", d.log+" can be read and written")
	}
	d.app.Progress("checking the log")
	if err := log.Check(ctx); err != nil {
		d.failed("store check", err)
	} else {
		d.good("store check", "SQLite finds it whole, and each stream's head is its last event (reviewctl verify checks the whole chain)")
	}
	if files.Views, err = sqlite.OpenViews(sqlite.ViewsPath(d.log)); err != nil {
		d.failed("views", err)
		_ = log.Close() // it was only read
		return
	}
	files.Stored, files.Rows = files.Views, projections.NewRunner(files.Log, files.Views, catalogue.All())
	d.files = files
}

// room says how much is free where the log is, or will be.
func (d *doctor) room() {
	free, known, err := freeBytes(existing(filepath.Dir(d.log)))
	switch {
	case err != nil:
		d.bad("free space", errnoOf(err).Error(), "see that the log's folder is there, or name another log with --store")
	case known && free < FreeMin:
		d.bad("free space", fmt.Sprintf("%d MiB at %s", free>>20, filepath.Dir(d.log)), fmt.Sprintf("free at least %d MiB there, or name another log with --store", int64(FreeMin)>>20))
	case known:
		d.good("free space", fmt.Sprintf("%d MiB at %s", free>>20, filepath.Dir(d.log)))
	}
}

// existing is the folder, or the nearest above it that is there.
func existing(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// folder looks at what stands beside the log.
func (d *doctor) folder() {
	at := existing(d.home.dir)
	if err := tryFile(at); err != nil {
		d.bad("folder", at+": "+errnoOf(err).Error(), "make it writable for this user, or name another log with --store")
		return
	}
	locks, err := os.ReadDir(d.home.boots())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.bad("folder", "the locks cannot be listed: "+errnoOf(err).Error(), "make "+d.home.boots()+" readable for this user")
		return
	}
	living, dead := 0, 0
	boots := &Boots{home: d.home}
	for _, f := range locks {
		switch {
		case strings.HasSuffix(f.Name(), halfSuffix):
		case boots.unlocked(events.BootID(f.Name())):
			dead++
		default:
			living++
		}
	}
	d.good("folder", fmt.Sprintf("%s can be written; %d processes at work, %d ended without tidying up (the next start does)", at, living, dead))
}

// tryFile makes a file in a folder and removes it.
func tryFile(folder string) error {
	f, err := os.CreateTemp(folder, ".reviewctl-doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (d *doctor) daemon(ctx context.Context) {
	switch {
	case !d.home.DaemonRuns():
		d.good("daemon", "none is running on this log; commands are recorded until one does")
	case askDaemon(ctx, d.home) == nil:
		d.bad("daemon", "it holds its lock and does not answer at "+d.home.socket(), "look at what it prints, and start it again; nothing is lost")
	default:
		d.good("daemon", "it is running and answers")
		d.running(ctx)
	}
}

// running holds the file on disk against what the daemon works by.
func (d *doctor) running(ctx context.Context) {
	if d.files == nil {
		return
	}
	fleet, err := status.FleetNow(ctx, d.files.Stored)
	state := configState(fleet.Config)
	switch {
	case err != nil:
		d.failed("running configuration", err)
		return
	case state == nil:
		return
	}
	if state.Rejected != "" {
		d.bad("running configuration", "the newest file was rejected: "+state.Rejected, "reviewctl config check, then send SIGHUP to the daemon")
		return
	}
	what := fmt.Sprintf("%.12s since %s", state.Digest, state.Since.Format(time.RFC3339))
	switch onDisk(state, d.app.Env) {
	case OnDiskBroken:
		d.bad("running configuration", what+"; the file is broken", "reviewctl config check, then send SIGHUP to the daemon")
	case OnDiskChanged:
		d.answer.Checks = append(d.answer.Checks, DoctorCheck{
			Label: "running configuration", OK: true, Detail: what + "; " + ChangedOnDisk, Remedy: "kill -HUP the daemon, or start it again",
		})
	default:
		d.good("running configuration", what+", as on disk")
	}
}
