package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// Bounds of what git may print.
const (
	// OutputShort bounds answers that are a few lines.
	OutputShort int64 = 1 << 20
	// StderrMax is how much of standard error is kept.
	StderrMax = 16 << 10
	// GraceAfterKill is how long after a kill somebody may hold git's pipes open: a
	// child that has left the group.
	GraceAfterKill = time.Second
	// GraceToTidy is how long a git that writes may take to remove its lock files
	// when it is asked to end. (semantics 30.1)
	GraceToTidy = 5 * time.Second
)

// call is one git process.
type call struct {
	dir   string
	env   []string
	args  []string
	stdin io.Reader
	limit int64 // of standard output, in bytes
	// writes: it changes a repository, so it is asked to end before it is killed.
	writes bool
	// held are files that git and its children hold open while they live: a lock
	// on one of them lasts as long as they do.
	held []*os.File
}

// output runs git and returns what it printed.
func (c *call) output(ctx context.Context) ([]byte, error) {
	var out bytes.Buffer
	err := c.stream(ctx, func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// stream runs git and hands its standard output to read. When read returns early
// git is killed; where both failed, the error that came first is returned.
func (c *call) stream(ctx context.Context, read func(io.Reader) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, "git", c.args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, c.env, c.stdin
	cmd.WaitDelay, cmd.ExtraFiles = GraceAfterKill, c.held
	if c.writes {
		cmd.WaitDelay = GraceToTidy
	}
	killRest := inGroup(cmd, c.writes)
	stderr := &headWriter{left: StderrMax}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git %s: %w", c.name(), err)
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return ErrGitMissing
		}
		return fmt.Errorf("run git %s: %w", c.name(), err)
	}
	bounded := &boundedReader{r: stdout, left: c.limit, over: &OutputError{Command: c.name(), Limit: c.limit}}
	readErr := read(bounded)
	if readErr != nil {
		stop()
	}
	waitErr := cmd.Wait()
	if c.writes && ctx.Err() != nil {
		killRest()
	}
	return c.sort(ctx, readErr, waitErr, stderr.String())
}

// sort picks the error that says most: git's own words where the reader failed
// only because git had ended.
func (c *call) sort(ctx context.Context, readErr, waitErr error, stderr string) error {
	var over *OutputError
	if errors.As(readErr, &over) {
		return over
	}
	var exit *exec.ExitError
	exited := errors.As(waitErr, &exit) && exit.Exited()
	cut := readErr == nil || errors.Is(readErr, io.ErrUnexpectedEOF)
	switch {
	case exited && cut:
		return &ExitError{Command: c.name(), Code: exit.ExitCode(), Said: said(stderr), All: stderr}
	case readErr != nil && !errors.Is(readErr, fs.ErrClosed):
		return readErr
	case readErr == nil && waitErr == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("run git %s: %w", c.name(), context.Cause(ctx))
	case exit != nil:
		return &ExitError{Command: c.name(), Code: -1, Said: exit.String()}
	}
	return fmt.Errorf("run git %s: %w", c.name(), waitErr)
}

// name is the subcommand.
func (c *call) name() string { return c.args[0] }

// boundedReader fails where there is more to read than it may return.
type boundedReader struct {
	r    io.Reader
	left int64
	over *OutputError
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.over
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, b.over
	}
	return n, err
}

// headWriter keeps the first bytes and takes the rest.
type headWriter struct {
	bytes.Buffer
	left int
}

func (h *headWriter) Write(p []byte) (int, error) {
	keep := min(len(p), h.left)
	h.Buffer.Write(p[:keep])
	h.left -= keep
	return len(p), nil
}
