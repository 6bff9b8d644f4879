package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
)

// storySpeed is how many seconds of the story pass in one of the machine's: most of
// it is the second between two writes. GitHub's clock is the daemon's.
const storySpeed = 20

// storyToken is the variable that holds the token, storyBot is whose it is.
const (
	storyToken = "STORY_TOKEN"
	storyBot   = "robo"
)

// storyEngine says which attempt it is, and works for as long as a gate is closed.
const storyEngine = `cat >/dev/null
echo "$REVIEWCTL_LANE" >>"$0.lanes"
while [ -e "$0.gate" ]; do sleep 0.02; done
echo '{"findings":[],"usage":{"input_tokens":900,"output_tokens":100,"cost_usd":0,"confidence":"exact"}}'
`

const storyConfig = `github: { api_url: %[1]s/, token_env: ` + storyToken + ` }
scheduling: { debounce: 2s, poll_interval: 10s }
engines:
  one: { kind: exec, command: [sh, %[2]s/engines/one.sh], account: main, timeout: 20m }
accounts:
  main: { session_tokens: 100m }
pools: { one: 2 }
repositories:
  - { name: octo/town, engines: [static, one] }
`

// story is one pull request's life on GitHub, with a daemon that is killed now and
// then and started again.
type story struct {
	t      *testing.T
	dir    string
	env    []string
	clock  fastClock
	hub    *githubtest.Server
	repo   *githubtest.Repo
	pull   *githubtest.PullRequest
	log    *sqlite.Log // opened beside the daemon, to follow it
	after  events.Position
	facts  storyFacts
	kills  []string // where the next daemons die, one after another
	killed int      // daemons, where they were told to die

	mu     sync.Mutex // of what the hub's hooks use
	daemon *started
	shots  int // daemons that the test killed itself, and nobody has noticed yet
}

// storyFacts are what the log says.
type storyFacts struct {
	recorded   []events.Event
	runs       map[events.RunID]events.Commit
	ended      map[events.RunID]bool
	began      map[events.Commit]bool // a lane that is gated began on it
	superseded map[events.Commit]bool
	published  map[events.Commit]bool
	queued     map[events.Commit]events.Event
	wanted     *events.LabelWanted
	synced     *events.LabelSynced
	closed     bool
	reserved   map[storyLane]bool
}

