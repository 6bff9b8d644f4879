package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// dayParams is how large a simulated day is.
type dayParams struct {
	seed     uint64
	repos    int
	pulls    int
	horizon  time.Duration // in which people are at work
	interval time.Duration // of polling
}

// dayWhat is what a person does.
type dayWhat int

const (
	dayOpen dayWhat = iota
	dayPush
	dayForce
	dayReady
	dayClose
	dayMerge
)

// dayAct is one act of one person.
type dayAct struct {
	at    time.Duration
	repo  int
	pull  int // of all, from 0
	what  dayWhat
	draft bool
	fork  bool
	files map[string]string
	lines int // of the file
}

// planDay draws what people do: pull requests come with a peak in the middle of the
// day and not evenly to all repositories; half of them are pushed to again, one push
// in ten is a force push, one pull request in eight begins as a draft, and most end
// within the day. The same seed plans the same day.
func planDay(p dayParams) []dayAct {
	luck := rand.New(rand.NewPCG(p.seed, 4))
	var acts []dayAct
	for pull := range p.pulls {
		acts = append(acts, planPull(p, luck, pull)...)
	}
	slices.SortStableFunc(acts, func(a, b dayAct) int { return int(a.at - b.at) })
	return acts
}

func planPull(p dayParams, luck *rand.Rand, pull int) []dayAct {
	repo := int(float64(p.repos) * math.Pow(luck.Float64(), 1.5)) // some are busier than others
	at := time.Duration(float64(p.horizon) * luck.Float64())
	if luck.IntN(3) == 0 {
		at = (at + time.Duration(float64(p.horizon)*luck.Float64())) / 2
	}
	size := 10 + luck.IntN(120)
	opened := dayAct{
		at: at, repo: repo, pull: pull, what: dayOpen, draft: luck.IntN(8) == 0, fork: luck.IntN(6) == 0,
		lines: size, files: map[string]string{dayFile(pull): dayText(luck, size)},
	}
	acts := []dayAct{opened}
	later := func(mean time.Duration, what dayWhat) bool {
		at += time.Minute + time.Duration(luck.ExpFloat64()*float64(mean))
		if at >= p.horizon {
			return false
		}
		act := dayAct{at: at, repo: repo, pull: pull, what: what, lines: size}
		if what == dayPush || what == dayForce {
			act.files = map[string]string{dayFile(pull): dayText(luck, size)}
		}
		acts = append(acts, act)
		return true
	}
	if opened.draft && luck.IntN(5) > 0 && !later(2*time.Hour, dayReady) {
		return acts
	}
	for luck.IntN(2) == 0 {
		what := dayPush
		if luck.IntN(10) == 0 {
			what = dayForce
		}
		if !later(50*time.Minute, what) {
			return acts
		}
	}
	switch luck.IntN(10) {
	case 0, 1, 2:
		later(4*time.Hour, dayClose)
	case 3, 4, 5, 6:
		later(4*time.Hour, dayMerge)
	}
	return acts
}

// dayFile is the file that a pull request adds.
func dayFile(pull int) string { return fmt.Sprintf("change%d.go", pull) }

// dayText is a file of some lines, none like another's.
func dayText(luck *rand.Rand, lines int) string {
	var text strings.Builder
	for range lines {
		fmt.Fprintf(&text, "var v%x = %d\n", luck.Uint64(), luck.IntN(1000))
	}
	return text.String()
}
