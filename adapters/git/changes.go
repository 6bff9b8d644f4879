package git

import (
	"context"
	"fmt"
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
	// PatchMaxDefault bounds a patch, in bytes.
	PatchMaxDefault int64 = 64 << 20
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

// diffTree asks git to compare two trees, never one tree with a checkout.
func (r *Repo) diffTree(ctx context.Context, limit int64, form []string, from, to events.Commit) ([]byte, error) {
	args := append([]string{"diff-tree"}, diffOptions()...)
	args = append(args, form...)
	args = append(args, "--end-of-options", string(from), string(to), "--")
	return r.call(limit, args...).output(ctx)
}

// Patch is git's own text of the change, of at most limit bytes.
func (r *Repo) Patch(ctx context.Context, from, to events.Commit, limit int64) ([]byte, error) {
	patch, err := r.diffTree(ctx, limit, []string{"-p", "-U" + strconv.Itoa(ContextLines)}, from, to)
	if err != nil {
		return nil, fmt.Errorf("read patch: %w", err)
	}
	return patch, nil
}

// DiffPrint identifies a patch.
func DiffPrint(patch []byte) events.Digest {
	return events.DigestOf(patch)
}

// ChangedFiles lists the files of the change as git counts them, in git's order.
// Names are exact: where one is not UTF-8 its bytes stand beside it.
func (r *Repo) ChangedFiles(ctx context.Context, from, to events.Commit) ([]events.ChangedFile, error) {
	out, err := r.diffTree(ctx, ListMax, []string{"-z", "--raw", "--numstat"}, from, to)
	if err != nil {
		return nil, fmt.Errorf("list changed files: %w", err)
	}
	files, err := parseChanges(string(out))
	if err != nil {
		return nil, fmt.Errorf("list changed files: %w", err)
	}
	return files, nil
}

// parseChanges reads the records of --raw and then those of --numstat, which come
// in the same order.
func parseChanges(out string) ([]events.ChangedFile, error) {
	fields := fieldReader{rest: out}
	var files []events.ChangedFile
	for strings.HasPrefix(fields.rest, ":") {
		file, err := rawRecord(&fields)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	for i := range files {
		if err := countRecord(&fields, &files[i]); err != nil {
			return nil, err
		}
	}
	if fields.rest != "" {
		return nil, fmt.Errorf("git diff-tree: more counts than files at %.40q", fields.rest)
	}
	return files, nil
}

// fieldReader cuts NUL-terminated fields.
type fieldReader struct{ rest string }

func (f *fieldReader) next() string {
	field, rest, _ := strings.Cut(f.rest, "\x00")
	f.rest = rest
	return field
}

// rawRecord reads ":MODES IDS STATUS[SCORE]" (two of each), a path, and for a renamed
// file a second path.
func rawRecord(fields *fieldReader) (events.ChangedFile, error) {
	var file events.ChangedFile
	head := fields.next()
	at := strings.LastIndexByte(head, ' ')
	if at < 0 || at+1 == len(head) || !strings.ContainsRune("ACDMRT", rune(head[at+1])) {
		return file, fmt.Errorf("git diff-tree: unexpected record %.200q", head)
	}
	file.Status = head[at+1 : at+2]
	path := fields.next()
	if file.Status == "R" || file.Status == "C" {
		file.Old, _ = diff.ShowPath(path)
		path = fields.next()
	}
	if path == "" {
		return file, fmt.Errorf("git diff-tree: no path in record %.200q", head)
	}
	file.Path, file.PathBase64 = diff.ShowPath(path)
	return file, nil
}

// countRecord reads "ADDED<tab>DELETED<tab>PATH", or an empty path and two more
// fields for a renamed file; "-" for both counts says that the file is binary.
func countRecord(fields *fieldReader, file *events.ChangedFile) error {
	record := fields.next()
	parts := strings.SplitN(record, "\t", 3)
	if len(parts) != 3 {
		return fmt.Errorf("git diff-tree: unexpected count %.200q", record)
	}
	path := parts[2]
	if path == "" {
		fields.next()
		path = fields.next()
	}
	if text, exact := diff.ShowPath(path); text != file.Path || exact != file.PathBase64 {
		return fmt.Errorf("git diff-tree: counts of %.200q where %.200q was due", text, file.Path)
	}
	if parts[0] == "-" && parts[1] == "-" {
		file.Binary = true
		return nil
	}
	var err error
	if file.Added, err = strconv.Atoi(parts[0]); err != nil {
		return fmt.Errorf("git diff-tree: unexpected count %.200q", record)
	}
	if file.Deleted, err = strconv.Atoi(parts[1]); err != nil {
		return fmt.Errorf("git diff-tree: unexpected count %.200q", record)
	}
	return nil
}
