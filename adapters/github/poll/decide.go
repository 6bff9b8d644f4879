package poll

import (
	"cmp"
	"slices"

	"github.com/reviewctl/reviewctl/adapters/github/api"
)

// What is remembered of the past: places that a pull request has left, and pull
// requests that were closed. A replica is not behind by more.
const (
	leftMax   = 8
	closedMax = 1000
)

// listed is one pull request of a scan.
type listed struct {
	sight

	pull *api.Pull
	bad  bool // no actor can be told of it
}

// memory is what the actors know of one repository's pull requests.
type memory struct {
	told   map[int]sight
	left   map[int][]place // where each has been before, the newest last
	open   map[int]bool    // on record, and not seen by this process yet
	closed []int           // by this process, the newest last
}

func newMemory(open []int) *memory {
	m := &memory{told: map[int]sight{}, left: map[int][]place{}, open: map[int]bool{}}
	for _, number := range open {
		m.open[number] = true
	}
	return m
}

// step is something to do about one pull request.
type step struct {
	number  int
	scanned *listed // nil = the scan leaves it out
	confirm bool    // by a live read, before anybody is told
}

// decide compares a complete scan with what was told before. What the scan leaves
// out comes first, then the rest, each by number.
func decide(scan []listed, m *memory) []step {
	here := make(map[int]bool, len(scan))
	var seen []step
	for i := range scan {
		l := &scan[i]
		number := l.pull.Number
		if here[number] { // a page that shifted shows it twice (case G04)
			continue
		}
		here[number] = true
		told, known := m.told[number]
		if l.bad || known && told == l.sight { // else what is the same is told again
			continue
		}
		seen = append(seen, step{number: number, scanned: l, confirm: m.doubts(number, l.sight)})
	}
	var absent []step
	for number := range m.told {
		if !here[number] {
			absent = append(absent, step{number: number, confirm: true})
		}
	}
	for number := range m.open {
		if _, twice := m.told[number]; !here[number] && !twice { // else what closed while we were down stays open
			absent = append(absent, step{number: number, confirm: true})
		}
	}
	byNumber := func(a, b step) int { return cmp.Compare(a.number, b.number) }
	slices.SortFunc(absent, byNumber)
	slices.SortFunc(seen, byNumber)
	return append(absent, seen...)
}

// doubts reports whether a sight may be an old one: a draft's mark that changed,
// what was left shortly before, or what was closed. (case G29)
func (m *memory) doubts(number int, s sight) bool {
	told, known := m.told[number]
	if !known {
		return slices.Contains(m.closed, number) // else a stale list opens what was closed
	}
	return told.draft != s.draft || // else a stale draft's mark is acted on
		slices.Contains(m.left[number], s.place) // else a stale head is told again
}

// tell remembers that the actors were told.
func (m *memory) tell(number int, s sight) {
	if before, known := m.told[number]; known && before.place != s.place {
		m.left[number] = append(m.left[number], before.place)
		m.left[number] = slices.Clone(m.left[number][max(0, len(m.left[number])-leftMax):])
	}
	m.told[number] = s
	delete(m.open, number)
	m.closed = slices.DeleteFunc(m.closed, func(n int) bool { return n == number })
}

// close remembers that the actors know that it is closed.
func (m *memory) close(number int) {
	delete(m.told, number)
	delete(m.left, number)
	delete(m.open, number)
	m.closed = append(m.closed, number)
	m.closed = slices.Clone(m.closed[max(0, len(m.closed)-closedMax):])
}
