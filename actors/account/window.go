package account

import (
	"cmp"
	"slices"
	"time"
)

// The rolling windows. (hard-parts §5, semantics 4.1)
const (
	sessionWindow = 5 * time.Hour
	weeklyWindow  = 7 * 24 * time.Hour
)

// Spend is what one lane used. Total is the sum up to and with it, so that the
// sum of any window is one subtraction.
type Spend struct {
	At     time.Time `json:"at"`
	Tokens int64     `json:"tokens"`
	Total  int64     `json:"total"`
}

// spends are ordered by time; the oldest are dropped when no window holds them.
type spends []Spend

// after returns the index of the first spend that is later than the time.
func (s spends) after(at time.Time) int {
	i, _ := slices.BinarySearchFunc(s, at, func(e Spend, at time.Time) int {
		if e.At.After(at) {
			return 1
		}
		return -1
	})
	return i
}

// total is the sum of all before the index.
func (s spends) total(i int) int64 {
	switch {
	case len(s) == 0:
		return 0
	case i == 0:
		return s[0].Total - s[0].Tokens
	default:
		return s[i-1].Total
	}
}

// within sums the window that ends at a time.
func (s spends) within(at time.Time, window time.Duration) int64 {
	return s.total(len(s)) - s.total(s.after(at.Add(-window)))
}

// insert adds a spend at its place. Spends come nearly in order, so few follow.
func (s spends) insert(at time.Time, tokens int64) spends {
	i := s.after(at)
	s = slices.Insert(s, i, Spend{At: at, Tokens: tokens, Total: s.total(i) + tokens})
	for k := i + 1; k < len(s); k++ {
		s[k].Total += tokens
	}
	return s
}

// edge returns the time at which so many tokens, at least, of those that the
// window holds now will have left it; false where it does not hold as many.
func (s spends) edge(at time.Time, window time.Duration, tokens int64) (time.Time, bool) {
	first := s.after(at.Add(-window))
	want := s.total(first) + tokens
	i, _ := slices.BinarySearchFunc(s[first:], want, func(e Spend, want int64) int { return cmp.Compare(e.Total, want) })
	if first+i >= len(s) {
		return time.Time{}, false
	}
	return s[first+i].At.Add(window), true
}
