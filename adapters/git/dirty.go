package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Dirty reports whether the checkout differs from its commit: changed, staged or
// new files. Comparing a file with its blob runs the filters that the repository
// configures, unless each of them is emptied. (case W17)
func (r *Repo) Dirty(ctx context.Context) (bool, error) {
	if r.Bare {
		return false, nil
	}
	off, err := r.filtersOff(ctx)
	if err != nil {
		return false, fmt.Errorf("look at checkout: %w", err)
	}
	env := append(environ(off...), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.Top)
	c := call{dir: r.Top, env: env, limit: ListMax, args: []string{
		"status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"}}
	dirty := false
	err = c.stream(ctx, func(out io.Reader) error {
		n, err := io.ReadFull(out, make([]byte, 1))
		dirty = n > 0
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = io.Copy(io.Discard, out)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look at checkout: %w", err)
	}
	return dirty, nil
}

// filtersOff empties each filter that the repository's configuration defines.
func (r *Repo) filtersOff(ctx context.Context) ([]setting, error) {
	out, err := r.run(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && exitCode(err) != 1 { // 1: there is none
		return nil, err
	}
	var off []setting
	for key := range strings.SplitSeq(string(out), "\x00") {
		at := strings.LastIndexByte(key, '.')
		if at <= len("filter") {
			continue
		}
		driver := key[:at]
		off = append(off, setting{driver + ".clean", ""}, setting{driver + ".smudge", ""},
			setting{driver + ".process", ""}, setting{driver + ".required", "false"})
	}
	return off, nil
}
