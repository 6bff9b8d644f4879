package poll_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/events"
)

const (
	listRoute = "GET /repos/*/pulls"
	pullRoute = "GET /repos/*/pulls/*"
)

// Case G53: only a complete scan may say that a pull request is gone, and a live
// read says so before it is closed. (case G05: a page holds a hundred)
func TestBrokenListsCloseNothing(t *testing.T) {
	inTown(t, func(w *town) {
		var all []*githubtest.PullRequest
		for i := range 230 {
			all = append(all, w.open(fmt.Sprintf("b%03d", i), nil))
		}
		w.start()
		if got := len(w.take()); got != 231 {
			t.Fatalf("%d things were asked for", got)
		}
		for _, kind := range []githubtest.FaultKind{
			githubtest.HTML, githubtest.Empty, githubtest.Truncated, githubtest.BadGateway, githubtest.NoConnection, githubtest.Forbidden,
		} {
			all[150].Retitle(string(kind)) // the second page is another one
			broken := w.github.Fault(githubtest.Fault{Route: listRoute, Nth: 2, Count: 1000, Kind: kind})
			w.round(string(kind), "@ unreachable: ")
			broken.Off()
			w.round(string(kind)+" is over", "@/151 octo/town ", "@ reachable")
		}
		all[7].Close()
		live := w.github.Fault(githubtest.Fault{Route: pullRoute, Nth: githubtest.Every, Kind: githubtest.BadGateway})
		w.round("a closing that cannot be confirmed", "@ unreachable: GitHub gives no usable answer")
		live.Off()
		w.round("and can be", "@/8 closed", "@ reachable")
	})
}

// A replica that is behind shows what was: nothing goes back and forth.
func TestStaleLists(t *testing.T) {
	inTown(t, func(w *town) {
		a, b := w.open("a", nil), w.open("b", nil)
		w.start()
		w.take()
		second := a.Push(githubtest.Files{"a.go": "package two\n"})
		w.round("a push", "@/1 octo/town "+short(second))
		stale := w.github.Fault(githubtest.Fault{Route: listRoute, Nth: githubtest.Every, Kind: githubtest.Stale, Lag: 1000})
		third := a.Push(githubtest.Files{"a.go": "package three\n"})
		b.SetDraft(true)
		for range 3 {
			w.round("the list is behind")
		}
		stale.Off()
		w.round("it is not", "@/1 octo/town "+short(third), "@/2 octo/town "+short(b.Head())+" draft")
		w.round("quiet")
	})
}

// A repository that vanishes is unreachable, once, and closes nothing. (case G34)
func TestVanished(t *testing.T) {
	inTown(t, func(w *town) {
		w.open("a", nil)
		w.start()
		w.take()
		hidden := w.github.Fault(githubtest.Fault{Nth: githubtest.Every, Kind: githubtest.Hidden})
		w.round("hidden", "@ unreachable: ")
		w.round("still hidden")
		w.round("still hidden")
		w.restart()
		w.now("after a start")
		hidden.Off()
		a := w.repo.Pull(1)
		w.round("back", "@/1 octo/town "+short(a.Head()), "@ reachable")
		a.Close()
		w.repo.Delete()
		w.round("deleted", "@ unreachable: ")
	})
}

// Case G58: where nothing can be posted, nothing is looked at, and nothing closes.
func TestArchived(t *testing.T) {
	inTown(t, func(w *town) {
		a := w.open("a", nil)
		w.start()
		w.take()
		w.repo.Archive(true)
		time.Sleep(poll.SureFor)
		w.round("archived", "@ unreachable: the repository is archived")
		a.Push(githubtest.Files{"x": "1"})
		w.round("still archived")
		w.repo.Archive(false)
		w.round("not any more", "@/1 octo/town "+short(a.Head()), "@ reachable")
		w.repo.Disable(true)
		time.Sleep(poll.SureFor)
		w.round("disabled", "@ unreachable: ")
	})
}

// Permissions that are withdrawn are on record, and are no limit. (case G33)
func TestPermissionWithdrawn(t *testing.T) {
	inTown(t, func(w *town) {
		a := w.open("a", nil)
		w.start()
		w.take()
		w.github.Revoke(*w.token.Load())
		w.round("a worthless token", "@ unreachable: ")
		w.login()
		a.Close()
		w.round("a new one: the whole list again, and no other news (case G02)", "@/1 closed", "@ reachable")
	})
}

// Limits are waited for by GitHub's own clock, and say so on record.
func TestLimits(t *testing.T) {
	inTown(t, func(w *town) {
		a := w.open("a", nil)
		w.start()
		w.take()
		primary := w.github.Fault(githubtest.Fault{Route: listRoute, Nth: 1, Kind: githubtest.Primary})
		w.round("the hour is exhausted", "@ unreachable: ")
		a.Push(githubtest.Files{"x": "1"})
		asked := len(w.github.Log())
		w.round("it waits")
		w.round("it waits")
		if got := len(w.github.Log()); got != asked {
			t.Errorf("%d requests while the hour is exhausted", got-asked)
		}
		time.Sleep(time.Hour)
		w.now("the next hour", "@/1 octo/town "+short(a.Head()), "@ reachable")
		if primary.Hits() != 1 {
			t.Errorf("%d hits", primary.Hits())
		}
		secondary := w.github.Fault(githubtest.Fault{Route: listRoute, Nth: 1, Kind: githubtest.Secondary, Mode: githubtest.WithResetPast})
		a.Push(githubtest.Files{"x": "2"})
		time.Sleep(3 * poll.IntervalDefault)
		w.now("a secondary limit, waited for", "@/1 octo/town "+short(a.Head()))
		if secondary.Hits() != 1 {
			t.Errorf("%d hits", secondary.Hits())
		}
	})
}

