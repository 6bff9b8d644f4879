package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Exit is the command's exit code. (CLI.md, "Everywhere")
type Exit int

// The exit codes.
const (
	ExitGood        Exit = 0   // done, and the answer is good
	ExitNo          Exit = 1   // done, and the answer is no
	ExitUsage       Exit = 2   // wrong usage or configuration
	ExitUnavailable Exit = 3   // could not be carried out; the same call may be repeated
	ExitNotFound    Exit = 4   // no such thing
	ExitInterrupted Exit = 130 // by a signal
)

// Code names a kind of error for scripts. It is append-only.
type Code string

// The codes.
const (
	CodeAnswerNo    Code = "no"
	CodeUsage       Code = "usage"
	CodeConfig      Code = "config"
	CodeUnavailable Code = "unavailable"
	CodeNotRun      Code = "not-run"
	CodeNotFound    Code = "not-found"
	CodeInterrupted Code = "interrupted"
	CodeStoreFull   Code = "store-full"
	CodeReadOnly    Code = "store-read-only"
	CodeDamaged     Code = "store-damaged"
	CodeNewer       Code = "store-newer"
	CodeBug         Code = "bug"
)

// AllCodes lists them.
func AllCodes() []Code {
	return []Code{
		CodeAnswerNo, CodeUsage, CodeConfig, CodeUnavailable, CodeNotRun, CodeNotFound, CodeInterrupted,
		CodeStoreFull, CodeReadOnly, CodeDamaged, CodeNewer, CodeBug,
	}
}

// exits says which exit code each code has.
var exits = map[Code]Exit{
	CodeAnswerNo: ExitNo, CodeUsage: ExitUsage, CodeConfig: ExitUsage, CodeUnavailable: ExitUnavailable,
	CodeNotRun: ExitUnavailable, CodeNotFound: ExitNotFound, CodeInterrupted: ExitInterrupted,
	CodeStoreFull: ExitUnavailable, CodeReadOnly: ExitUnavailable, CodeDamaged: ExitUnavailable,
	CodeNewer: ExitUnavailable, CodeBug: ExitUnavailable,
}

// CLIError is an error in the three parts that a user sees: what happened, to
// what, and what to type or set next.
type CLIError struct {
	Code    Code
	What    string
	Subject string // "" = What says it all
	Remedy  string
	Err     error // what is underneath, for errors.Is; may be nil
}

func (e *CLIError) Error() string {
	if e.Subject == "" || e.Subject == e.What { // it says nothing more
		return e.What
	}
	return e.What + ": " + e.Subject
}

// Unwrap returns what is underneath.
func (e *CLIError) Unwrap() error { return e.Err }

// Errors of verbs.
var (
	// ErrInterrupted: a signal ended the verb before its answer.
	ErrInterrupted = errors.New("interrupted")
	// ErrStopped: the daemon was told to stop, and did so in order.
	ErrStopped = errors.New("stopped")
	// ErrAnswerNo: the verb is done and has printed a "no"; nothing is left to say.
	ErrAnswerNo = errors.New("the answer is no")
	// ErrNotDone: the verb has printed why it could not be carried out; nothing is
	// left to say (a review that is partial, failed or not run).
	ErrNotDone = errors.New("it could not be carried out")
)

func wrongUsage(what, remedy string) *CLIError {
	return &CLIError{Code: CodeUsage, What: what, Remedy: remedy}
}

// NotFound says that there is no such thing.
func NotFound(kind, name string) *CLIError {
	return &CLIError{Code: CodeNotFound, What: "no such " + kind, Subject: name, Remedy: "reviewctl get " + modelOf(kind)}
}

func modelOf(kind string) string {
	switch kind {
	case "run", "finding", "pool", "account":
		return kind + "s"
	}
	return "prs"
}

// Ambiguous says that a prefix stands for several ids.
func Ambiguous(kind, prefix string, some []string) *CLIError {
	return &CLIError{
		Code: CodeUsage, What: "an ambiguous " + kind, Subject: prefix,
		Remedy: "write more of it: " + strings.Join(some, ", "),
	}
}

// remedy is one row of the table: errors that are (or are of the type of) an
// error, and what to tell the user.
type remedy struct {
	is     error
	code   Code
	what   string
	remedy string
}

