package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
)

// Files are a log and its read models, opened. Where the read models cannot be
// kept in their file, they are built in memory from the log.
type Files struct {
	Home   Home
	Log    *sqlite.Log
	Views  *sqlite.Views // nil = they are in memory, or were not asked for
	Rows   *projections.Runner
	Stored projections.Rows // what Rows writes and everybody reads

	notice func(string) // tells people on stderr what is not as it should be
	unkept error        // why the read models are in memory; nil = they are in their file
	anew   bool         // they were told that the views started anew
}

// openFiles opens the configured log to work with it; create makes one where
// there is none.
func (a *App) openFiles(c *Config, create bool) (*Files, error) {
	path, err := logPath(c, create)
	if err != nil {
		return nil, err
	}
	f := &Files{Home: HomeOf(path), notice: a.Progress}
	if f.Log, err = sqlite.Open(a.Context, path, sqlite.Options{}); err != nil {
		return nil, err
	}
	f.openViews(path)
	return f, nil
}

// logPath is where the configured log is. Where there is none, and none is to be
// made, that is an error.
func logPath(c *Config, create bool) (string, error) {
	path, err := SQLitePath(c.Store)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if create {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", &CLIError{
				Code: CodeReadOnly, What: "the log's folder cannot be made", Subject: err.Error(),
				Remedy: "name another with --store sqlite:PATH", Err: err,
			}
		}
	} else if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", &CLIError{
			Code: CodeNotFound, What: "no such store", Subject: path,
			Remedy: "name it with --store, or make it with `reviewctl review` or `reviewctl serve`",
		}
	}
	return path, nil
}

// openLog opens the configured log for a verb that makes none.
func (a *App) openLog() (*Files, error) {
	config, err := LoadConfig(a.Globals, a.Env)
	if err != nil {
		return nil, err
	}
	return a.openFiles(config, false)
}

// openToRead opens the configured log for a verb that only reads it, without the
// read models: one that cannot be written is read as it is.
func (a *App) openToRead() (f *Files, path string, err error) {
	config, err := LoadConfig(a.Globals, a.Env)
	if err != nil {
		return nil, "", err
	}
	if path, err = logPath(config, false); err != nil {
		return nil, "", err
	}
	f = &Files{Home: HomeOf(path), notice: a.Progress}
	if f.Log, err = sqlite.Open(a.Context, path, sqlite.Options{}); err == nil {
		return f, path, nil
	}
	if !unwritable(err) {
		return nil, "", err
	}
	readOnly, second := sqlite.Open(a.Context, path, sqlite.Options{ReadOnly: true})
	if second != nil {
		return nil, "", err // the first tells more
	}
	f.Log = readOnly
	f.notice("the log cannot be written (" + whyUnwritable(err) + "); it is read as it is")
	return f, path, nil
}

// openToLook opens the configured log and its read models for a verb that only
// looks.
func (a *App) openToLook() (*Files, error) {
	f, path, err := a.openToRead()
	if err != nil {
		return nil, err
	}
	f.openViews(path)
	return f, nil
}

// unwritable reports whether a file may be there and cannot be written, or cannot
// be written now.
func unwritable(err error) bool {
	return errors.Is(err, events.ErrReadOnly) || errors.Is(err, events.ErrFull) || errors.Is(err, events.ErrUnavailable)
}

// whyUnwritable says it in a few words.
func whyUnwritable(err error) string {
	switch {
	case errors.Is(err, events.ErrFull):
		return "no space is left"
	case errors.Is(err, events.ErrReadOnly):
		return "it may only be read"
	}
	text := err.Error()
	return strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
}

// openViews opens the read models of a log. They are a cache: one that cannot be
// had costs time, and no answer.
func (f *Files) openViews(log string) {
	views, err := sqlite.OpenViews(sqlite.ViewsPath(log))
	if err != nil {
		f.useMemory(err)
		return
	}
	f.Views, f.Stored = views, views
	f.Rows = projections.NewRunner(f.Log, views, catalogue.All())
}

// useMemory builds the read models in memory from here on.
func (f *Files) useMemory(why error) {
	f.unkept = why
	f.notice("the read models cannot be kept in their file (" + whyUnwritable(why) + "); they are built in memory from the log")
	memory := projections.NewMemory()
	f.Stored, f.Rows = memory, projections.NewRunner(f.Log, memory, catalogue.All())
	if f.Views != nil {
		_ = f.Views.Close() // nobody writes them any more
		f.Views = nil
	}
}

// Look catches the read models up and reads them, in memory where they cannot be
// kept.
func (f *Files) Look(ctx context.Context, look func(projections.Rows) error) error {
	return f.withRows(ctx, func() error { return f.Rows.Look(ctx, look) })
}

// CatchUp catches the read models up, in memory where they cannot be kept.
func (f *Files) CatchUp(ctx context.Context) (report projections.Report, err error) {
	err = f.withRows(ctx, func() error {
		report, err = f.Rows.CatchUp(ctx)
		return err
	})
	return report, err
}

func (f *Files) withRows(ctx context.Context, work func() error) error {
	err := work()
	if f.Views != nil && ctx.Err() == nil && (unwritable(err) || errors.Is(err, projections.ErrLost)) {
		f.useMemory(err)
		err = work()
	}
	if f.Views != nil && f.Views.StartedAnew() && !f.anew {
		f.anew = true
		f.notice("the read models were damaged; they were built again from the log")
	}
	return err
}

// Close closes both files. Closing again does nothing.
func (f *Files) Close() error {
	var err error
	if f.Views != nil {
		err = f.Views.Close()
	}
	return errors.Join(err, f.Log.Close())
}

// LoadSnapshot serves proto.Snapshots.
func (f *Files) LoadSnapshot(ctx context.Context, stream events.StreamName, code string) (*shell.Snapshot, error) {
	if f.Views == nil {
		return nil, nil
	}
	version, hash, at, state, ok, err := f.Views.LoadSnapshot(ctx, stream, code)
	if err != nil || !ok {
		return nil, err
	}
	return &shell.Snapshot{Version: version, Head: hash, At: events.FormatTime(at), State: state}, nil
}

// SaveSnapshot serves proto.Snapshots.
func (f *Files) SaveSnapshot(ctx context.Context, stream events.StreamName, code string, s shell.Snapshot) error {
	if f.Views == nil {
		return nil
	}
	at, err := events.ParseTime(s.At)
	if err != nil {
		return err
	}
	return f.Views.SaveSnapshot(ctx, stream, code, s.Version, s.Head, at, s.State)
}

// LoadMark serves proto.Marks.
func (f *Files) LoadMark(ctx context.Context, name string) (events.Position, error) {
	if f.Views == nil {
		return 0, nil // from the start: what was done is done already
	}
	return f.Views.Position(ctx, name)
}

// SaveMark serves proto.Marks.
func (f *Files) SaveMark(ctx context.Context, name string, p events.Position) error {
	if f.Views == nil {
		return nil
	}
	return f.Views.SetPosition(ctx, name, p)
}