// A clock that is off changes nothing.
func TestClockSkew(t *testing.T) {
	inTown(t, func(w *town) {
		for _, skew := range []time.Duration{100 * time.Hour, -100 * time.Hour} {
			w.github.Set(func(p *githubtest.Params) { p.Skew = skew })
			w.repo.Push(fmt.Sprint(skew), githubtest.Files{"a": "1"})
			w.repo.Open(githubtest.Pull{Head: fmt.Sprint(skew), Draft: skew > 0})
		}
		w.start()
		w.now("a start", "@ octo/town configured", "@/1 octo/town ", "@/2 octo/town ")
		limit := w.github.Fault(githubtest.Fault{Route: listRoute, Nth: 1, Kind: githubtest.Primary})
		w.round("a limit by a clock that is behind", "@ unreachable: ")
		time.Sleep(poll.PauseMax + poll.IntervalDefault)
		w.now("its end", "@ reachable")
		limit.Off()
	})
}

// Hostile titles and names are told in bounds, and disturb no other. (issue 4, "Bad
// input")
func TestHostileWords(t *testing.T) {
	inTown(t, func(w *town) {
		a := w.open("a", func(p *githubtest.Pull) {
			p.Title, p.Author = "<!-- reviewctl -->\x1b]0;x\a\u202e"+strings.Repeat("ü", 5000), strings.Repeat("x", 5000)
		})
		b := w.open("b", nil)
		w.start()
		w.now("hostile", "@ octo/town configured", "@/1 octo/town "+short(a.Head()), "@/2 octo/town "+short(b.Head()))
		b.Close()
		a.Push(nil)
		w.round("again", "@/2 closed", "@/1 octo/town "+short(a.Head()))
		if len(w.last.Title) > 600 || len(w.last.Author) > 100 || strings.ContainsAny(w.last.Title, "\x1b\a\u202e") {
			t.Errorf("told %q by %q", w.last.Title, w.last.Author)
		}
	})
}

// Three thousand open pull requests are one scan of thirty pages, and quiet after.
func TestManyPullRequests(t *testing.T) {
	inTown(t, func(w *town) {
		many := 3000
		if testing.Short() {
			many = 600
		}
		w.repo.Push("head", githubtest.Files{"a": "1"})
		for range many {
			w.repo.Open(githubtest.Pull{Head: "head", Title: "T"})
		}
		w.start()
		if got := len(w.take()); got != many+1 {
			t.Errorf("%d things were asked for", got)
		}
		w.github.ClearLog()
		w.round("quiet")
		if got := w.github.Count(listRoute); got != many/100 {
			t.Errorf("%d pages were read", got)
		}
	})
}

// A round of 500 quiet repositories is 500 conditional requests and nothing else.
// (issue 4, "Speed")
func TestQuietRepositories(t *testing.T) {
	inTown(t, func(w *town) {
		many := 500
		if testing.Short() {
			many = 100
		}
		var names []events.RepoName
		for i := range many {
			r := w.github.Repo(fmt.Sprintf("octo/r%d", i))
			r.Push("a", githubtest.Files{"a": "1"})
			r.Open(githubtest.Pull{Head: "a"})
			names = append(names, r.Name())
		}
		w.poller.Configure(configured(names...))
		w.start()
		time.Sleep(2*poll.IntervalDefault + 100*time.Millisecond)
		synctest.Wait()
		w.take()
		w.appends = 0
		w.github.ClearLog()
		w.round("quiet")
		log := w.github.Log()
		for _, r := range log {
			if r.Route != "GET /repos/{owner}/{repo}/pulls" || r.Status != 304 {
				t.Fatalf("%s %s: %d", r.Method, r.Path, r.Status)
			}
		}
		if len(log) != many || w.appends != 0 {
			t.Errorf("%d requests, %d appends", len(log), w.appends)
		}
	})
}

// Case G35: a renamed repository keeps its number, and everything goes on under the
// new name; another repository of the old name has a history of its own.
func TestRenamed(t *testing.T) {
	inTown(t, func(w *town) {
		a := w.open("a", nil)
		w.start()
		w.take()
		w.repo.Rename("octo/city")
		w.round("renamed", "@ renamed octo/town to octo/city", "@/1 octo/city "+short(a.Head()))
		b := w.open("b", nil)
		w.round("and goes on", "@/2 octo/city "+short(b.Head()))
		w.restart()
		w.now("after a start", "@/1 octo/city", "@/2 octo/city")
		w.repo.Rename("duck/city")
		w.round("transferred", "@ renamed octo/city to duck/city", "@/1 duck/city", "@/2 duck/city")

		old := w.repo.ID
		w.repo = w.github.Repo("octo/town")
		c := w.open("c", nil)
		time.Sleep(poll.SureFor)
		w.now("its old name is another repository's", "@ octo/town configured", "@/1 octo/town "+short(c.Head()),
			fmt.Sprintf("%d/1 its repository", old), fmt.Sprintf("%d/2 its repository", old), fmt.Sprintf("%d duck/city disabled", old))
		if !strings.Contains(w.log.String(), "another repository has taken the name") {
			t.Errorf("logged %s", w.log.String())
		}
		w.round("quiet")
		var names []string
		for _, r := range must(w.recorded(t.Context()))(t) {
			names = append(names, fmt.Sprint(r.Repo, " ", r.Enabled))
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"duck/city false", "octo/town true"}) {
			t.Errorf("on record: %q", names)
		}
	})
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
