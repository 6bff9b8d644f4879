package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// SameFile reports whether a path names the same in two commits: one object, or
// nothing in both. A path that git cannot be asked for in one line is not the same.
func (r *Repo) SameFile(ctx context.Context, a, b events.Commit, path string) (bool, error) {
	if strings.ContainsAny(path, "\n\x00") {
		return false, nil
	}
	c := r.call(OutputShort, "cat-file", "--batch-check=%(objectname)")
	c.stdin = strings.NewReader(string(a) + ":" + path + "\n" + string(b) + ":" + path + "\n")
	out, err := c.output(ctx)
	if err != nil {
		return false, fmt.Errorf("compare %q: %w", path, err)
	}
	first, second, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	gone := string(a) + ":" + path + " missing"
	return first == second || first == gone && second == string(b)+":"+path+" missing", nil
}
