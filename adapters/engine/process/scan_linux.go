package process

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// environMax bounds what is read of one environment. Linux bounds an environment
// and its arguments at a quarter of the stack's limit, 2 MiB as a rule.
const environMax = 4 << 20

// scan lists the live processes. What ends in between is left out.
func scan() ([]entry, error) {
	names, err := procNames()
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := lookup(pid); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

func procNames() ([]string, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// lookup reads one process. One that has ended and waits for its parent is none.
func lookup(pid int) (entry, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return entry{}, false
	}
	// The name is in brackets and may hold anything: the fields follow the last one.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return entry{}, false
	}
	const state, parent, group, start = 0, 1, 2, 19
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return entry{}, false
	}
	e := entry{pid: pid, start: fields[start]}
	e.parent, _ = strconv.Atoi(fields[parent])
	e.group, _ = strconv.Atoi(fields[group])
	e.mark, e.marked = markIn(environ(filepath.Join(dir, "environ")))
	return e, true
}

// environ reads an environment; that of another user's process cannot be read and
// is none of ours.
func environ(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	block, err := io.ReadAll(io.LimitReader(f, environMax))
	if err != nil || !bytes.Contains(block, []byte(Variable+"=")) {
		return nil
	}
	return strings.Split(string(block), "\x00")
}
