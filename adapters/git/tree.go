package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// The kinds of entries of a tree.
const (
	modeSubmodule  = "160000"
	modeExecutable = "100755"
)

// TreeEntry is a file of a commit.
type TreeEntry struct {
	Mode string
	ID   string
	Size int64
	Path string // git's bytes
}

// tree lists the files of a commit, of at most limits.Files, with a sum of sizes
// of at most limits.Bytes.
func (r *Repo) tree(ctx context.Context, commit events.Commit, limits ExportLimits) ([]TreeEntry, error) {
	// A path is at most a few thousand bytes; what is longer is refused later.
	c := r.call(int64(limits.Files)*treeRecordMax, "ls-tree", "-r", "-z", "-l", "--full-tree", string(commit))
	var entries []TreeEntry
	var sum int64
	err := c.stream(ctx, func(out io.Reader) error {
		return eachRecord(out, func(record string) error {
			entry, err := treeRecord(record)
			if err != nil {
				return err
			}
			if len(entries) == limits.Files {
				return &LimitError{What: "files", Limit: int64(limits.Files)}
			}
			if entry.Size <= limits.FileBytes {
				sum += entry.Size
			}
			if sum > limits.Bytes {
				return &LimitError{What: "bytes", Limit: limits.Bytes}
			}
			entries = append(entries, entry)
			return nil
		})
	})
	var limit *LimitError
	var over *OutputError
	switch {
	case errors.As(err, &limit):
		return nil, limit
	case errors.As(err, &over):
		return nil, &LimitError{What: "bytes of file names", Limit: over.Limit}
	case err != nil:
		return nil, fmt.Errorf("list tree: %w", err)
	}
	return entries, nil
}

// treeRecordMax is the average length of a record of a tree that is refused.
const treeRecordMax = 4 << 10

// treeRecord reads "MODE TYPE ID SIZE<tab>PATH".
func treeRecord(record string) (TreeEntry, error) {
	head, path, ok := strings.Cut(record, "\t")
	fields := strings.Fields(head)
	if !ok || len(fields) != 4 || path == "" {
		return TreeEntry{}, fmt.Errorf("git ls-tree: unexpected record %.200q", record)
	}
	entry := TreeEntry{Mode: fields[0], ID: fields[2], Path: path}
	if fields[3] == "-" {
		return entry, nil
	}
	size, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil || size < 0 {
		// In a partial clone git cannot say how large a file is that is not here.
		return TreeEntry{}, fmt.Errorf("%w: %.200q", ErrMissingObject, path)
	}
	entry.Size = size
	return entry, nil
}
