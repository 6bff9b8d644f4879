package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of a snapshot.
const (
	SnapshotFileMax  int64 = 100 << 20 // of one file; what is larger is left out
	SnapshotFilesMax       = 20_000    // that differ from the commit
	SnapshotTries          = 3         // of a checkout that changes while it is read
)

// SnapshotAuthor signs a snapshot's commit. It is fixed, and so is its date: the
// commit's id says what is in it and what it is based on, and nothing else.
const SnapshotAuthor = "reviewctl <reviewctl@localhost> 0 +0000"

// SnapshotSubject is a snapshot commit's message.
const SnapshotSubject = "Uncommitted work"

// ErrBare: the repository has no checkout.
var ErrBare = errors.New("a bare repository has no checkout")

// Snapshot is a checkout as it lies on disk, as a commit on top of the one that is
// checked out.
type Snapshot struct {
	// Repo is a bare repository of ours that has the commit and borrows all other
	// objects from the checkout's.
	Repo *Repo
	// Parent is what is checked out; Head is the same where nothing differs from it.
	Parent, Head events.Commit
	// Files counts those that differ, as a review does.
	Files int
	// Left are files that differ and are not in the snapshot, with the reason.
	Left []SkippedFile
}

// Snapshot makes a commit of the checkout: staged and unstaged changes and new
// files that nobody ignores. It writes into dir alone, an empty folder: the index
// is a copy there, new objects go there. Line ends become what a commit would
// have; filters are not run, nor is any hook. Where a file changes while it is
// read, it is read again. (CLI.md "--worktree"; cases W16, W17, W19, W20)
func (r *Repo) Snapshot(ctx context.Context, dir string) (*Snapshot, error) {
	if r.Bare {
		return nil, fmt.Errorf("read checkout: %w", ErrBare)
	}
	own, err := r.operatorSettings(ctx)
	if err != nil {
		return nil, fmt.Errorf("read checkout: %w", err)
	}
	for try := 1; ; try++ {
		if err = os.RemoveAll(dir); err != nil {
			return nil, fmt.Errorf("read checkout: %w", err)
		}
		w := &worktree{r: r, dir: dir, settings: own}
		s, err := w.snapshot(ctx)
		var exit *ExitError
		if !errors.As(err, &exit) || exit.Command != "update-index" || try == SnapshotTries || ctx.Err() != nil {
			if err != nil {
				return nil, fmt.Errorf("read checkout: %w", err)
			}
			return s, nil
		}
	}
}

// worktree is one reading of a checkout.
type worktree struct {
	r        *Repo
	dir      string
	settings []setting
}

func (w *worktree) snapshot(ctx context.Context) (*Snapshot, error) {
	mine, err := w.r.borrower(w.dir)
	if err != nil {
		return nil, err
	}
	if err := copyIndex(filepath.Join(w.r.GitDir, "index"), w.index()); err != nil {
		return nil, err
	}
	found, err := w.status(ctx)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Repo: mine, Parent: found.head, Head: found.head, Left: found.left}
	if err := w.stage(ctx, found); err != nil {
		return nil, err
	}
	if found.staged || len(found.add)+len(found.remove) > 0 {
		if err := w.commit(ctx, s); err != nil {
			return nil, err
		}
	}
	if err := w.r.copyRefs(ctx, mine, s.Head); err != nil {
		return nil, err
	}
	return s, nil
}

func (w *worktree) index() string { return filepath.Join(w.dir, "index") }

// call is a git that sees the checkout, our copy of its index, and our objects
// before its own. Names are checked when a tree is written to disk, where names
// that are safe here may not be.
func (w *worktree) call(limit int64, args ...string) *call {
	env := environ(append([]setting{
		{"core.splitIndex", "false"}, {"index.sparse", "false"}, {"core.safecrlf", "false"},
		{"core.protectHFS", "false"}, {"core.protectNTFS", "false"},
	}, w.settings...)...)
	env = append(env, "GIT_DIR="+w.r.GitDir, "GIT_WORK_TREE="+w.r.Top,
		"GIT_INDEX_FILE="+w.index(), "GIT_OBJECT_DIRECTORY="+filepath.Join(w.dir, "objects"))
	return &call{dir: w.r.Top, env: env, args: args, limit: limit}
}

// stage brings our index up to date with the checkout. Removals come first and
// ask the disk nothing, so that a file can take the place of a folder.
func (w *worktree) stage(ctx context.Context, found *difference) error {
	if len(found.remove) > 0 {
		var none strings.Builder
		for _, path := range found.remove {
			none.WriteString("0 " + strings.Repeat("0", len(w.r.EmptyTree)) + "\t" + path + "\x00")
		}
		c := w.call(OutputShort, "update-index", "-z", "--index-info")
		c.stdin = strings.NewReader(none.String())
		if _, err := c.output(ctx); err != nil {
			return err
		}
	}
	if len(found.add) == 0 {
		return nil
	}
	c := w.call(OutputShort, "update-index", "--add", "--replace", "-z", "--stdin")
	c.stdin = strings.NewReader(strings.Join(found.add, "\x00") + "\x00")
	_, err := c.output(ctx)
	return err
}

// commit makes the commit of our index, unless it holds what the parent does.
func (w *worktree) commit(ctx context.Context, s *Snapshot) error {
	out, err := w.call(OutputShort, "write-tree").output(ctx)
	if err != nil {
		return err
	}
	tree := events.Commit(strings.TrimSpace(string(out)))
	files, err := s.Repo.ChangedFiles(ctx, s.Parent, tree)
	if err != nil || len(files) == 0 {
		return err
	}
	c := s.Repo.call(OutputShort, "hash-object", "-t", "commit", "-w", "--stdin")
	c.stdin = strings.NewReader(fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s\n",
		tree, s.Parent, SnapshotAuthor, SnapshotAuthor, SnapshotSubject))
	if out, err = c.output(ctx); err != nil {
		return err
	}
	s.Head, s.Files = events.Commit(strings.TrimSpace(string(out))), len(files)
	return nil
}

// borrower makes a bare repository in an empty folder that takes the objects of
// another from there.
func (r *Repo) borrower(dir string) (*Repo, error) {
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if r.EmptyTree == emptyTreeSHA256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	for _, folder := range []string{"objects/info", "objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			return nil, err
		}
	}
	files := []struct{ name, text string }{
		{"config", config},
		{"HEAD", "ref: refs/heads/none\n"},
		{"objects/info/alternates", quotePath(filepath.Join(r.CommonDir, "objects")) + "\n"},
	}
	shallow, err := os.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	switch {
	case err == nil:
		files = append(files, struct{ name, text string }{"shallow", string(shallow)})
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o600); err != nil {
			return nil, err
		}
	}
	return &Repo{Top: dir, GitDir: dir, CommonDir: dir, Bare: true, Shallow: r.Shallow, EmptyTree: r.EmptyTree}, nil
}

// quotePath quotes a path as C does, which git understands where a list of paths
// may hold any byte.
func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// copyRefs gives the borrower the refs by which bases are found, as they are now,
// and the snapshot as its HEAD.
func (r *Repo) copyRefs(ctx context.Context, mine *Repo, head events.Commit) error {
	refs, err := r.call(ListMax, "for-each-ref", "--format=%(objectname) %(refname)").output(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(mine.GitDir, "packed-refs"), append([]byte("# pack-refs with: sorted \n"), refs...), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(mine.GitDir, "HEAD"), []byte(head+"\n"), 0o600)
}

// copyIndex copies an index with its time: git takes a file that is as young as
// the index for one that may have changed since.
func copyIndex(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, st.ModTime(), st.ModTime())
}
