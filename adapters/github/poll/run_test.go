package poll_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/events"
)

// script is a forge of which only the timing matters: repositories that answer,
// break or hang.
type script struct {
	mu    sync.Mutex
	looks map[events.RepoName][]time.Time
	hang  map[events.RepoName]bool
	fail  map[events.RepoName]error
	now   int
	most  int // at once
}

func newScript() *script {
	return &script{looks: map[events.RepoName][]time.Time{}, hang: map[events.RepoName]bool{}, fail: map[events.RepoName]error{}}
}

func (s *script) Repo(_ context.Context, name events.RepoName) (*api.Repo, error) {
	var id int64
	_, err := fmt.Sscanf(string(name), "o/%d", &id)
	return &api.Repo{ID: id + 1, FullName: name}, err
}

func (s *script) OpenPulls(ctx context.Context, name events.RepoName) ([]api.Pull, bool, error) {
	s.mu.Lock()
	s.looks[name] = append(s.looks[name], time.Now())
	s.now++
	s.most = max(s.most, s.now)
	hang, fail := s.hang[name], s.fail[name]
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if hang {
		<-ctx.Done()
		return nil, false, ctx.Err()
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	<-timer.C
	return nil, false, fail
}

func (s *script) Pull(context.Context, events.RepoName, int) (*api.Pull, error) {
	return nil, errors.New("nobody asks for it")
}

func (s *script) count(name events.RepoName) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.looks[name])
}

func towns(n int) []events.RepoName {
	var names []events.RepoName
	for i := range n {
		names = append(names, events.RepoName(fmt.Sprintf("o/%d", i)))
	}
	return names
}

// Each repository is looked at once in the interval, spread over it, a few at a
// time; slow and broken ones hold up no other.
func TestNoneHoldsUpAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		forge, names := newScript(), towns(40)
		for i := range 8 {
			forge.hang[names[i*5]] = true
			forge.fail[names[i*5+1]] = errors.New("broken")
		}
		p := newBook().poller(t, forge, nil, names...)
		p.Start()
		p.Start()
		const rounds = 10
		time.Sleep(rounds * poll.IntervalDefault)
		synctest.Wait()
		for i, name := range names {
			switch got := forge.count(name); {
			case i%5 == 0 && got < 1:
				t.Errorf("%s, which hangs, was looked at %d times", name, got)
			case i%5 != 0 && (got < rounds-2 || got > rounds+2):
				t.Errorf("%s was looked at %d times", name, got)
			}
		}
		if forge.most > poll.AbreastMax {
			t.Errorf("%d were looked at at once", forge.most)
		}
		p.Stop()
		p.Stop()
		before := forge.count(names[2])
		time.Sleep(2 * poll.IntervalDefault)
		if forge.count(names[2]) != before {
			t.Error("it looks after its end")
		}
	})
}

// In the long run the looks of many repositories are spread over the interval.
func TestLooksAreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		forge, names := newScript(), towns(90)
		p := newBook().poller(t, forge, nil, names...)
		p.Start()
		time.Sleep(4*poll.IntervalDefault + poll.IntervalDefault/2)
		synctest.Wait()
		p.Stop()
		var all []time.Time
		for _, name := range names {
			looks := forge.looks[name]
			last, before := looks[len(looks)-1], looks[len(looks)-2]
			if gap := last.Sub(before); gap != poll.IntervalDefault {
				t.Errorf("%s: %s between two looks", name, gap)
			}
			all = append(all, last)
		}
		for _, at := range all {
			near := 0
			for _, other := range all {
				if d := other.Sub(at); d >= 0 && d < 10*time.Second {
					near++
				}
			}
			if near > 6 {
				t.Fatalf("%d looks within ten seconds", near)
			}
		}
	})
}

// What is configured anew is looked at at once, what is not any more never again,
// and where Configure returns no look of it is under way.
func TestConfigureAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		forge := newScript()
		b := newBook()
		p := b.poller(t, forge, nil, "o/1", "o/2")
		p.Start()
		time.Sleep(10 * time.Second)
		b.take()
		forge.mu.Lock()
		forge.hang["o/1"] = true
		forge.mu.Unlock()
		time.Sleep(poll.IntervalDefault)
		next := configured("o/2", "o/3")
		next[0].Settings.Debounce = 1
		p.Configure(next)
		if forge.now != 0 {
			t.Errorf("%d looks are under way", forge.now)
		}
		gone, two, three := forge.count("o/1"), forge.count("o/2"), forge.count("o/3")
		time.Sleep(10 * time.Second)
		if forge.count("o/1") != gone || forge.count("o/2") != two+1 || forge.count("o/3") != three+1 {
			t.Errorf("looks: %v", forge.looks)
		}
		b.asks(t, "reload", "4 o/3 configured", "2 o/1 disabled")
		time.Sleep(3 * poll.IntervalDefault)
		if forge.count("o/1") != gone {
			t.Error("it looks at what is not configured")
		}
		b.asks(t, "later")
	})
}
