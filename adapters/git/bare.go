package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// ObjectFormat is how a repository names its objects: "sha1" or "sha256".
// (case W25)
type ObjectFormat string

// The formats that git has.
const (
	SHA1   ObjectFormat = "sha1"
	SHA256 ObjectFormat = "sha256"
)

// Format is the repository's object format.
func (r *Repo) Format() ObjectFormat {
	if r.EmptyTree == emptyTreeSHA256 {
		return SHA256
	}
	return SHA1
}

// bareConfig is the whole configuration of a repository of ours. What it says is
// said again in the environment of every process (environment.go).
const bareConfig = `[core]
	repositoryformatversion = %d
	filemode = true
	bare = true
	logAllRefUpdates = false
	hooksPath = /dev/null
	fsmonitor = false
	symlinks = false
[gc]
	auto = 0
	packRefs = false
	writeCommitGraph = false
	cruftPacks = false
[repack]
	updateServerInfo = false
[maintenance]
	auto = false
[fetch]
	fsckObjects = true
[protocol]
	allow = never
[submodule]
	recurse = false
`

// OpenBare returns a repository that MakeBare made. It asks nobody.
func OpenBare(dir string, format ObjectFormat) *Repo {
	r := &Repo{Top: dir, GitDir: dir, CommonDir: dir, Bare: true, EmptyTree: emptyTreeSHA1}
	if format == SHA256 {
		r.EmptyTree = emptyTreeSHA256
	}
	_, err := os.Lstat(filepath.Join(dir, "shallow"))
	r.Shallow = err == nil
	return r
}

// MakeBare makes a bare repository from nothing: no template of anybody's, and no
// git process. (gitrepository-layout)
func MakeBare(dir string, format ObjectFormat) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o700); err != nil {
			return fmt.Errorf("make repository: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		return fmt.Errorf("make repository: %w", err)
	}
	return writeWhole(filepath.Join(dir, "config"), bareConfigOf(format))
}

func bareConfigOf(format ObjectFormat) []byte {
	if format == SHA256 {
		return fmt.Appendf(nil, bareConfig+"[extensions]\n\tobjectFormat = sha256\n", 1)
	}
	return fmt.Appendf(nil, bareConfig, 0)
}

// foreign are places of a bare repository that select programs, other objects or
// another configuration, and that we never fill. (cases W17, W18)
var foreign = []string{
	"hooks", "info", "config.worktree", "commondir", "gitdir", "worktrees", "modules", "branches", "remotes",
	"objects/info/alternates", "objects/info/http-alternates", "logs",
}

// RestoreBare makes the configuration what MakeBare wrote, removes what does not
// belong there, and returns what it had to put right. It is called before each
// use, under the mirror's lock. (case W18)
func RestoreBare(dir string, format ObjectFormat) (repaired []string, err error) {
	config := filepath.Join(dir, "config")
	want := bareConfigOf(format)
	got, err := readRegular(config, int64(len(want))+1)
	if err != nil || !bytes.Equal(got, want) {
		if err := writeWhole(config, want); err != nil {
			return nil, err
		}
		repaired = append(repaired, "config")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return repaired, fmt.Errorf("look at repository: %w", err)
	}
	defer func() { _ = root.Close() }()
	for _, name := range foreign {
		if _, err := root.Lstat(filepath.FromSlash(name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := root.RemoveAll(filepath.FromSlash(name)); err != nil {
			return repaired, fmt.Errorf("restore repository: %w", err)
		}
		repaired = append(repaired, name)
	}
	return repaired, nil
}

// readRegular reads the beginning of a regular file, through no link.
func readRegular(path string, limit int64) ([]byte, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > limit {
		return nil, fs.ErrInvalid
	}
	return os.ReadFile(path)
}

// writeWhole puts a file in place at once.
func writeWhole(path string, text []byte) error {
	if st, err := os.Lstat(path); err == nil && st.IsDir() {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Base(path), err)
		}
	}
	next := path + ".new"
	_ = os.Remove(next) // a link of that name must lead nowhere
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

// RefUpdate sets a ref, or deletes it where Commit is "".
type RefUpdate struct {
	Ref    string
	Commit events.Commit
}

// UpdateRefs writes and deletes refs in one process. A ref to delete that is not
// there is none to delete.
func (r *Repo) UpdateRefs(ctx context.Context, held *os.File, updates ...RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	var text strings.Builder
	for _, u := range updates {
		if u.Commit == "" {
			text.WriteString("delete " + u.Ref + "\x00\x00")
			continue
		}
		text.WriteString("update " + u.Ref + "\x00" + string(u.Commit) + "\x00\x00")
	}
	c := r.call(OutputShort, "update-ref", "--stdin", "-z")
	c.stdin, c.writes = strings.NewReader(text.String()), true
	if held != nil {
		c.held = []*os.File{held}
	}
	if _, err := c.output(ctx); err != nil {
		return fmt.Errorf("update refs: %w", sortFetch(err))
	}
	return nil
}

// PruneAfter is how old an object must be that nothing refers to, before Tidy
// removes it.
const PruneAfter = "2.days.ago"

// Tidy joins the packs of a repository of ours and removes old objects that no
// ref names. Its caller holds the repository's lock. (case W28)
func (r *Repo) Tidy(ctx context.Context, held *os.File) error {
	c := r.call(OutputShort, "gc", "--quiet", "--prune="+PruneAfter)
	c.writes = true
	if held != nil {
		c.held = []*os.File{held}
	}
	if _, err := c.output(ctx); err != nil {
		return fmt.Errorf("tidy repository: %w", sortFetch(err))
	}
	return nil
}

// Remote is what a source says of itself.
type Remote struct {
	Branch string // that its HEAD points to; "" where it does not say
	Head   events.Commit
	Format ObjectFormat
}

// AskRemote asks a source for its HEAD. dir is a folder of ours in which git is
// started.
func AskRemote(ctx context.Context, dir string, from Address, env []string) (Remote, error) {
	return AskRemoteWith(ctx, dir, from, env, nil)
}

// AskRemoteWith is AskRemote with a credential for the source.
func AskRemoteWith(ctx context.Context, dir string, from Address, env []string, with *Credential) (Remote, error) {
	extra, secret, err := with.settings(from)
	if err != nil {
		return Remote{}, fmt.Errorf("ask %s: %w", from, err)
	}
	c := &call{dir: dir, limit: OutputShort, args: []string{"ls-remote", "--symref", "--quiet", "--", from.text, "HEAD"}}
	c.env = append(append(fetchEnviron(from, env, extra...), secret...), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := c.output(ctx)
	if err = sortFetch(err); err != nil {
		return Remote{}, fmt.Errorf("ask %s: %w", from, err)
	}
	var found Remote
	for line := range strings.Lines(string(out)) {
		value, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		branch, isRef := strings.CutPrefix(value, "ref: "+headsPrefix)
		switch {
		case name != "HEAD":
		case isRef:
			found.Branch = branch
		case IsCommit(value):
			found.Head = events.Commit(value)
		}
	}
	found.Format = SHA1
	if len(found.Head) == 64 {
		found.Format = SHA256
	}
	if found.Head == "" {
		return found, fmt.Errorf("ask %s: %w", from, ErrNoCommit)
	}
	return found, nil
}
