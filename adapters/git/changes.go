package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a change.
const (
	// ListMax bounds git's list of changed files, in bytes.
	ListMax int64 = 64 << 20
	// FilesMax bounds the files of a change.
	FilesMax = 50_000
	// BigFileBytes is the size from which git shows no text of a file, whatever it
	// holds. It would need several times as much memory to compare two of them.
	BigFileBytes int64 = 16 << 20
	// RenameLimit is the number of files beyond which git looks for no renames.
	RenameLimit = 1000
	// RenameSimilarity is how alike two files must be to be one that was renamed.
	RenameSimilarity = "50%"
	// ContextLines is how many unchanged lines stand around a change.
	ContextLines = 3
)

// diffOptions fix everything that could change what a diff shows, so that the
// list, the patch and its print agree everywhere. (case D18)
func diffOptions() []string {
	return []string{
		"-r", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
		"--src-prefix=a/", "--dst-prefix=b/", "--inter-hunk-context=0", "--diff-algorithm=myers",
		"--indent-heuristic", "--submodule=short", "--ignore-submodules=none",
		"--find-renames=" + RenameSimilarity, "-l" + strconv.Itoa(RenameLimit), "-O" + os.DevNull,
	}
}

// diffCall asks git to compare two trees, never one tree with a checkout.
func (r *Repo) diffCall(limit int64, form []string, from, to events.Commit) *call {
	args := append([]string{"diff-tree"}, diffOptions()...)
	args = append(args, form...)
	args = append(args, "--end-of-options", string(from), string(to), "--")
	return r.call(limit, args...)
}

// Patch is git's own text of the change, of at most limit bytes.
func (r *Repo) Patch(ctx context.Context, from, to events.Commit, limit int64) ([]byte, error) {
	patch, err := r.diffCall(limit, patchForm(), from, to).output(ctx)
	if err != nil {
		return nil, fmt.Errorf("read patch: %w", err)
	}
	return patch, nil
}

func patchForm() []string { return []string{"-p", "-U" + strconv.Itoa(ContextLines)} }

// DiffPrint identifies a patch.
func DiffPrint(patch []byte) events.Digest {
	return events.DigestOf(patch)
}

// FileChange is a changed file with what git says of its two sides.
type FileChange struct {
	events.ChangedFile

	NewPath, OldPath string // git's bytes; equal where the file was not renamed
	NewID, OldID     string // of the blobs; zeros where there is none
	NewMode, OldMode string
}

// ChangedFiles lists the files of the change as git counts them, in git's order.
// Names are exact: where one is not UTF-8 its bytes stand beside it.
func (r *Repo) ChangedFiles(ctx context.Context, from, to events.Commit) ([]events.ChangedFile, error) {
	changes, err := r.Changes(ctx, from, to)
	files := make([]events.ChangedFile, len(changes))
	for i := range changes {
		files[i] = changes[i].ChangedFile
	}
	return files, err
}

// Changes is ChangedFiles with both sides of each file. A change of more than
// FilesMax files is ErrTooManyFiles.
func (r *Repo) Changes(ctx context.Context, from, to events.Commit) ([]FileChange, error) {
	var changes []FileChange
	err := r.diffCall(ListMax, []string{"-z", "--raw", "--numstat"}, from, to).stream(ctx, func(out io.Reader) error {
		var err error
		changes, err = parseChanges(newRecordReader(out))
		return err
	})
	if err == nil {
		err = r.tellLarge(ctx, changes)
	}
	if err != nil {
		return nil, fmt.Errorf("list changed files: %w", err)
	}
	return changes, nil
}

// parseChanges reads the records of --raw and then those of --numstat, which come
// in the same order.
func parseChanges(records recordReader) ([]FileChange, error) {
	var changes []FileChange
	record, err := records.next()
	for ; err == nil && strings.HasPrefix(record, ":"); record, err = records.next() {
		if len(changes) == FilesMax {
			return nil, ErrTooManyFiles
		}
		change, err := rawRecord(record, records)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	for i := range changes {
		if err != nil {
			return nil, fmt.Errorf("git diff-tree: fewer counts than files: %w", noEOF(err))
		}
		if err := countRecord(record, records, &changes[i]); err != nil {
			return nil, err
		}
		record, err = records.next()
	}
	switch {
	case errors.Is(err, io.EOF):
		return changes, nil
	case err != nil:
		return nil, err
	}
	return nil, fmt.Errorf("git diff-tree: more counts than files at %.40q", record)
}

// rawRecord reads ":MODES IDS STATUS[SCORE]" (two of each), a path, and for a renamed
// file a second path.
func rawRecord(head string, records recordReader) (change FileChange, err error) {
	fields := strings.Fields(strings.TrimPrefix(head, ":"))
	if len(fields) != 5 || !strings.ContainsRune("ACDMRT", rune(fields[4][0])) {
		return change, fmt.Errorf("git diff-tree: unexpected record %.200q", head)
	}
	change.OldMode, change.NewMode, change.OldID, change.NewID = fields[0], fields[1], fields[2], fields[3]
	change.Status = fields[4][:1]
	if change.NewPath, err = records.next(); err != nil {
		return change, noEOF(err)
	}
	change.OldPath = change.NewPath
	if change.Status == "R" || change.Status == "C" {
		change.Old, _ = diff.ShowPath(change.OldPath)
		if change.NewPath, err = records.next(); err != nil {
			return change, noEOF(err)
		}
	}
	if change.NewPath == "" || change.OldPath == "" {
		return change, fmt.Errorf("git diff-tree: no path in record %.200q", head)
	}
	change.Path, change.PathBase64 = diff.ShowPath(change.NewPath)
	return change, nil
}

// countRecord reads "ADDED<tab>DELETED<tab>PATH", or an empty path and two more
// fields for a renamed file; "-" for both counts says that the file is binary.
func countRecord(record string, records recordReader, change *FileChange) (err error) {
	parts := strings.SplitN(record, "\t", 3)
	if len(parts) != 3 {
		return fmt.Errorf("git diff-tree: unexpected count %.200q", record)
	}
	path := parts[2]
	if path == "" {
		if _, err = records.next(); err != nil {
			return noEOF(err)
		}
		if path, err = records.next(); err != nil {
			return noEOF(err)
		}
	}
	if path != change.NewPath {
		return fmt.Errorf("git diff-tree: counts of %.200q where %.200q was due", path, change.NewPath)
	}
	if parts[0] == "-" && parts[1] == "-" {
		change.Binary = true
		return nil
	}
	if change.Added, err = strconv.Atoi(parts[0]); err != nil {
		return fmt.Errorf("git diff-tree: unexpected count %.200q", record)
	}
	if change.Deleted, err = strconv.Atoi(parts[1]); err != nil {
		return fmt.Errorf("git diff-tree: unexpected count %.200q", record)
	}
	return nil
}
