package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/git"
)

// What doctor asks for.
const (
	// GitMajorMin and GitMinorMin: from here on git takes settings from its
	// environment, which is how a repository's own are kept out. (case W1)
	GitMajorMin = 2
	GitMinorMin = 31
	// FilesMin is how many files a daemon with the default number of runs opens.
	FilesMin = 1024
	// ClockBehindMax is how far the clock may be behind the newest event.
	ClockBehindMax = time.Minute
	// gitWait bounds one question to git.
	gitWait = 10 * time.Second
	// viewsWait bounds how long doctor waits for the views.
	viewsWait = time.Minute
)

var gitVersion = regexp.MustCompile(`^git version (\d+)\.(\d+)`)

func (d *doctor) git(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	remedy := fmt.Sprintf("install git %d.%d or newer, and see that it is on PATH", GitMajorMin, GitMinorMin)
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	said := strings.TrimSpace(string(out))
	parts := gitVersion.FindStringSubmatch(said)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		d.bad("git", "there is none on PATH", remedy)
	case err != nil:
		d.bad("git", err.Error(), remedy)
	case parts == nil:
		d.bad("git", "it calls itself "+strconv.Quote(said), remedy)
	default:
		major, _ := strconv.Atoi(parts[1]) // digits
		minor, _ := strconv.Atoi(parts[2])
		if major < GitMajorMin || major == GitMajorMin && minor < GitMinorMin {
			d.bad("git", said+" is too old", remedy)
			return
		}
		d.good("git", strings.TrimPrefix(said, "git version "))
	}
}

// views catches them up.
func (d *doctor) views(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, viewsWait)
	defer cancel()
	report, err := d.files.Rows.CatchUp(ctx)
	if err != nil {
		d.failed("views", err)
		return
	}
	unknown := int64(0)
	for _, v := range report.Views {
		unknown = max(unknown, v.Checkpoint.Unknown)
		if v.Stopped != nil {
			d.bad("view "+string(v.View), v.Stopped.Error(),
				"reviewctl verify --all; then, with a version that knows the event, reviewctl projections rebuild "+string(v.View))
		}
	}
	if report.Err() == nil {
		d.good("views", fmt.Sprintf("%d read models are up to date at position %d; %d events of newer versions skipped", len(report.Views), report.Position, unknown))
	}
}

// clock holds the clock against the newest event: times in a log do not go back.
func (d *doctor) clock(ctx context.Context) {
	report, err := d.files.Rows.Report(ctx)
	if err != nil {
		d.failed("clock", err)
		return
	}
	var newest time.Time
	for _, v := range report.Views {
		if v.Checkpoint.Time.After(newest) {
			newest = v.Checkpoint.Time
		}
	}
	now := clock{}.Now()
	if behind := newest.Sub(now); behind > ClockBehindMax {
		d.bad("clock", fmt.Sprintf("it is %s behind the newest event (%s)", behind.Round(time.Second), newest.UTC().Format(time.RFC3339)),
			"set the clock, and let it be kept (NTP): deadlines wait until it has caught up")
		return
	}
	d.good("clock", now.UTC().Format(time.RFC3339)+", after the newest event")
}

// engines looks for the programs and for what holds them. None is started.
func (d *doctor) engines(noModels bool) {
	temp, err := os.MkdirTemp("", "reviewctl-doctor-")
	if err != nil {
		d.bad("temporary folder", errnoOf(err).Error(), "set TMPDIR to a folder that can be written")
		return
	}
	defer func() { _ = process.RemoveTree(temp) }() // a temporary folder goes in the end
	box, err := sandbox.New(temp)
	if err != nil {
		d.failed("sandbox", err)
		return
	}
	d.good("sandbox", box.Describe(false))
	d.good("engine "+EngineStatic, "it is part of this program")
	for _, name := range slices.Sorted(maps.Keys(d.config.Engines)) {
		e := d.config.Engines[name]
		switch {
		case e.Kind == KindStatic:
		case noModels && e.Model != "":
			d.good("engine "+name, "not looked at: --no-models")
		default:
			d.engine(name, &e, box, temp)
		}
	}
}

func (d *doctor) engine(name string, e *EngineConfig, box *sandbox.Sandbox, temp string) {
	label := "engine " + name
	path, err := exec.LookPath(e.Command[0])
	if err != nil {
		d.bad(label, fmt.Sprintf("%s: %v", e.Command[0], errors.Unwrap(err)),
			fmt.Sprintf("install it, or give its path in engines.%s.command; it must be executable", name))
		return
	}
	if e.Sandbox != "" {
		if _, err := box.Wrap(sandbox.Session{Command: []string{path}, Worktree: temp, Temp: temp, Strict: true}); err != nil {
			d.bad(label, err.Error(), fmt.Sprintf("install bubblewrap, use a kernel with Landlock, or remove engines.%s.sandbox", name))
			return
		}
	}
	d.good(label, path)
}

// repositories looks whether each can be read and has its branch.
func (d *doctor) repositories(ctx context.Context) {
	for i := range d.config.Repositories {
		r := &d.config.Repositories[i]
		label := "repository " + r.Name
		switch {
		case !r.IsEnabled():
			d.good(label, "not enabled")
		case r.Path == "": // github looks at all of them
		default:
			d.repository(ctx, label, r)
		}
	}
}

func (d *doctor) repository(ctx context.Context, label string, r *RepositoryConfig) {
	repo, err := git.Open(ctx, r.Path)
	if err != nil {
		e := Explain(usageOf(err, r.Path))
		d.bad(label, e.Error(), e.Remedy)
		return
	}
	branch, tip, err := repo.DefaultBranch(ctx, r.Base)
	switch {
	case errors.Is(err, git.ErrUnknownRef):
		d.bad(label, r.Path+": there is no branch to review against", "set base at the repository in "+ConfigFile)
	case err != nil:
		d.failed(label, err)
	default:
		d.good(label, fmt.Sprintf("%s, into %s at %s", repo.Top, branch, shortCommit(tip)))
	}
}

func (d *doctor) limits() {
	files, known, err := filesMax()
	switch {
	case err != nil:
		d.bad("open files", err.Error(), "see `ulimit -n`")
	case known && files < FilesMin:
		d.bad("open files", fmt.Sprintf("at most %d", files), fmt.Sprintf("raise the limit to %d or more: ulimit -n %d", FilesMin, FilesMin))
	case known:
		d.good("open files", fmt.Sprintf("at most %d", files))
	}
}
