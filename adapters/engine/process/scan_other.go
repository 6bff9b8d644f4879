//go:build !linux

package process

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// scan asks ps, which shows a process's environment behind its command to its own
// user. A space ends a value there, and a mark holds none.
func scan() ([]entry, error) { return ps("-ax") }

func lookup(pid int) (entry, bool) {
	all, err := ps("-p", strconv.Itoa(pid))
	if err != nil || len(all) != 1 {
		return entry{}, false
	}
	return all[0], true
}

func ps(which ...string) ([]entry, error) {
	args := append(which, "-Eww", "-o", "pid=,ppid=,pgid=,stat=,lstart=,command=")
	cmd := exec.Command("ps", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var all []entry
	for line := range strings.Lines(string(out)) {
		const pid, parent, group, state, start, command = 0, 1, 2, 3, 4, 9
		fields := strings.Fields(line)
		if len(fields) < command || strings.HasPrefix(fields[state], "Z") {
			continue
		}
		e := entry{start: strings.Join(fields[start:command], " ")}
		e.pid, _ = strconv.Atoi(fields[pid])
		e.parent, _ = strconv.Atoi(fields[parent])
		e.group, _ = strconv.Atoi(fields[group])
		e.mark, e.marked = markIn(fields[command:])
		all = append(all, e)
	}
	return all, nil
}
