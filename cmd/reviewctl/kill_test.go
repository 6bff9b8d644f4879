package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections/status"
)

const (
	daemonKills      = 100
	daemonKillsShort = 8
	killBranches     = 5
	killPushes       = 2               // branches that move in a round, at most
	killWithin       = 90              // events after the start of a round
	killIdle         = 5 * time.Second // a daemon that has gone quiet is killed, too
	killSettle       = 3 * time.Minute
)

// killEngine says who it is, works a moment with a child, and answers.
const killEngine = `cat >/dev/null
echo "$REVIEWCTL_LANE" >>"$0.lanes"
sleep 0.0$(($$ % 7 + 1)) &
wait
echo '{"findings":[],"usage":{"input_tokens":1,"output_tokens":1,"cost_usd":0,"confidence":"exact"}}'
`

const killConfig = `engines:
  one: { kind: exec, command: [sh, %[1]s/engines/one.sh], timeout: 1m }
  two: { kind: exec, command: [sh, %[1]s/engines/two.sh], timeout: 1m }
pools: { one: 2, two: 3 }
repositories:
  - { name: local/town, path: %[1]s/town, base: main, branches: ["b*"], engines: [one, two] }
`

// TestKilledDaemonLosesNothing kills serve at random during reviews: no head is
// lost, no process is left, and no attempt runs twice. (issue 2, "Done when")
func TestKilledDaemonLosesNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("orphans are found in /proc, which is not here")
	}
	kills := daemonKills
	if testing.Short() {
		kills = daemonKillsShort
	}
	town := newKillTown(t)
	for round := range kills {
		town.push(round)
		daemon := town.serve()
		if town.random.IntN(3) == 0 {
			town.push(round) // while it starts or works
		}
		town.killAt(daemon, town.random.IntN(killWithin))
	}
	daemon := town.serve()
	town.settle()
	if err := daemon.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if code := daemon.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, daemon.said())
	}
	town.attemptsRanOnce()
	town.nothingIsLeft()
}

// killTown is a repository with branches, and a daemon's log.
type killTown struct {
	t      *testing.T
	dir    string
	env    []string
	random *rand.Rand
	log    *sqlite.Log // opened beside the daemon, to follow it
	after  events.Position
}

func newKillTown(t *testing.T) *killTown {
	t.Helper()
	town := &killTown{t: t, dir: t.TempDir(), random: rand.New(rand.NewPCG(7, 11))}
	town.env = os.Environ()
	for name, value := range scriptEnv(town.dir) {
		town.env = append(town.env, name+"="+value)
	}
	for name, text := range map[string]string{
		"engines/one.sh": killEngine, "engines/two.sh": killEngine, "reviewctl.yaml": fmt.Sprintf(killConfig, town.dir), "town/a.txt": "0\n",
	} {
		file := filepath.Join(town.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	town.git("init", "-q", "-b", "main")
	town.git("add", "-A")
	town.git("commit", "-q", "-m", "base")
	for i := range killBranches {
		town.git("branch", fmt.Sprintf("b%d", i))
	}
	if err := os.Mkdir(filepath.Join(town.dir, "log"), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if town.log, err = sqlite.Open(t.Context(), filepath.Join(town.dir, "log", "events.db"), sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = town.log.Close() })
	return town
}

func (k *killTown) git(args ...string) string {
	k.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", filepath.Join(k.dir, "town")}, args...)...)
	cmd.Env = k.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.t.Fatalf("git %s: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// push moves some branches on.
func (k *killTown) push(round int) {
	k.t.Helper()
	for range 1 + k.random.IntN(killPushes) {
		branch := fmt.Sprintf("refs/heads/b%d", k.random.IntN(killBranches))
		tip := k.git("rev-parse", branch)
		blob := k.write("hash-object", "-w", "--stdin", fmt.Sprintf("%s %d\n", tip, round))
		tree := k.write("mktree", "", "", fmt.Sprintf("100644 blob %s\ta.txt\n", blob))
		k.git("update-ref", branch, k.git("commit-tree", "-p", tip, "-m", "more", tree))
	}
}

func (k *killTown) write(args ...string) string {
	k.t.Helper()
	cmd := exec.Command("git", "-C", filepath.Join(k.dir, "town"))
	for _, a := range args[:3] {
		if a != "" {
			cmd.Args = append(cmd.Args, a)
		}
	}
	cmd.Env, cmd.Stdin = k.env, strings.NewReader(args[3])
	out, err := cmd.Output()
	if err != nil {
		k.t.Fatal(args, err)
	}
	return strings.TrimSpace(string(out))
}

func (k *killTown) serve() *started {
	k.t.Helper()
	p, err := begin(k.dir, k.env, "reviewctl", "serve", "--listen", "127.0.0.1:0")
	if err != nil {
		k.t.Fatal(err)
	}
	p.over.Reset(killSettle + waitMax)
	k.t.Cleanup(p.kill)
	p.copyOut(io.Discard)
	return p
}

// killAt kills the daemon at its n-th event from now, wherever it then is.
func (k *killTown) killAt(daemon *started, n int) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), killIdle)
	defer cancel()
	for n >= 0 && k.log.Follow(ctx, k.after) == nil {
		k.read(func(*events.Event) { n-- })
	}
	if err := daemon.cmd.Process.Kill(); err != nil {
		k.t.Errorf("the daemon ended by itself: %v: %s", err, daemon.said())
	}
	if code := daemon.end(); code != -1 {
		k.t.Errorf("the daemon ended by itself with %d: %s", code, daemon.said())
	}
	k.read(func(*events.Event) {})
}

func (k *killTown) read(yield func(*events.Event)) {
	k.t.Helper()
	if err := k.log.ReadAll(k.t.Context(), k.after, func(e *events.Event) bool {
		k.after = e.Position
		yield(e)
		return true
	}); err != nil {
		k.t.Fatal(err)
	}
}

// call runs a verb and returns its answer.
func (k *killTown) call(into any, args ...string) {
	k.t.Helper()
	p, err := begin(k.dir, k.env, "reviewctl", append(args, "--json")...)
	if err != nil {
		k.t.Fatal(err)
	}
	out, err := io.ReadAll(p.stdout)
	if code := p.end(); err != nil || code != 0 {
		k.t.Fatalf("%s: exit code %d, error %v: %s", args, code, err, p.said())
	}
	if err := json.Unmarshal(out, into); err != nil {
		k.t.Fatalf("%s: %v: %s", args, err, out)
	}
}

// settle waits until each branch's newest head is reviewed. A head that was killed
// so often that it waits for its next attempt is asked for by hand.
func (k *killTown) settle() {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), killSettle)
	defer cancel()
	asked := map[events.Commit]bool{}
	for {
		k.read(func(*events.Event) {})
		var prs struct{ Items []status.PR }
		k.call(&prs, "get", "prs")
		open := k.open(prs.Items, asked)
		if open == "" {
			return
		}
		if err := k.log.Follow(ctx, k.after); err != nil {
			k.t.Fatalf("not settled: %s", open)
		}
	}
}

