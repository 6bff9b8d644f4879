package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a report.
const (
	// ReportMax bounds the report of one run, which is a file and never in memory.
	ReportMax = 512 << 20
	// reportKept is the longest report that is kept as an artifact. It is searched
	// for secrets first, at 0.7 MB a CPU second. (performance.md §4)
	reportKept = 256 << 10
)

// reportName is the file of the report, in the session's own folder.
const reportName = "report"

// Report is what one run of a program printed. It is there until the function
// that reads it returns.
type Report struct {
	File   *os.File // standard output, from its beginning
	Size   int64
	Exit   int
	Over   bool // the report was cut at its bound
	Stderr string

	lane *lane
	ctx  context.Context // the session's, for the searches for secrets
}

// Once runs the program one time, with nothing on its standard input, and gives
// its report to read, which says what the session's end is. The program's
// processes are gone by then, and its folder is when Once returns.
func (e *Engine) Once(ctx context.Context, in *session.Input, read func(*Report) (*session.Answer, error)) (*session.Answer, error) {
	l := &lane{Engine: e, in: in, record: record{Schema: 1, Engine: e.Name}}
	if err := l.prepare(); err != nil {
		return nil, l.failure(events.FailureInfra, err.Error())
	}
	got, err := l.once(ctx, read)
	if cleanErr := process.RemoveTree(filepath.Dir(l.temp)); cleanErr != nil && err == nil {
		err = l.failure(events.FailureInfra, cleanErr.Error())
	}
	var failed *session.Failure
	if errors.As(err, &failed) {
		failed.Usage = free
	}
	if err != nil {
		return nil, err
	}
	got.Usage = free
	return got, nil
}

// free is the usage of a program that reports no usage and has none: a linter.
var free = events.Usage{Confidence: events.ConfidenceExact}

func (l *lane) once(ctx context.Context, read func(*Report) (*session.Answer, error)) (*session.Answer, error) {
	file, err := os.OpenFile(filepath.Join(filepath.Dir(l.temp), reportName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, l.failure(events.FailureInfra, fmt.Sprintf("make the report's file: %v", err))
	}
	defer file.Close()
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sink := &spool{to: file, left: ReportMax, stop: func() { cancel(errFlood) }}
	out, err := l.run(running, nil, sink)
	if err != nil {
		return nil, l.failure(events.FailureInfra, err.Error())
	}
	l.turns++
	size, over, err := sink.end()
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	switch {
	case ctx.Err() != nil:
		return nil, l.failure(events.FailureInfra, "the engine was ended")
	case err != nil:
		return nil, l.failure(events.FailureInfra, fmt.Sprintf("keep the report: %v", err))
	}
	r := &Report{File: file, Size: size, Exit: out.exit, Over: over, Stderr: out.stderr, lane: l, ctx: ctx}
	if err := r.note(out); err != nil {
		return nil, l.failure(events.FailureInfra, fmt.Sprintf("read the report: %v", err))
	}
	if out.exit == sandbox.ExitSandbox && strings.HasPrefix(meaningful(out.stderr), "reviewctl: sandbox cannot start") {
		return nil, l.exited(ctx, out)
	}
	return read(r)
}

// note puts the run into the record. A report that is too long is not kept: what
// is cut in the middle may end in half a secret.
func (r *Report) note(out *output) error {
	kept := *out
	kept.over = r.Over || r.Size > reportKept
	if !kept.over {
		text := make([]byte, r.Size)
		if _, err := r.File.ReadAt(text, 0); err != nil && r.Size > 0 {
			return err
		}
		kept.stdout = string(text)
	}
	r.lane.record.add(&kept)
	return nil
}

// Scrub takes secrets out of a text.
func (r *Report) Scrub(text string) (string, error) {
	s := r.lane.scrubber(r.ctx)
	clean := s.text(text)
	return clean, s.err
}

// Answer completes an answer with what is known of the run.
func (r *Report) Answer(answer *session.Answer) (*session.Answer, error) {
	digest, err := r.lane.keep(r.ctx)
	if err != nil {
		return nil, r.lane.failure(events.FailureInfra, err.Error())
	}
	answer.Sandbox, answer.Artifact = r.lane.Sandbox.Describe(r.lane.Strict), digest
	return answer, nil
}

// Fail is a failure with the reason, which may quote the program.
func (r *Report) Fail(kind events.FailureKind, reason string) error {
	return r.lane.fail(r.ctx, kind, reason)
}

// Exited is what an exit code other than 0 means where no report excuses it: the
// same as for any program. The reason is for a program that says none.
func (r *Report) Exited(reason string) error {
	out := &output{exit: r.Exit, stderr: r.Stderr}
	if meaningful(r.Stderr) == "" {
		out.stderr = reason
	}
	return r.lane.exited(r.ctx, out)
}

// Reason is the first line of standard error that says something.
func (r *Report) Reason() string { return head(meaningful(r.Stderr), messageMax) }

// spool writes output to a file up to a bound, and drops the rest, so that the
// program never waits.
type spool struct {
	mu   sync.Mutex
	to   io.Writer
	left int64
	size int64
	over bool
	err  error
	stop func() // ends the program: nothing that it prints is of use any more
}

func (s *spool) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.err != nil {
		return len(b), nil
	}
	n := min(s.left, int64(len(b)))
	written, err := s.to.Write(b[:n])
	s.left -= int64(written)
	s.size += int64(written)
	if s.err, s.over = err, n < int64(len(b)); s.over || err != nil {
		s.stop()
	}
	return len(b), nil
}

func (s *spool) end() (size int64, over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size, s.over, s.err
}
