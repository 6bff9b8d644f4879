package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds.
const (
	// FetchTimeout bounds one round with a source. (semantics 30.3)
	FetchTimeout = 30 * time.Minute
	// GatherTime is how long a fetch waits for others who need one. (goal 17)
	GatherTime = 10 * time.Millisecond
	// UnpinBatch is how many pins are left standing before they are removed together.
	UnpinBatch = 32
)

// Params are what a Store needs.
type Params struct {
	// Root is the folder for mirrors. It is made where it is not there.
	Root  string
	Boot  events.BootID
	Clock actors.Clock
	Log   *slog.Logger
	// Gather is how long a fetch waits for others; 0 = GatherTime, < 0 = not at all.
	Gather time.Duration
}

// Store holds the mirrors. It may be used by many at once, and beside other
// processes on the same folder.
type Store struct {
	Params
	uid   int // of this process; -1 where there are none
	alive context.Context
	stop  context.CancelCauseFunc
	tasks sync.WaitGroup

	mu      sync.Mutex
	mirrors map[string]*mirror // by name
	serial  int                // of pins
	closed  bool
}

// Source is a repository elsewhere.
type Source struct {
	Repo events.RepoName // for people
	From git.Address
	Env  []string // what the operator lets git have; see git.Fetch
	// Credential is for the server of From alone; nil = none.
	Credential *git.Credential
}

// Want is what a run needs to read.
type Want struct {
	Run     events.RunID
	Commits []events.Commit
	// Ref is what the source calls the first commit ("refs/pull/7/head"), for servers
	// that give nothing by its id; "" = unknown.
	Ref string
	// Newest: the branches are to be as they are now, even where the commits are here.
	Newest bool
	// Tags: the source's tags are wanted as well.
	Tags bool
}

// Pin keeps what a run reads. The zero value is none.
type Pin struct {
	mirror *mirror
	refs   []string
}

var errClosed = errors.New("this process is stopping")

// New makes the folder for mirrors. It removes nothing: see Sweep.
func New(p Params) (*Store, error) {
	if err := os.MkdirAll(p.Root, 0o700); err != nil {
		return nil, fmt.Errorf("make folder for mirrors: %w", err)
	}
	root, err := filepath.EvalSymlinks(p.Root)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return nil, fmt.Errorf("make folder for mirrors: %w", err)
	}
	p.Root = root
	if p.Gather == 0 {
		p.Gather = GatherTime
	}
	alive, stop := context.WithCancelCause(context.Background())
	return &Store{Params: p, uid: os.Geteuid(), alive: alive, stop: stop, mirrors: map[string]*mirror{}}, nil
}

// Ensure makes the wanted commits readable and pins them. It returns the mirror and
// what is to be given back with Release.
func (s *Store) Ensure(ctx context.Context, src Source, want Want) (*git.Repo, Pin, error) {
	if len(want.Commits) == 0 {
		return nil, Pin{}, fmt.Errorf("mirror %s: nothing is wanted", src.Repo)
	}
	for _, c := range want.Commits {
		if !git.IsCommit(string(c)) {
			return nil, Pin{}, fmt.Errorf("mirror %s: %w", src.Repo, &git.RefError{Ref: string(c)})
		}
	}
	if src.From.Local() {
		if err := borrows(src.From.Path()); err != nil {
			return nil, Pin{}, fmt.Errorf("mirror %s: %w", src.Repo, err)
		}
	}
	m, w, err := s.join(src, want)
	if err != nil {
		return nil, Pin{}, err
	}
	if err := m.await(ctx, w); err != nil {
		return nil, Pin{}, fmt.Errorf("mirror %s: %w", src.Repo, err)
	}
	return git.OpenBare(m.dir, m.format).Knowing(want.Commits...), Pin{mirror: m, refs: w.refs}, nil
}

// join finds the source's mirror and puts the want into its line.
func (s *Store) join(src Source, want Want) (*mirror, *waiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, errClosed
	}
	format := git.SHA1
	if len(want.Commits[0]) == 64 {
		format = git.SHA256
	}
	name := nameOf(src, format)
	m := s.mirrors[name]
	if m == nil {
		m = &mirror{store: s, name: name, dir: filepath.Join(s.Root, name+dirSuffix), format: format}
		s.mirrors[name] = m
	}
	s.serial++
	w := &waiter{want: want, done: make(chan struct{})}
	for i := range want.Commits {
		w.refs = append(w.refs, fmt.Sprintf("%s%s/%s-%d/%d", pinPrefix, s.Boot, want.Run, s.serial, i))
	}
	m.enter(src, w)
	return m, w, nil
}

// The names of a mirror's files.
const (
	dirSuffix  = ".git"
	lockSuffix = ".lock"
	oldSuffix  = ".old" // a mirror that is on its way out
	pinPrefix  = "refs/run/"
)

// nameOf is a mirror's name: the repository's, for people, and what tells sources
// apart.
func nameOf(src Source, format git.ObjectFormat) string {
	shown := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '-'
	}, string(src.Repo))
	sum := sha256.Sum256([]byte(src.From.String() + "\x00" + string(format)))
	return shown[:min(len(shown), 60)] + "-" + hex.EncodeToString(sum[:8])
}

// Close ends all work, removes this process's pins, and returns when nothing of it
// is at work. It may be called more than once.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop(errClosed)
	s.tasks.Wait()
	s.Flush()
}

// Flush removes the pins that were given back and still stand.
func (s *Store) Flush() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.mirrors))
	s.mu.Unlock()
	for _, m := range all {
		m.flush()
	}
}
