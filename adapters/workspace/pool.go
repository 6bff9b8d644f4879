package workspace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// A pooled tree is a checkout that a finished run has left, with its manifest
// beside it. It belongs to nobody until a run takes it: by a rename into the
// folder for checkouts, under a name that carries the run's boot, which only one
// taker can win. From then on it is a checkout like any other, and a crash leaves
// it to Sweep. A tree is never shared, not even by runs that read the same head:
// one run's engine could change what the other's reads.
//
//	REPO.HEAD.RANDOM        the tree, read-only
//	REPO.HEAD.RANDOM.list   its manifest; without one the tree is worth nothing
//
// Trees of an earlier start of the machine are worth nothing either: what was not
// on disk when it went down may look right and be empty.

const manifestSuffix = ".list"

// poolFolder is the mode of a pooled tree's top: a folder that its owner may not
// write to cannot be moved.
const poolFolder fs.FileMode = 0o700

// PoolFilesMax bounds the trees that are kept: a manifest is read whole.
const PoolFilesMax = 200_000

// pool is the folder for pooled trees. A nil pool keeps nothing.
type pool struct {
	dir   string // without symlinks
	epoch string // this start of the machine
}

func newPool(dir string) (*pool, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder for trees: %w", err)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("make folder for trees: %w", err)
	}
	return &pool{dir: dir, epoch: machineEpoch()}, nil
}

// pooled is a tree in the pool.
type pooled struct {
	name string
	repo string
	head string    // the first digits of the commit
	at   time.Time // when it was given back
}

// headDigits of a commit stand in a tree's name, so that the same head is found
// again without reading manifests.
const headDigits = 16

// repoKey stands for a repository in names of trees.
func (p *pool) repoKey(repo events.RepoName) string {
	sum := sha256.Sum256([]byte(string(repo) + "\x00" + p.epoch))
	return hex.EncodeToString(sum[:8])
}

// list lists the trees, the one that was given back longest ago first, and the
// names that are no whole tree.
func (p *pool) list() (trees []pooled, odd []string, err error) {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("list trees: %w", err)
	}
	dirs := map[string]bool{}
	for _, e := range entries {
		dirs[e.Name()] = e.IsDir()
	}
	for _, e := range entries {
		name, isList := strings.CutSuffix(e.Name(), manifestSuffix)
		parts := strings.Split(name, separator)
		whole := len(parts) == 3 && nameable(parts[0]) && nameable(parts[1]) && nameable(parts[2])
		_, listed := dirs[name+manifestSuffix]
		switch {
		case !whole || isList && !dirs[name] || !isList && (!e.IsDir() || !listed):
			odd = append(odd, e.Name())
		case isList:
			st, err := e.Info()
			if err != nil {
				continue // it was taken meanwhile
			}
			trees = append(trees, pooled{name: name, repo: parts[0], head: parts[1], at: st.ModTime()})
		}
	}
	slices.SortFunc(trees, func(a, b pooled) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name)) })
	return trees, odd, nil
}

// take moves a tree of the repository into the place of an empty folder: one of the
// same head where there is one, else the newest. It returns nil where there is
// none, and may have removed the folder then.
func (p *pool) take(repo events.RepoName, head events.Commit, to string) (*git.Manifest, error) {
	if p == nil {
		return nil, nil
	}
	trees, _, err := p.list()
	if err != nil {
		return nil, err
	}
	key, digits := p.repoKey(repo), string(head[:min(len(head), headDigits)])
	trees = slices.DeleteFunc(trees, func(t pooled) bool { return t.repo != key })
	slices.SortStableFunc(trees, func(a, b pooled) int {
		return cmp.Or(same(b.head == digits)-same(a.head == digits), b.at.Compare(a.at))
	})
	for _, t := range trees {
		manifest, err := p.read(t.name)
		if err != nil {
			_ = p.discard(t.name) // it is not taken, and goes when the pool is looked through
			continue
		}
		_ = os.Remove(to)
		switch err := os.Rename(p.path(t.name), to); {
		case errors.Is(err, fs.ErrNotExist): // another took it
			continue
		case err != nil:
			return nil, fmt.Errorf("take tree: %w", err)
		}
		_ = os.Remove(p.path(t.name) + manifestSuffix) // one that stays is odd, and goes with the others
		return manifest, nil
	}
	return nil, nil
}

func same(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (p *pool) path(name string) string { return filepath.Join(p.dir, name) }

func (p *pool) read(name string) (*git.Manifest, error) {
	f, err := os.Open(p.path(name) + manifestSuffix)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return git.ReadManifest(f)
}

// give moves a tree into the pool. The manifest comes first: a tree without one
// would be thrown away, a manifest without a tree is nothing.
func (p *pool) give(repo events.RepoName, from string, m *git.Manifest) error {
	head := string(m.Commit)
	f, err := os.CreateTemp(p.dir, p.repoKey(repo)+separator+head[:min(len(head), headDigits)]+separator+"*"+manifestSuffix)
	if err != nil {
		return fmt.Errorf("keep tree: %w", err)
	}
	_, err = m.WriteTo(f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Chmod(from, poolFolder)
	}
	if err == nil {
		err = os.Rename(from, strings.TrimSuffix(f.Name(), manifestSuffix))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("keep tree: %w", err)
	}
	return nil
}

// discard removes a tree. It takes it out of reach first: a tree that loses files
// must not be taken meanwhile.
func (p *pool) discard(name string) error {
	gone, err := os.MkdirTemp(p.dir, "gone"+separator+"*")
	if err != nil {
		return fmt.Errorf("remove tree: %w", err)
	}
	err = os.Rename(p.path(name), filepath.Join(gone, "tree"))
	_ = os.Remove(p.path(name) + manifestSuffix) // one that stays is odd, and goes with the others
	if removed := removeBelow(p.dir, filepath.Base(gone)); removed != nil {
		return fmt.Errorf("remove tree: %w", removed)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // not there: another took it
		return fmt.Errorf("remove tree: %w", err)
	}
	return nil
}

// size is what a tree takes on disk, by its manifest.
func (p *pool) size(name string) int64 {
	f, err := os.Open(p.path(name) + manifestSuffix)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	_, bytes, err := git.ReadManifestHead(f)
	if err != nil {
		return 0
	}
	return bytes
}
