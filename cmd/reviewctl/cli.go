package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const description = `Reviews changes with any number of engines and keeps one log of what it decided.

Exit: 0 done, and the answer is good · 1 done, and the answer is no · 2 wrong usage or configuration ·
3 could not be carried out, the same call may be repeated · 4 no such thing · 130 interrupted.`

// Globals are the flags that every verb takes.
type Globals struct {
	Store   string `placeholder:"URL" help:"The log: sqlite:PATH ($REVIEWCTL_STORE; default: in the user's state directory)."`
	Config  string `placeholder:"FILE" help:"The configuration ($REVIEWCTL_CONFIG; default: ./reviewctl.yaml, else the user's, else the built-in one)."`
	JSON    bool   `name:"json" help:"Print one JSON document; with --follow and --watch one a line."`
	NoColor bool   `help:"Plain text ($NO_COLOR); colour is for terminals only."`
	Quiet   bool   `short:"q" help:"Say less on stderr."`
	Verbose int    `short:"v" type:"counter" help:"Say more on stderr; twice: everything."`
}

// CLI is the whole grammar.
type CLI struct {
	Globals

	Review  ReviewCmd  `cmd:"" group:"review" help:"Review one change now and print the review. Exit 1: findings at or above --fail-on."`
	Serve   ServeCmd   `cmd:"" group:"run" help:"Run the daemon: ingest, schedule, review, publish."`
	Enqueue EnqueueCmd `cmd:"" group:"run" help:"Ask for a review of a pull request's live head."`
	Cancel  CancelCmd  `cmd:"" group:"run" help:"Cancel a queued or running head."`
	Retry   RetryCmd   `cmd:"" group:"run" help:"Open a failed, cancelled or stuck head again."`
	Dismiss DismissCmd `cmd:"" group:"run" help:"Dismiss a finding: it stays away until the code beneath it changes."`
	Reopen  ReopenCmd  `cmd:"" group:"run" help:"Take the dismissal of a finding back."`
	Pause   PauseCmd   `cmd:"" group:"run" help:"Start no new work: everywhere, of a repository, or of a pull request."`
	Resume  ResumeCmd  `cmd:"" group:"run" help:"Start new work again."`
	Status  StatusCmd  `cmd:"" group:"look" help:"Heads by state, active runs, pools, accounts, mode."`
	Get     GetCmd     `cmd:"" group:"look" help:"List one read model."`
	Queue   QueueCmd   `cmd:"" group:"look" help:"The line, in the order in which it will be served."`
	Explain ExplainCmd `cmd:"" group:"look" help:"Why it waits, why it was not reviewed, or why this verdict."`
	Events  EventsCmd  `cmd:"" group:"look" help:"The log itself."`
	Ledger  LedgerCmd  `cmd:"" group:"look" help:"Reserved, spent and left, by account, repository, author and pull request."`
	Audit   AuditCmd   `cmd:"" group:"replay" help:"Decide again from the record and compare. Exit 1: a mismatch or a broken chain."`
	Verify  VerifyCmd  `cmd:"" group:"replay" help:"Check the hash chain of the log. Exit 1: it is broken."`
	Init    InitCmd    `cmd:"" group:"setup" help:"Write a commented configuration for what is found here."`
	Doctor  DoctorCmd  `cmd:"" group:"setup" help:"Check everything that a run needs. Exit 1: a check failed."`
	Configs ConfigCmd  `cmd:"" name:"config" group:"setup" help:"Check, show or explain the configuration."`
	Version VersionCmd `cmd:"" group:"look" help:"Print the version."`

	Completion  CompletionCmd  `cmd:"" group:"setup" help:"Print a script that completes the command line in bash, zsh or fish."`
	Projections ProjectionsCmd `cmd:"" group:"replay" help:"How far the read models are, or build them again from the log."`
}

var groups = []kong.Group{
	{Key: "review", Title: "Doing a review"},
	{Key: "run", Title: "Running it"},
	{Key: "look", Title: "Looking"},
	{Key: "replay", Title: "Replaying"},
	{Key: "setup", Title: "Setting up"},
}

// App is what a verb gets: the global flags and the world outside. Context ends
// on an interrupt.
type App struct {
	Globals
	Context context.Context
	Stdin   io.Reader
	Stderr  io.Writer
	Env     func(string) string
	Print   *Printer
}

// Logger writes to stderr: warnings and worse, with -v more.
func (a *App) Logger() *slog.Logger {
	level := slog.LevelWarn
	switch {
	case a.Quiet:
		level = slog.LevelError
	case a.Verbose == 1:
		level = slog.LevelInfo
	case a.Verbose > 1:
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level}))
}

// Progress tells people on stderr how far it is.
func (a *App) Progress(line string) {
	if !a.Quiet {
		_, _ = fmt.Fprintln(a.Stderr, Plain(line)) // stderr is gone: nobody to tell
	}
}

// run parses, runs one verb and reports its error. Tests call it as main does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) Exit {
	var cli CLI
	asked := false // --help has answered
	parser, err := kong.New(&cli, kong.Name("reviewctl"), kong.Description(description),
		kong.ExplicitGroups(groups), kong.Writers(stdout, stderr), kong.Exit(func(int) { asked = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		return report(stderr, false, fmt.Errorf("build grammar: %w", err))
	}
	parsed, err := parser.Parse(args)
	switch {
	case asked:
		return ExitGood
	case err != nil:
		return report(stderr, slices.Contains(args, "--json"), usageError(err))
	}
	cli.JSON = cli.JSON || cli.Review.Format == "json" // CLI.md: --json is --format json
	app := &App{
		Globals: cli.Globals, Context: ctx, Stdin: stdin, Stderr: stderr, Env: env,
		Print: NewPrinter(stdout, cli.JSON, cli.NoColor || env("NO_COLOR") != ""),
	}
	app.Print.verbose = cli.Verbose > 0
	err = parsed.Run(app)
	if errors.Is(err, ErrStopped) {
		return ExitGood
	}
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = ErrInterrupted
	}
	return report(stderr, app.JSON, err)
}

// usageError turns kong's complaint into ours, with the verb's help as remedy.
func usageError(err error) error {
	verb := ""
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			verb = " " + strings.TrimPrefix(node.Path(), parse.Context.Model.Name+" ")
		}
	}
	var known *CLIError
	if errors.As(err, &known) {
		return known
	}
	return &CLIError{
		Code: CodeUsage, What: "wrong usage", Subject: err.Error(),
		Remedy: "reviewctl" + verb + " --help", Err: err,
	}
}
