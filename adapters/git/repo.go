package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// The empty tree's ids, which git knows without having the object.
const (
	emptyTreeSHA1   events.Commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTreeSHA256 events.Commit = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// IsEmptyTree reports whether an id is that of the tree without files.
func IsEmptyTree(id events.Commit) bool { return id == emptyTreeSHA1 || id == emptyTreeSHA256 }

// Repo is a repository on this machine. It holds no process and no lock, and may
// be used by many at once.
type Repo struct {
	// Top is the checkout's top folder; in a bare repository the git directory.
	Top string
	// GitDir is the git directory, of this work tree where there are several.
	GitDir string
	// CommonDir is the git directory that all work trees share: branches are there.
	CommonDir string
	// Bare: there is no checkout, or none that is this repository's.
	Bare bool
	// Shallow: history is cut off somewhere.
	Shallow bool
	// EmptyTree is the id of the tree without files.
	EmptyTree events.Commit

	known *commits // that are certainly here; nil = none
}

// commits is a set of full ids.
type commits map[string]bool

func (c *commits) has(id string) bool { return c != nil && (*c)[id] }

// Knowing returns the same repository with the knowledge that these commits are
// here, so that git need not be asked.
func (r *Repo) Knowing(here ...events.Commit) *Repo {
	known := make(commits, len(here))
	for _, c := range here {
		known[string(c)] = true
	}
	knowing := *r
	knowing.known = &known
	return &knowing
}

// Open finds the repository that the path lies in. It asks git once.
func Open(ctx context.Context, path string) (*Repo, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", path, err)
	}
	switch found, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open repository %q: %w: no such folder", path, ErrNotRepository)
	case err != nil:
		return nil, fmt.Errorf("open repository %q: %w", path, err)
	case !found.IsDir():
		return nil, fmt.Errorf("open repository %q: %w: not a folder", path, ErrNotRepository)
	}
	out, err := discover(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", path, err)
	}
	repo, err := newRepo(dir, string(out))
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", path, err)
	}
	if !repo.Bare && !repo.ownsCheckout() {
		repo.Bare, repo.Top = true, repo.GitDir
	}
	if repo.CommonDir, err = commonDir(repo.GitDir); err != nil {
		return nil, fmt.Errorf("open repository %q: %w", path, err)
	}
	return repo, nil
}

// commonDir reads where a linked work tree's git directory says that the shared
// one is. (gitrepository-layout, "commondir")
func commonDir(gitDir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	dir := strings.TrimSuffix(string(text), "\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return dir, nil
}

// discover lets git find the repository around the folder.
func discover(ctx context.Context, dir string) ([]byte, error) {
	c := call{dir: dir, env: environ(), limit: OutputShort, args: []string{
		"rev-parse", "--is-bare-repository", "--show-object-format", "--is-shallow-repository",
		"--show-cdup", "--absolute-git-dir"}}
	out, err := c.output(ctx)
	if isOwnership(err) {
		if c.env, err = trusting(ctx, dir); err == nil {
			out, err = c.output(ctx)
		}
	}
	switch {
	case isOwnership(err):
		return nil, ErrOwnership
	case isNotRepository(err):
		return nil, ErrNotRepository
	}
	return out, err
}

// newRepo reads the answer of discover. The folders come last, because a folder's
// name may hold a newline.
func newRepo(dir, answer string) (*Repo, error) {
	fields := strings.SplitN(strings.TrimSuffix(answer, "\n"), "\n", 4)
	if len(fields) < 4 {
		return nil, fmt.Errorf("git rev-parse: unexpected answer %q", answer)
	}
	r := &Repo{Bare: fields[0] == "true", Shallow: fields[2] == "true", EmptyTree: emptyTreeSHA1}
	if fields[1] == "sha256" {
		r.EmptyTree = emptyTreeSHA256
	}
	if r.Bare {
		r.GitDir = fields[3]
		r.Top = r.GitDir
		return r, nil
	}
	// A path within a git directory has no way up: the directory is the whole rest.
	// A way up that is absolute is a checkout which the configuration names.
	if found, err := os.Stat(fields[3]); err == nil && found.IsDir() && filepath.IsAbs(fields[3]) {
		r.Bare, r.GitDir, r.Top = true, fields[3], fields[3]
		return r, nil
	}
	up, gitDir, ok := strings.Cut(fields[3], "\n")
	if !ok {
		return nil, fmt.Errorf("git rev-parse: unexpected answer %q", answer)
	}
	r.GitDir, r.Top = gitDir, filepath.Join(dir, up)
	return r, nil
}

// call prepares a git process that reads the object store and no checkout: git
// looks for attributes in the git directory, which no commit can fill, and where
// it can (from 2.41 on) in the empty tree. Without this a commit could mark its
// own files as binary and so hide them.
func (r *Repo) call(limit int64, args ...string) *call {
	env := append(environ(), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.GitDir,
		"GIT_ATTR_SOURCE="+string(r.EmptyTree))
	return &call{dir: r.GitDir, env: env, args: args, limit: limit}
}

// run asks git for a short answer.
func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	return r.call(OutputShort, args...).output(ctx)
}
