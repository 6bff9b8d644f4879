package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// ErrRemain says that processes were still there when the time was up.
var ErrRemain = errors.New("processes remain")

const (
	killPoll = 5 * time.Millisecond
	// quietScans are the scans in a row that must find nothing: while a process
	// replaces its program, its environment cannot be read for a moment.
	quietScans = 2
)

// entry is one process.
type entry struct {
	pid, parent, group int
	start              string // tells two processes with one id apart
	mark               Mark
	marked             bool
}

// Kill ends every process whose mark matches, with its descendants and its
// process group, and returns when none is left. It returns the marks it found,
// each once. This process and its ancestors are spared.
func Kill(ctx context.Context, match func(Mark) bool) ([]Mark, error) {
	var found []Mark
	tick := time.NewTicker(killPoll)
	defer tick.Stop()
	for quiet := 0; ; {
		all, err := scan()
		if err != nil {
			return found, fmt.Errorf("list processes: %w", err)
		}
		victims := choose(all, os.Getpid(), match)
		if len(victims) == 0 {
			if quiet++; quiet == quietScans {
				return found, nil
			}
		} else {
			quiet = 0
		}
		for _, victim := range victims {
			if victim.marked && !slices.Contains(found, victim.mark) {
				found = append(found, victim.mark)
			}
			kill(victim)
		}
		select {
		case <-ctx.Done():
			return found, fmt.Errorf("%w: %d of a lane: %w", ErrRemain, len(victims), context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// kill sends SIGKILL to exactly that process: a handle is taken first, then its
// start is compared, so that a new process under the old id is not hit.
func kill(victim entry) {
	p, err := os.FindProcess(victim.pid)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if now, ok := lookup(victim.pid); ok && now.start == victim.start {
		_ = p.Kill() // it may have ended meanwhile
	}
}

// choose picks the processes to end.
func choose(all []entry, self int, match func(Mark) bool) []entry {
	spared := map[int]bool{}
	parents := map[int]int{}
	for _, e := range all {
		parents[e.pid] = e.parent
	}
	for pid := self; pid > 0 && !spared[pid]; pid = parents[pid] {
		spared[pid] = true
	}
	spared[1] = true
	groups, chosen := map[int]bool{}, map[int]bool{}
	for _, e := range all {
		if e.marked && match(e.mark) && !spared[e.pid] {
			chosen[e.pid] = true
			groups[e.group] = true
		}
	}
	for _, e := range all {
		if spared[e.pid] {
			delete(groups, e.group) // ours: an engine has a group of its own
		}
	}
	for grown := len(chosen) > 0; grown; {
		grown = false
		for _, e := range all {
			if !chosen[e.pid] && !spared[e.pid] && (groups[e.group] || chosen[e.parent]) {
				chosen[e.pid], grown = true, true
			}
		}
	}
	var victims []entry
	for _, e := range all {
		if chosen[e.pid] {
			victims = append(victims, e)
		}
	}
	return victims
}

// KillDescendants sends SIGKILL to every process below the given one.
func KillDescendants(pid int) {
	all, err := scan()
	if err != nil {
		return
	}
	below := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for _, e := range all {
			if below[e.parent] && !below[e.pid] {
				below[e.pid], grown = true, true
			}
		}
	}
	for _, e := range all {
		if below[e.pid] && e.pid != pid {
			kill(e)
		}
	}
}
