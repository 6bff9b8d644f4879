package publish_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

// protocol is every call of a publication, as githubtest names it.
var protocol = []string{
	"GET /user", "GET /repos/*/pulls/*/reviews", "GET /repos/*/pulls/*", "GET /repos/*/pulls/*/files",
	"POST /repos/*/pulls/*/reviews", "POST /repos/*/pulls/*/reviews/*/events", "DELETE /repos/*/pulls/*/reviews/*",
}

// wrong is everything that may go wrong with a call once.
var wrong = []githubtest.Fault{
	{Kind: githubtest.LostResponse}, {Kind: githubtest.NoConnection}, {Kind: githubtest.Delay, Delay: 2 * time.Minute},
	{Kind: githubtest.Delay, Delay: 2 * time.Second}, {Kind: githubtest.SlowBody, Delay: time.Second},
	{Kind: githubtest.BadGateway}, {Kind: githubtest.BadGateway, Stored: true}, {Kind: githubtest.Unavailable},
	{Kind: githubtest.ServerError, Stored: true}, {Kind: githubtest.Empty}, {Kind: githubtest.Truncated},
	{Kind: githubtest.HTML}, {Kind: githubtest.NotJSON}, {Kind: githubtest.Accepted, Stored: true},
	{Kind: githubtest.Stale, Lag: 1}, {Kind: githubtest.Stale, Lag: 3}, {Kind: githubtest.Secondary},
	{Kind: githubtest.Secondary, Mode: githubtest.WithNothing}, {Kind: githubtest.Primary}, {Kind: githubtest.Forbidden},
	{Kind: githubtest.Withdrawn}, {Kind: githubtest.Expired}, {Kind: githubtest.Hidden}, {Kind: githubtest.Conflict},
	{Kind: githubtest.TooLarge}, {Kind: githubtest.GoneForGood}, {Kind: githubtest.Blocked}, {Kind: githubtest.Redirect},
}

// TestMatrix lets each thing go wrong with each call, each time that it is made,
// and repeats tries until the publication ends; an operator mends what needs one.
// One review stands, and nothing is left over. (cases G09, G24, G33 and G34)
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, route := range protocol {
		for _, f := range wrong {
			for nth := 1; nth <= 2; nth++ {
				if nth == 2 && route != protocol[1] { // the reviews alone are read twice
					continue
				}
				f.Route, f.Nth = route, nth
				if f.Kind == githubtest.Stale {
					f.Nth, f.Count = githubtest.Every, 0
				}
				bubbleRow(t, fmt.Sprintf("%s, %s %s %v, %d", route, f.Kind, f.Delay, f.Stored, nth), func(t *testing.T) {
					sc := newScene(t, githubtest.Params{}, "ann")
					hit := sc.s.Fault(f)
					p := sc.publisher(nil)
					ends := sc.driveMended(p)
					if _, ok := ends[len(ends)-1].(pr.NotePublished); !ok {
						t.Errorf("ended %+v", ends)
					}
					if len(ends) > 1 && hit.Hits() == 0 {
						t.Errorf("nothing went wrong, and it took %d tries: %+v", len(ends), ends)
					}
					sc.stands()
				})
			}
		}
	}
}

// driveMended is drive with an operator who gives the token its rights back, renews
// it, and opens what got stuck.
func (sc *scene) driveMended(p *publish.Publisher) (ends []events.Command) {
	sc.t.Helper()
	for range 3 {
		ends = append(ends, sc.drive(p)...)
		switch ends[len(ends)-1].(type) {
		case pr.NotePublished, pr.NotePublishAbandoned:
			return ends
		}
		sc.token = sc.s.Token("reviewer[bot]")
	}
	return ends
}

// TestPullMovesAtEachCall closes, merges, pushes to, renames and archives at each
// request, before and after it: at most one review stands, and the publication
// ends. (cases G26, G27, G35 and G58)
func TestPullMovesAtEachCall(t *testing.T) {
	t.Parallel()
	changes := map[string]func(sc *scene){
		"close":      func(sc *scene) { sc.pull.Close() },
		"merge":      func(sc *scene) { sc.pull.Merge() },
		"push":       func(sc *scene) { sc.pull.Push(githubtest.Files{"c.go": "c\n"}) },
		"force push": func(sc *scene) { sc.pull.ForcePush(githubtest.Files{"c.go": "c\n"}) },
		"rename":     func(sc *scene) { sc.repo.Rename("octo/city") },
		"archive":    func(sc *scene) { sc.repo.Archive(true) },
		"lock":       func(sc *scene) { sc.pull.Lock(true) },
	}
	for name, change := range changes {
		for at := 1; at <= 7; at++ {
			for _, late := range []bool{false, true} {
				for _, mode := range []bool{false, true} {
					if mode && name != "rename" {
						continue
					}
					bubbleRow(t, fmt.Sprintf("%s at %d, %v, %v", name, at, late, mode), func(t *testing.T) {
						sc := newScene(t, githubtest.Params{Modes: githubtest.Modes{WritesMoved301: mode}}, "ann")
						hook := sc.s.OnRequest
						if late {
							hook = sc.s.OnAnswer
						}
						hook(func(r githubtest.Request) {
							if r.N == at {
								change(sc)
							}
						})
						ends := sc.drive(sc.publisher(nil))
						if n := len(sc.marked()); n > 1 || name == "rename" && n != 1 {
							t.Errorf("%d reviews stand; ended %+v", n, ends)
						}
						if len(ends) > 1 {
							t.Errorf("took %d tries: %+v", len(ends), ends)
						}
						sc.s.Check(t)
					})
				}
			}
		}
	}
}

// TestWeather lets things go wrong at random with a third of all requests, and
// clears up: at most one review stands at any time, and one does in the end.
func TestWeather(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= 30; seed++ {
		bubbleRow(t, seed, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{Seed: seed}, "ann")
			var clouds []*githubtest.Injected
			for i, kind := range []githubtest.FaultKind{
				githubtest.LostResponse, githubtest.BadGateway, githubtest.Truncated, githubtest.Hidden, githubtest.Secondary, githubtest.Delay,
			} {
				clouds = append(clouds, sc.s.Fault(githubtest.Fault{Kind: kind, P: 0.06, Delay: time.Duration(i) * 20 * time.Second}))
			}
			sc.s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/reviews", Kind: githubtest.Stale, Lag: 1})
			p := sc.publisher(nil)
			sc.driveMended(p)
			if n := len(sc.marked()); n > 1 {
				t.Errorf("%d reviews stand", n)
			}
			for _, c := range clouds {
				c.Off()
			}
			waitFor(time.Hour)
			sc.drive(p)
			sc.stands()
		})
	}
}
