package poll_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/events"
)

// town is a GitHub with one repository, octo/town, and a Poller that looks at it.
type town struct {
	*testing.T
	*book

	github *githubtest.Server
	repo   *githubtest.Repo
	token  atomic.Pointer[string]
	client *api.Client
	poller *poll.Poller
	log    strings.Builder
}

// inTown runs a story in a bubble with a clock of its own.
func inTown(t *testing.T, story func(*town)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &town{T: t, book: newBook(), github: githubtest.New(t, githubtest.Params{Clock: wall{}, NoGit: true})}
		w.repo = w.github.Repo("octo/town")
		w.login()
		w.client = w.access()
		w.poller = w.book.poller(t, w.client, &w.log, "octo/town")
		story(w)
		w.poller.Stop()
		w.github.Check(t)
	})
}

// login gets a token, which is used from now on.
func (w *town) login() {
	token := w.github.Token("robo")
	w.token.Store(&token)
}

func (w *town) access() *api.Client {
	w.Helper()
	client, err := api.New(api.Params{
		BaseURL: "https://api.github.com/", Transport: w.github.RoundTripper(), Clock: wall{}, CacheDir: w.TempDir(),
		Token: func() (string, error) { return *w.token.Load(), nil },
	})
	if err != nil {
		w.Fatal(err)
	}
	return client
}

// start begins to look, in the middle between two looks.
func (w *town) start() {
	w.poller.Start()
	time.Sleep(poll.IntervalDefault / 2)
	synctest.Wait()
}

// restart is another process on the same record.
func (w *town) restart() {
	w.poller.Stop()
	w.poller = w.book.poller(w.T, w.client, &w.log, "octo/town")
	w.start()
}

// round waits for the next look and compares what was asked. An @ stands for
// octo/town's id.
func (w *town) round(what string, want ...string) {
	w.Helper()
	time.Sleep(poll.IntervalDefault)
	w.now(what, want...)
}

func (w *town) now(what string, want ...string) {
	w.Helper()
	synctest.Wait()
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "@", fmt.Sprint(w.repo.ID))
	}
	w.asks(w.T, what, want...)
}

func (w *town) open(head string, change func(*githubtest.Pull)) *githubtest.PullRequest {
	w.repo.Push(head, githubtest.Files{head + ".go": "package " + head + "\n"})
	in := githubtest.Pull{Head: head, Title: "Add " + head}
	if change != nil {
		change(&in)
	}
	return w.repo.Open(in)
}

func short(c events.Commit) string { return string(c[:7]) }

// A pull request's life as polling sees it: each change is told once, and nothing
// is told of what is the same.
func TestLife(t *testing.T) {
	inTown(t, func(w *town) {
		w.start()
		w.now("an empty repository", "@ octo/town configured")
		a := w.open("a", nil)
		first := a.Head()
		w.round("opened", "@/1 octo/town "+short(first))
		want := pr.Observe{
			Host: host, RepoID: fmt.Sprint(w.repo.ID), Repo: "octo/town", Number: 1, Ref: "refs/pull/1/head", BaseRef: "main",
			Title: "Add a", Author: "ann", Head: first, Base: w.repo.Head("main"), Priority: events.PriorityNormal,
			Owner: events.OwnerAny, Settings: events.Settings{Target: events.TargetForge, Debounce: 1_800_000},
			Facts: &pr.Facts{AuthorID: fmt.Sprint(w.github.UserID("ann"))},
		}
		if *w.last.Facts != *want.Facts {
			t.Errorf("facts %+v, want %+v", w.last.Facts, want.Facts)
		}
		if w.last.Facts = want.Facts; fmt.Sprint(w.last) != fmt.Sprint(want) {
			t.Errorf("observed\n%+v, want\n%+v", w.last, want)
		}
		a.Review(githubtest.Review{Author: "ben", Body: "LGTM", State: "COMMENTED"})
		w.round("a review changes no list (case G03)")
		second := a.Push(githubtest.Files{"a.go": "package b\n"})
		w.round("a push", "@/1 octo/town "+short(second))
		third := a.ForcePush(githubtest.Files{"a.go": "package c\n"})
		w.round("a force push", "@/1 octo/town "+short(third))
		a.Reset(first)
		w.round("reverted to an older commit", "@/1 octo/town "+short(first))
		w.repo.Push("next", nil)
		a.Retarget("next")
		w.round("another base, the same head", "@/1 octo/town "+short(first))
		w.repo.Push("next", githubtest.Files{"n.go": "package n\n"})
		w.round("its base moved")
		a.Retitle("Another title")
		w.round("another title", "@/1 octo/town "+short(first))
		a.SetDraft(true)
		w.round("a draft (case G29), whether it can be merged or not (case G55)", "@/1 octo/town "+short(first)+" draft")
		a.Ready()
		w.round("ready (case G29)", "@/1 octo/town "+short(first))
		a.Label("Tag:Skip-Review")
		w.round("a label that says not to review it", "@/1 octo/town "+short(first)+" Tag:Skip-Review")
		a.Unlabel("Tag:Skip-Review")
		w.round("no such label", "@/1 octo/town "+short(first))

		b := w.open("b", func(p *githubtest.Pull) { p.Author = "dependabot[bot]" })
		c := w.open("c", func(p *githubtest.Pull) { p.Author, p.Fork = "evil-app[bot]", true })
		w.round("bots (cases G43 and G44)", "@/2 octo/town "+short(b.Head())+" ignored", "@/3 octo/town "+short(c.Head()))
		c.DeleteFork()
		w.round("its fork was deleted (case G31)")
		d := w.open("d", func(p *githubtest.Pull) { p.Author = githubtest.Ghost })
		w.round("a deleted author (case G31)", "@/4 octo/town "+short(d.Head()))
		if w.last.Author != "ghost" || w.last.Facts.AuthorID != "" {
			t.Errorf("observed %+v", w.last)
		}
		a.Merge()
		b.Close()
		w.round("merged and closed (case G58)", "@/1 merged", "@/2 closed")
		b.Reopen()
		w.round("opened again", "@/2 octo/town "+short(b.Head())+" ignored")
		w.round("quiet")
	})
}

// After a start the actors are told everything again, and what has gone meanwhile.
func TestRestart(t *testing.T) {
	inTown(t, func(w *town) {
		a, b, c := w.open("a", nil), w.open("b", nil), w.open("c", nil)
		w.start()
		w.take()
		w.poller.Stop()
		a.Close()
		c.Merge()
		d := w.open("d", nil)
		w.restart()
		w.now("closed while we were down", "@/1 closed", "@/3 merged", "@/2 octo/town "+short(b.Head()), "@/4 octo/town "+short(d.Head()))
		w.round("quiet")
	})
}

// What could not be asked for is asked for again; a store that is away is no
// trouble of the repository.
func TestStoreIsAway(t *testing.T) {
	inTown(t, func(w *town) {
		w.broken = errStore
		a := w.open("a", nil)
		w.start()
		w.now("the store is away")
		w.broken = nil
		w.round("it is back", "@ octo/town configured", "@/1 octo/town "+short(a.Head()))
		w.broken = errStore
		a.Push(githubtest.Files{"x": "1"})
		w.round("away again")
		w.broken = nil
		w.round("back again", "@/1 octo/town "+short(a.Head()))
		if !strings.Contains(w.log.String(), errStore.Error()) {
			t.Errorf("logged %s", w.log.String())
		}
	})
}
