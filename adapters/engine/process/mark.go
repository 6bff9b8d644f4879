package process

import (
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Variable is the environment variable that holds the mark.
const Variable = "REVIEWCTL_LANE"

// Mark says whose session a process belongs to.
type Mark struct {
	Boot events.BootID
	Key  events.LaneKey
}

// String is the variable's value.
func (m Mark) String() string {
	return strings.Join([]string{
		string(m.Boot), string(m.Key.Run), string(m.Key.Lane), strconv.Itoa(m.Key.Attempt),
	}, "/")
}

// ParseMark undoes String. A lane's name may hold slashes, nothing else may.
func ParseMark(value string) (Mark, bool) {
	parts := strings.Split(value, "/")
	if len(parts) < 4 {
		return Mark{}, false
	}
	last := len(parts) - 1
	attempt, err := strconv.Atoi(parts[last])
	if err != nil || parts[0] == "" || parts[1] == "" {
		return Mark{}, false
	}
	return Mark{
		Boot: events.BootID(parts[0]),
		Key: events.LaneKey{
			Run: events.RunID(parts[1]), Lane: events.LaneID(strings.Join(parts[2:last], "/")), Attempt: attempt,
		},
	}, true
}

// markIn returns the mark in an environment block.
func markIn(environ []string) (Mark, bool) {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, Variable+"="); ok {
			return ParseMark(value)
		}
	}
	return Mark{}, false
}
