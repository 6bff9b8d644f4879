package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// ReadFile returns a file of a commit, of at most limit bytes, from the objects:
// no checkout, link or filter comes into it. (cases W20, W24)
func (r *Repo) ReadFile(ctx context.Context, commit events.Commit, path string, limit int64) ([]byte, error) {
	// git takes "./x" for a place relative to a folder.
	if path == "" || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("read %q of %s: %w", path, commit, ErrNoFile)
	}
	out, err := r.call(limit, "cat-file", "blob", string(commit)+":"+path).output(ctx)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 128 {
		return nil, fmt.Errorf("read %q of %s: %w", path, commit, ErrNoFile)
	}
	if err != nil {
		return nil, fmt.Errorf("read %q of %s: %w", path, commit, err)
	}
	return out, nil
}