func (k *killTown) open(prs []status.PR, asked map[events.Commit]bool) string {
	k.t.Helper()
	known := map[string]status.PR{}
	for _, pr := range prs {
		known[pr.Ref] = pr
	}
	open := ""
	for i := range killBranches {
		ref := fmt.Sprintf("b%d", i)
		tip := events.Commit(k.git("rev-parse", ref))
		if tip == events.Commit(k.git("rev-parse", "main")) {
			continue // nothing was pushed to it
		}
		pr, ok := known[ref]
		if ok && pr.Head == tip && pr.State == status.StateReviewed {
			continue // clean, or partial where a lane was killed in both its attempts
		}
		open += fmt.Sprintf("%s at %s: %+v\n", ref, tip, pr)
		waits := pr.State == status.StateQueued && !pr.NotBefore.IsZero()
		if ok && pr.Head == tip && (waits || pr.State == status.StateFailed) && !asked[tip] {
			asked[tip] = true
			verb := "retry"
			if waits {
				verb = "enqueue"
			}
			var answer CommandAnswer
			k.call(&answer, verb, fmt.Sprintf("%s#%d", pr.Repo, pr.Number))
			if answer.Accepted == nil || !*answer.Accepted {
				k.t.Errorf("%s: %+v", verb, answer)
			}
		}
	}
	return open
}

// attemptsRanOnce holds what the engines wrote against the log.
func (k *killTown) attemptsRanOnce() {
	k.t.Helper()
	type attempt struct {
		run  string
		lane events.LaneID
		try  int
	}
	began := map[attempt]events.BootID{}
	k.after = 0
	k.read(func(e *events.Event) {
		p, err := events.Decode(e)
		if err != nil {
			k.t.Fatal(err)
		}
		if b, ok := p.(*events.LaneBegan); ok {
			run := strings.TrimPrefix(string(e.Stream), events.CategoryRun+"-")
			a := attempt{run, b.Lane, b.Attempt}
			if _, twice := began[a]; twice {
				k.t.Errorf("%+v began twice", a)
			}
			began[a] = b.Owner
		}
	})
	ran := 0
	for _, name := range []string{"one", "two"} {
		text, err := os.ReadFile(filepath.Join(k.dir, "engines", name+".sh.lanes"))
		if err != nil {
			k.t.Error(err)
		}
		seen := map[string]bool{}
		for line := range strings.FieldsSeq(string(text)) {
			if seen[line] {
				k.t.Errorf("%s ran twice", line)
			}
			seen[line] = true
			mark, _ := process.ParseMark(line)
			if boot := began[attempt{string(mark.Key.Run), mark.Key.Lane, mark.Key.Attempt}]; boot != mark.Boot {
				k.t.Errorf("%s ran, and the log says that %q began it", line, boot)
			}
		}
		ran += len(seen)
	}
	k.t.Logf("%d attempts began, %d ran, %d events", len(began), ran, k.after)
	if ran == 0 {
		k.t.Error("no engine ran: nothing was tried")
	}
}

func (k *killTown) nothingIsLeft() {
	k.t.Helper()
	if left := engineProcesses(k.dir); len(left) > 0 {
		k.t.Errorf("processes left: %q", left)
	}
	var verified VerifyAnswer
	if k.call(&verified, "verify"); verified.Chain != ChainIntact {
		k.t.Errorf("%+v", verified)
	}
	var report status.Report
	if k.call(&report, "status"); len(report.Runs) > 0 {
		k.t.Errorf("runs left: %+v", report.Runs)
	}
	for _, pool := range report.Pools {
		if pool.Used > 0 || pool.Waiting > 0 {
			k.t.Errorf("slots left: %+v", pool)
		}
	}
	for _, folder := range []string{"checkouts", "tmp", "boots"} {
		entries, err := os.ReadDir(filepath.Join(k.dir, "log", "events.db.d", folder))
		if err != nil {
			k.t.Error(err)
		}
		for _, e := range entries {
			k.t.Errorf("%s/%s is left", folder, e.Name())
		}
	}
}
