package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of an export, and the modes of what it writes: nobody is meant to
// change it.
const (
	ExportFilesMax       = 400_000
	ExportBytesMax int64 = 4 << 30
	// ExportFileBytesMax bounds one file; a larger one is skipped.
	ExportFileBytesMax int64 = 64 << 20

	exportedFile    fs.FileMode = 0o444
	exportedProgram fs.FileMode = 0o555
	exportedFolder  fs.FileMode = 0o555
	foldersMeantime fs.FileMode = 0o755
)

// ExportLimits bound an export; zero values stand for the constants above.
type ExportLimits struct {
	Files     int
	Bytes     int64 // of the files that are written
	FileBytes int64
}

// SkippedFile is a file of the commit that was not written, with the reason.
type SkippedFile struct {
	Path   string // git's bytes
	Reason string
}

// Export writes the commit's files into an empty folder, from the objects alone:
// no filter, line ending or attribute applies (cases W17, W22), a symlink becomes
// a file that holds its target (W20), a submodule an empty folder (W19). Names
// that could leave the folder or stand for git's own, and names that the file
// system cannot tell apart (W24), are skipped and returned, and so are files that
// are too large. Afterwards files and folders are read-only.
func (r *Repo) Export(ctx context.Context, commit events.Commit, dir string, limits ExportLimits) ([]SkippedFile, error) {
	_, skipped, err := r.ExportOver(ctx, commit, dir, nil, limits)
	return skipped, err
}

// ExportOver is Export into a folder that an earlier export filled, whose manifest
// is old, or into an empty one, without. Only what differs is written; what is not
// as the manifest says, or not in it, is replaced or removed. It returns the new
// manifest. Where it fails the folder is of no use any more.
func (r *Repo) ExportOver(ctx context.Context, commit events.Commit, dir string, old *Manifest, limits ExportLimits) (*Manifest, []SkippedFile, error) {
	if limits.Files <= 0 {
		limits.Files = ExportFilesMax
	}
	if limits.Bytes <= 0 {
		limits.Bytes = ExportBytesMax
	}
	if limits.FileBytes <= 0 {
		limits.FileBytes = ExportFileBytesMax
	}
	entries, err := r.tree(ctx, commit, limits)
	if err != nil {
		return nil, nil, fmt.Errorf("export %s: %w", commit, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("export %s: %w", commit, err)
	}
	defer func() { _ = root.Close() }()
	x := &exporter{
		root: root, limits: limits, folders: map[string]bool{".": true}, writable: map[string]bool{},
		made: &Manifest{Commit: commit, Files: map[string]Written{}},
	}
	if err := x.write(ctx, r, entries, old); err != nil {
		return nil, nil, fmt.Errorf("export %s: %w", commit, err)
	}
	return x.made, x.skipped, nil
}

// exporter writes through an os.Root: no name, and no link that somebody puts
// there meanwhile, leads out of the folder.
type exporter struct {
	root     *os.Root
	limits   ExportLimits
	folders  map[string]bool // that are there and belong to the commit
	writable map[string]bool // those that are so meanwhile,
	order    []string        // in the order in which they became so
	over     bool            // the folder was filled before
	made     *Manifest
	skipped  []SkippedFile
}

func (x *exporter) write(ctx context.Context, r *Repo, entries []TreeEntry, old *Manifest) error {
	var blobs, modules []TreeEntry
	for _, e := range entries {
		switch why := unsafeName(e.Path); {
		case why != "":
			x.skip(e.Path, why)
		case e.Size > x.limits.FileBytes:
			x.skip(e.Path, fmt.Sprintf("it has %d bytes; a file of more than %d is not written", e.Size, x.limits.FileBytes))
		case e.Mode == modeSubmodule:
			modules = append(modules, e)
		default:
			blobs = append(blobs, e)
		}
	}
	if old != nil {
		kept, err := x.survey(old, blobs, modules)
		if err != nil {
			return err
		}
		blobs = slices.DeleteFunc(blobs, func(e TreeEntry) bool { return kept[e.Path] })
	}
	for _, e := range modules {
		if err := x.settle(e.Path, x.folder(e.Path)); err != nil {
			return err
		}
	}
	if err := r.blobs(ctx, blobs, x.file); err != nil {
		return err
	}
	for i := len(x.order) - 1; i >= 0; i-- {
		if err := x.root.Chmod(x.order[i], exportedFolder); err != nil {
			return err
		}
	}
	return x.root.Chmod(".", exportedFolder)
}

func (x *exporter) skip(path, why string) {
	x.skipped = append(x.skipped, SkippedFile{Path: path, Reason: why})
}

// settle turns an error that is due to the name into a skipped file. Which of two
// names that the file system cannot tell apart is skipped depends on the order, so
// that a folder that was filled before will not do for them.
func (x *exporter) settle(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case x.over && !errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: %w", ErrUnsuited, err)
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		x.skip(path, "the file system has another file of that name")
	case errors.Is(err, syscall.ENAMETOOLONG):
		x.skip(path, "the name is too long for the file system")
	case errors.Is(err, syscall.EILSEQ), errors.Is(err, syscall.EINVAL):
		x.skip(path, "the file system does not take the name")
	default:
		return err
	}
	return nil
}

