package enginetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// Bundle is an engine under test with jobs for it. The suite gives each job a key
// and a generation of its own.
type Bundle struct {
	Engine  actors.Engine
	Close   func()         // ends all sessions and returns when none is left
	Good    actors.LaneJob // completes by itself
	Failing actors.LaneJob // fails by itself
	Hanging actors.LaneJob // never ends by itself
	AtWork  func()         // returns once a session of Hanging is at work
	Left    func() int     // processes and folders that sessions have left
}

// Wait bounds every wait of the suite, in real time.
const Wait = 60 * time.Second

// Run tests the engines that open makes with the given clock.
func Run(t *testing.T, open func(t *testing.T, clock *Clock) Bundle) {
	cases := map[string]func(*testing.T, *bench){
		"close ends what runs":           closeEnds,
		"close twice":                    closeTwice,
		"completes once":                 completesOnce,
		"deadline":                       deadline,
		"deadline that has passed":       deadlinePassed,
		"fails once":                     failsOnce,
		"many at once":                   manyAtOnce,
		"same answer twice":              sameTwice,
		"start after close":              startAfterClose,
		"start twice":                    startTwice,
		"stop after the end":             stopAfterEnd,
		"stop at once":                   stopAtOnce,
		"stop before the start":          stopBefore,
		"stop twice while it is at work": stopTwice,
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := NewClock()
			b := &bench{Bundle: open(t, clock), clock: clock, answers: map[events.LaneKey]chan []events.Command{}, counts: map[events.LaneKey]int{}}
			test(t, b)
			b.Close()
			for key, n := range b.counted() {
				if n != 1 {
					t.Errorf("%v was answered %d times", key, n)
				}
			}
			if left := b.Left(); left != 0 {
				t.Errorf("%d processes or folders are left", left)
			}
		})
	}
}

// bench is a bundle in one test.
type bench struct {
	Bundle
	clock *Clock

	mu      sync.Mutex
	made    int
	answers map[events.LaneKey]chan []events.Command
	counts  map[events.LaneKey]int
}

// job gives a job a key of its own.
func (b *bench) job(job actors.LaneJob) actors.LaneJob {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made++
	job.Key = events.LaneKey{Run: events.RunID(fmt.Sprintf("%016x", b.made)), Lane: "lane", Attempt: 1}
	job.Generation = int64(b.made)
	if job.Deadline.IsZero() {
		job.Deadline = b.clock.Now().Add(time.Hour)
	}
	b.answers[job.Key] = make(chan []events.Command, 8)
	return job
}

func (b *bench) start(job actors.LaneJob) {
	b.mu.Lock()
	answers := b.answers[job.Key]
	b.mu.Unlock()
	b.Engine.Start(job, func(cmds ...events.Command) {
		b.mu.Lock()
		b.counts[job.Key]++
		b.mu.Unlock()
		answers <- cmds
	})
}

func (b *bench) counted() map[events.LaneKey]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}

// answer waits for the answer, checks its shape and returns its end.
func (b *bench) answer(t *testing.T, job actors.LaneJob) (findings []run.RaiseFindings, end events.Command) {
	t.Helper()
	b.mu.Lock()
	answers := b.answers[job.Key]
	b.mu.Unlock()
	select {
	case cmds := <-answers:
		return check(t, job, cmds)
	case <-time.After(Wait):
		t.Fatalf("no answer for %v", job.Key)
		return nil, nil
	}
}

// check holds an answer to the port's contract.
func check(t *testing.T, job actors.LaneJob, cmds []events.Command) (findings []run.RaiseFindings, end events.Command) {
	t.Helper()
	if len(cmds) == 0 {
		t.Fatal("an answer without an end")
	}
	for i, cmd := range cmds {
		raised, isRaise := cmd.(run.RaiseFindings)
		if last := i == len(cmds)-1; last == isRaise {
			t.Fatalf("command %d of %d is %s", i+1, len(cmds), cmd.Name())
		}
		if !isRaise {
			continue
		}
		if raw, err := json.Marshal(raised); err != nil || len(raw) > run.RaiseMaxBytes {
			t.Errorf("findings in %d bytes, error %v", len(raw), err)
		}
		if raised.Lane != job.Key.Lane || raised.Attempt != job.Key.Attempt || raised.Generation != job.Generation {
			t.Errorf("findings of another lane: %+v", raised)
		}
		findings = append(findings, raised)
	}
	end = cmds[len(cmds)-1]
	value := reflect.ValueOf(end)
	for name, want := range map[string]any{"Lane": job.Key.Lane, "Attempt": job.Key.Attempt, "Generation": job.Generation} {
		if got := value.FieldByName(name).Interface(); got != want {
			t.Errorf("%s of %s is %v, want %v", name, end.Name(), got, want)
		}
	}
	return findings, end
}
