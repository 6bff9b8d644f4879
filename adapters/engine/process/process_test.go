package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

func TestMark(t *testing.T) {
	t.Parallel()
	for _, m := range []Mark{
		{Boot: "b", Key: events.LaneKey{Run: "r", Lane: "static", Attempt: 2}},
		{Boot: "b", Key: events.LaneKey{Run: "r", Lane: "final/a/b", Attempt: 1}},
	} {
		if got, ok := ParseMark(m.String()); !ok || got != m {
			t.Errorf("ParseMark(%q) = %+v, %v", m, got, ok)
		}
	}
	for _, bad := range []string{"", "a/b/c", "a/b/c/x", "/b/c/1", "a//c/1"} {
		if got, ok := ParseMark(bad); ok {
			t.Errorf("ParseMark(%q) = %+v", bad, got)
		}
	}
}

func TestChooseSparesThisProcessAndItsAncestors(t *testing.T) {
	t.Parallel()
	ours := Mark{Boot: "dead"}
	all := []entry{
		{pid: 1}, {pid: 10, parent: 1, group: 10, mark: ours, marked: true}, // an engine…
		{pid: 11, parent: 10, group: 11, mark: ours, marked: true}, // …that runs us
		{pid: 12, parent: 11, group: 11, mark: ours, marked: true}, // ours
		{pid: 20, parent: 1, group: 20, mark: ours, marked: true},
		{pid: 21, parent: 1, group: 20}, // of its group
		{pid: 22, parent: 20, group: 22},
		{pid: 23, parent: 22, group: 23}, // a grandchild without a mark
		{pid: 30, parent: 1, group: 30, mark: Mark{Boot: "alive"}, marked: true},
	}
	var got []int
	for _, e := range choose(all, 11, func(m Mark) bool { return m.Boot == "dead" }) {
		got = append(got, e.pid)
	}
	if want := []int{12, 20, 21, 22, 23}; !reflect.DeepEqual(got, want) {
		t.Errorf("chose %v, want %v", got, want)
	}
}

// start runs a shell script in a group of its own and reads one line of pids.
func start(t *testing.T, mark Mark, script string) (cmd *exec.Cmd, pids []int) {
	t.Helper()
	cmd = exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), Variable + "=" + mark.String()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields(line) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return cmd, pids
}

func TestKillEndsGrandchildrenToo(t *testing.T) {
	t.Parallel()
	mine := Mark{Boot: events.BootID(fmt.Sprintf("boot-%s-%d", t.Name(), os.Getpid())), Key: events.LaneKey{Run: "r", Lane: "l", Attempt: 1}}
	other := mine
	other.Boot += "-other"
	// One child in the group, one whose parent has gone, one in a session of its
	// own, and one without the environment.
	cmd, pids := start(t, mine, `sleep 600 & a=$!
		b=$(sh -c 'sleep 600 >/dev/null & echo $!')
		setsid sleep 600 & c=$!
		env -i /bin/sleep 600 & d=$!
		echo $$ $a $b $c $d; wait`)
	bystander, _ := start(t, other, `echo $$; exec sleep 600`)
	defer func() {
		_ = bystander.Process.Kill()
		_ = bystander.Wait()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	found, err := Kill(ctx, func(m Mark) bool { return m.Boot == mine.Boot })
	if err != nil || !reflect.DeepEqual(found, []Mark{mine}) {
		t.Errorf("found %v, error %v", found, err)
	}
	_ = cmd.Wait()
	for _, pid := range pids {
		if e, ok := lookup(pid); ok {
			t.Errorf("process %d is still there: %+v", pid, e)
		}
	}
	if _, ok := lookup(bystander.Process.Pid); !ok {
		t.Error("a process of another boot is gone")
	}
}