// remedies is read from the top; the first row that fits is used.
var remedies = []remedy{
	{ErrInterrupted, CodeInterrupted, "interrupted", "nothing that was recorded is lost; the same call may be repeated"},
	{context.Canceled, CodeInterrupted, "interrupted", "nothing that was recorded is lost; the same call may be repeated"},
	{context.DeadlineExceeded, CodeUnavailable, "no answer in time", "repeat the call, with a larger --wait"},
	{events.ErrNewer, CodeNewer, "the log was written by a newer version", "install the newest reviewctl; nothing was changed"},
	{events.ErrDamaged, CodeDamaged, "the log is damaged", "reviewctl verify --all, then restore the file from a copy"},
	{events.ErrFull, CodeStoreFull, "no space left for the log", "free space on its disk, then repeat the call; what was acknowledged is kept"},
	{events.ErrReadOnly, CodeReadOnly, "the log cannot be written", "make its file and folder writable for this user, or name another with --store"},
	{events.ErrUnknownOutcome, CodeUnavailable, "the log did not say whether it stored the event", "repeat the call: what is stored already is not stored twice"},
	{events.ErrDiffers, CodeBug, "other bytes are stored under the same ids", "reviewctl verify --all, and report it with the answer"},
	{events.ErrTooLarge, CodeBug, "an event is larger than the log takes", "report it with the output of the call with -v"},
	{events.ErrUnavailable, CodeUnavailable, "the log is not available", "see that nothing else holds it, then repeat the call"},
}

// Explain returns an error in three parts. What no row knows is a condition that
// may pass: exit 3.
func Explain(err error) *CLIError {
	var known *CLIError
	if errors.As(err, &known) {
		return known
	}
	for _, row := range remedies {
		if errors.Is(err, row.is) {
			return &CLIError{Code: row.code, What: row.what, Subject: err.Error(), Remedy: row.remedy, Err: err}
		}
	}
	var conflict *events.ConflictError
	var broken *events.BrokenChainError
	var refusal *events.Refusal
	switch {
	case errors.As(err, &conflict):
		return &CLIError{Code: CodeUnavailable, What: "somebody else wrote first", Subject: err.Error(), Remedy: "repeat the call", Err: err}
	case errors.As(err, &broken):
		return &CLIError{Code: CodeAnswerNo, What: "the log's chain is broken", Subject: err.Error(), Remedy: "reviewctl verify --all, then restore the file from a copy", Err: err}
	case errors.As(err, &refusal):
		return &CLIError{Code: CodeAnswerNo, What: "refused", Subject: refusal.Reason, Remedy: "reviewctl explain says why it is as it is", Err: err}
	}
	return &CLIError{Code: CodeUnavailable, What: "it could not be carried out", Subject: err.Error(), Remedy: "repeat the call with -v to see more", Err: err}
}

// report prints an error on stderr and returns the exit code.
func report(stderr io.Writer, asJSON bool, err error) Exit {
	switch {
	case err == nil:
		return ExitGood
	case errors.Is(err, ErrAnswerNo):
		return ExitNo
	case errors.Is(err, ErrNotDone):
		return ExitUnavailable
	}
	explained := Explain(err)
	if asJSON {
		writeErrorJSON(stderr, explained)
	} else {
		writeErrorText(stderr, explained)
	}
	return exits[explained.Code]
}

// ErrorAnswer is the error document of --json.
type ErrorAnswer struct {
	Error ErrorBody `json:"error"`
}

// ErrorBody is what it holds.
type ErrorBody struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

func writeErrorJSON(w io.Writer, e *CLIError) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(ErrorAnswer{ErrorBody{Code: e.Code, Message: e.Error(), Remedy: e.Remedy}}) // stderr is gone: nobody to tell
}

func writeErrorText(w io.Writer, e *CLIError) {
	lines := "reviewctl: " + Plain(e.What) + "\n"
	if e.Subject != "" && e.Subject != e.What {
		lines += "  " + strings.ReplaceAll(Plain(e.Subject), "\n", "\n  ") + "\n"
	}
	if e.Remedy != "" {
		lines += "  → " + Plain(e.Remedy) + "\n"
	}
	_, _ = fmt.Fprint(w, lines)
}