// folder makes a folder and those above it. One that is there and that this
// export did not make is the same name in another spelling.
func (x *exporter) folder(name string) error {
	if x.folders[name] {
		return nil
	}
	above := path.Dir(name)
	if err := x.folder(above); err != nil {
		return err
	}
	if err := x.unlock(above); err != nil {
		return err
	}
	if err := x.root.Mkdir(name, foldersMeantime); err != nil {
		return err
	}
	x.folders[name] = true
	x.opened(name)
	return nil
}

// file writes one file; content holds exactly e.Size bytes.
func (x *exporter) file(e TreeEntry, content io.Reader) error {
	above := path.Dir(e.Path)
	if err := x.folder(above); err != nil {
		return x.settle(e.Path, err)
	}
	if err := x.unlock(above); err != nil {
		return err
	}
	mode := exportedFile
	if e.Mode == modeExecutable {
		mode = exportedProgram
	}
	f, err := x.root.OpenFile(e.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return x.settle(e.Path, err)
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = x.made.note(e, f)
	}
	return errors.Join(err, f.Close())
}

// blobs reads the files' contents from one git process, in order. What take
// leaves unread is skipped.
func (r *Repo) blobs(ctx context.Context, entries []TreeEntry, take func(TreeEntry, io.Reader) error) error {
	if len(entries) == 0 {
		return nil
	}
	limit := OutputShort
	for _, e := range entries {
		limit += e.Size + blobHeaderMax
	}
	c := r.call(limit, "cat-file", "--batch", "--buffer")
	c.stdin = &idReader{entries: entries}
	return c.stream(ctx, func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 64<<10)
		for _, e := range entries {
			if err := blob(in, e, take); err != nil {
				return err
			}
		}
		return nil
	})
}

// blobHeaderMax bounds "ID blob SIZE" and the newlines around it.
const blobHeaderMax = 128

// blob reads "ID TYPE SIZE", a newline, the content and a newline.
func blob(in *bufio.Reader, e TreeEntry, take func(TreeEntry, io.Reader) error) error {
	header, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("git cat-file: %w", noEOF(err))
	}
	fields := strings.Fields(header)
	if len(fields) != 3 || fields[0] != e.ID || fields[2] != strconv.FormatInt(e.Size, 10) {
		return fmt.Errorf("%w: %s", ErrMissingObject, e.ID)
	}
	content := &io.LimitedReader{R: in, N: e.Size}
	if err := take(e, content); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	if content.N > 0 {
		return fmt.Errorf("git cat-file: %w", io.ErrUnexpectedEOF)
	}
	if _, err := in.Discard(1); err != nil {
		return fmt.Errorf("git cat-file: %w", noEOF(err))
	}
	return nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// idReader yields the ids, one a line, without holding them as a text.
type idReader struct {
	entries []TreeEntry
	line    string
}

func (i *idReader) Read(p []byte) (int, error) {
	if i.line == "" {
		if len(i.entries) == 0 {
			return 0, io.EOF
		}
		i.line = i.entries[0].ID + "\n"
		i.entries = i.entries[1:]
	}
	n := copy(p, i.line)
	i.line = i.line[n:]
	return n, nil
}

// recordReader cuts records that NUL ends, of any length.
type recordReader struct{ in *bufio.Reader }

func newRecordReader(r io.Reader) recordReader {
	return recordReader{in: bufio.NewReaderSize(r, 64<<10)}
}

func (r recordReader) next() (string, error) {
	record, err := r.in.ReadString(0)
	if err != nil {
		if errors.Is(err, io.EOF) && record != "" {
			return "", io.ErrUnexpectedEOF
		}
		return "", err
	}
	return record[:len(record)-1], nil
}

// eachRecord hands over the records of an output until it ends or take fails.
func eachRecord(out io.Reader, take func(record string) error) error {
	records := newRecordReader(out)
	for {
		record, err := records.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(record)
		}
		if err != nil {
			return err
		}
	}
}