// storyLane is one try of a lane.
type storyLane struct {
	run     events.RunID
	lane    events.LaneID
	attempt int
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{t: t, dir: t.TempDir(), clock: newFastClock(storySpeed), facts: storyFacts{
		runs: map[events.RunID]events.Commit{}, ended: map[events.RunID]bool{}, began: map[events.Commit]bool{},
		superseded: map[events.Commit]bool{}, published: map[events.Commit]bool{}, queued: map[events.Commit]events.Event{},
		reserved: map[storyLane]bool{},
	}}
	s.hub = githubtest.New(t, githubtest.Params{Clock: s.clock})
	s.repo = s.hub.Repo("octo/town")
	names := publish.DefaultLabelNames()
	s.repo.Labels(names.Approved, names.ChangesRequested, names.Commented)
	s.env = append(os.Environ(), storyToken+"="+s.hub.Token(storyBot), envClock+"="+s.clock.String())
	for name, value := range scriptEnv(s.dir) {
		s.env = append(s.env, name+"="+value)
	}
	for name, text := range map[string]string{
		"engines/one.sh": storyEngine, "reviewctl.yaml": fmt.Sprintf(storyConfig, s.hub.URL(), s.dir), "log/.keep": "",
	} {
		file := filepath.Join(s.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if s.log, err = sqlite.Open(t.Context(), filepath.Join(s.dir, "log", "events.db"), sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.log.Close() })
	return s
}

// serve starts the daemon, which dies where the next of kills says.
func (s *story) serve() {
	s.t.Helper()
	env := s.env
	if len(s.kills) > 0 {
		env = append(slices.Clone(env), envKill+"="+s.kills[0])
		s.kills = s.kills[1:]
	}
	p, err := begin(s.dir, env, "reviewctl", "serve", "--listen", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(p.kill)
	p.copyOut(io.Discard)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.daemon = p
}

// shoot kills the daemon and returns when it is dead. The hub may call it.
func (s *story) shoot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.daemon.cmd.Process.Kill() == nil {
		s.shots++
	}
	<-s.daemon.done
}

// again starts the daemon that was shot.
func (s *story) again() {
	s.t.Helper()
	s.shoot()
	s.bury("an act begins")
}

// bury takes note of a daemon that is dead, and starts the next one.
func (s *story) bury(when string) {
	s.t.Helper()
	s.mu.Lock()
	daemon, shot := s.daemon, s.shots > 0
	s.shots = 0
	s.mu.Unlock()
	told := slices.ContainsFunc(daemon.cmd.Env, func(text string) bool { return strings.HasPrefix(text, envKill+"=") })
	if code := daemon.end(); code != -1 || !shot && !told {
		s.t.Fatalf("%s: the daemon ended by itself with %d: %s", when, code, daemon.said())
	}
	if !shot {
		s.killed++
	}
	s.serve()
}

// until goes on until the log says so, and starts the daemon again when it was
// killed.
func (s *story) until(what string, come func(*storyFacts) bool) {
	s.t.Helper()
	for s.read(); !come(&s.facts); s.read() {
		s.mu.Lock()
		daemon := s.daemon
		s.mu.Unlock()
		ctx, cancel := context.WithCancel(s.t.Context())
		go func() {
			select {
			case <-daemon.done:
				cancel()
			case <-ctx.Done():
			}
		}()
		err := s.log.Follow(ctx, s.after)
		cancel()
		if err != nil {
			s.bury("waiting until " + what)
		}
	}
}

// stop ends the daemon in order. One that dies of the very last event is started
// again before.
func (s *story) stop() {
	s.t.Helper()
	for {
		daemon := s.daemon
		_ = daemon.await(regexp.MustCompile("serving ")) // before, a signal just kills it
		_ = daemon.cmd.Process.Signal(syscall.SIGTERM)   // it may be dead
		<-daemon.done
		if code := daemon.end(); code != -1 {
			if code != 0 {
				s.t.Errorf("exit code %d: %s", code, daemon.said())
			}
			s.read()
			return
		}
		s.bury("the story ends")
		s.until("all is at rest", (*storyFacts).idle)
	}
}

func (s *story) read() {
	s.t.Helper()
	if err := s.log.ReadAll(s.t.Context(), s.after, func(e *events.Event) bool {
		s.after = e.Position
		p, err := events.Decode(e)
		if err != nil {
			s.t.Error(err)
			return false
		}
		s.facts.recorded = append(s.facts.recorded, *e)
		s.facts.fold(e, p)
		return true
	}); err != nil {
		s.t.Fatal(err)
	}
}

func (f *storyFacts) fold(e *events.Event, p events.Payload) {
	run := events.RunID(strings.TrimPrefix(string(e.Stream), events.CategoryRun+"-"))
	switch p := p.(type) {
	case *events.HeadQueued:
		if _, again := f.queued[p.Head]; !again {
			f.queued[p.Head] = *e
		}
	case *events.RunRequested:
		f.runs[p.Run] = p.Head
	case *events.RunEnded:
		f.ended[run] = true
	case *events.LaneBegan:
		if p.Lane == "one" {
			f.began[f.runs[run]] = true
		}
	case *events.HeadSuperseded:
		f.superseded[p.Head] = true
	case *events.HeadClosed:
		f.closed = true
	case *events.VerdictPublished:
		f.published[p.Head] = true
	case *events.LabelWanted:
		f.wanted = p
	case *events.LabelSynced:
		f.synced = p
	case *events.BudgetReserved:
		f.reserved[storyLane{p.Run, p.Lane, p.Attempt}] = true
	case *events.BudgetSettled:
		delete(f.reserved, storyLane{p.Run, p.Lane, p.Attempt})
	case *events.BudgetReleased:
		delete(f.reserved, storyLane{p.Run, p.Lane, p.Attempt})
	}
}

// idle reports whether no run is under way and no label on its way.
func (f *storyFacts) idle() bool {
	for run := range f.runs {
		if !f.ended[run] {
			return false
		}
	}
	return len(f.reserved) == 0 && (f.wanted == nil || f.synced != nil && f.synced.Try == f.wanted.Try)
}

// gate closes or opens the gate of the engine that has one.
func (s *story) gate(closed bool) {
	s.t.Helper()
	file := filepath.Join(s.dir, "engines", "one.sh.gate")
	err := os.WriteFile(file, nil, 0o600)
	if !closed {
		err = os.Remove(file)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// verb runs a verb in this process and returns its exit code.
func (s *story) verb(into any, args ...string) Exit {
	s.t.Helper()
	env := map[string]string{}
	for _, text := range s.env {
		name, value, _ := strings.Cut(text, "=")
		env[name] = value
	}
	config := filepath.Join(s.dir, "reviewctl.yaml")
	var stdout, stderr bytes.Buffer
	code := run(s.t.Context(), append(args, "--json", "--config", config), strings.NewReader(""), &stdout, &stderr, func(name string) string { return env[name] })
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		s.t.Errorf("%s: exit code %d, %v: %s%s", args, code, err, &stdout, &stderr)
	}
	return code
}
