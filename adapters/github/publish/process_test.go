package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
)

// TestRefused: what cannot be begun is answered, with a reason that is not GitHub's.
func TestRefused(t *testing.T) {
	t.Parallel()
	broken := errors.New("the log is busy")
	for name, row := range map[string]struct {
		change func(*publish.Params)
		stream events.StreamName
		says   string
		kind   events.FailureKind
	}{
		"no pull request": {nil, "pr-github.com/7", "is no pull request of GitHub", events.FailureBefore},
		"no number":       {nil, "pr-github.com/7/x", "is no pull request of GitHub", events.FailureBefore},
		"number 0":        {nil, "pr-github.com/7/0", "is no pull request of GitHub", events.FailureBefore},
		"no repository":   {nil, "pr-github.com/x/7", "is no pull request of GitHub", events.FailureBefore},
		"not configured":  {nil, "pr-github.com/7/7", "not configured", events.FailureBefore},
		"no content": {func(p *publish.Params) {
			p.Content = func(context.Context, actors.PublishJob) (*render.Review, error) { return nil, broken }
		}, "", broken.Error(), events.FailureInfra},
	} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			p := sc.publisher(nil, func(p *publish.Params) {
				if row.change != nil {
					row.change(p)
				}
			})
			job := sc.job(3)
			if row.stream != "" {
				job.PR = row.stream
			}
			answered := make(chan events.Command, 2)
			p.Publish(job, func(cmds ...events.Command) { answered <- one(t, cmds) })
			end, ok := (<-answered).(pr.NotePublishFailed)
			if !ok || end.Run != job.Run || end.Try != 3 || end.Kind != row.kind || !strings.Contains(end.Message, row.says) || len(sc.calls()) != 0 {
				t.Errorf("ended %+v", end)
			}
			if row.stream != "" {
				p.Label(actors.LabelJob{PR: row.stream, Verdict: "COMMENT", Try: 4, Until: job.Until}, func(cmds ...events.Command) { answered <- one(t, cmds) })
				label, ok := (<-answered).(pr.NoteLabelFailed)
				if !ok || label.Try != 4 || label.Verdict != "COMMENT" || !strings.Contains(label.Message, row.says) {
					t.Errorf("the label ended %+v", label)
				}
			}
		})
	}
}

// TestSecret: a secret that a review would say is not posted.
func TestSecret(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.s.Canary(sc.token)
		sc.review.Findings[0].Body = "The token is " + sc.token + " and stands in the log."
		sc.review.Reason = "because of " + sc.token
		sc.drive(sc.publisher(nil))
		sc.stands()
	})
}

// TestMany: of many publications few are under way at a time, so that none has a
// pending review while its lease runs out, and all stand within their leases.
func TestMany(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 60
		sc := newScene(t, githubtest.Params{}, "ann")
		pulls := map[string]*githubtest.PullRequest{}
		for i := range n {
			branch := fmt.Sprintf("b%d", i)
			sc.repo.Push(branch, githubtest.Files{"a.go": strings.Repeat("line\n", 40)})
			pull := sc.repo.Open(githubtest.Pull{Head: branch})
			pulls[fmt.Sprint(pull.Number)] = pull
		}
		var counting sync.Mutex // answers come from many goroutines
		pendingMost := 0
		sc.s.OnAnswer(func(githubtest.Request) {
			counting.Lock()
			defer counting.Unlock()
			now := 0
			for _, pull := range pulls {
				for _, r := range pull.Reviews() {
					if r.State == "PENDING" {
						now++
					}
				}
			}
			pendingMost = max(pendingMost, now)
		})
		p := sc.publisher(nil, func(p *publish.Params) {
			p.Content = func(_ context.Context, job actors.PublishJob) (*render.Review, error) {
				r := sc.review
				r.Head = job.Head
				return &r, nil
			}
		})
		ends := make(chan events.Command, n)
		for _, pull := range pulls {
			job := sc.job(1)
			job.PR, job.Head = events.PRStream("github.com", fmt.Sprint(sc.repo.ID), pull.Number), pull.Head()
			p.Publish(job, func(cmds ...events.Command) { ends <- one(t, cmds) })
		}
		over := time.Now().Add(lease)
		for range n {
			if end, ok := (<-ends).(pr.NotePublished); !ok {
				t.Errorf("ended %+v", end)
			}
		}
		if time.Now().After(over) || pendingMost > publish.PublishingMax {
			t.Errorf("%d were pending at once, and it took until %s after the leases", pendingMost, time.Since(over))
		}
		for _, pull := range pulls {
			if list := pull.Reviews(); len(list) != 1 || list[0].State != "CHANGES_REQUESTED" {
				t.Errorf("#%d has %+v", pull.Number, list)
			}
		}
		sc.s.Check(t)
	})
}

// TestClose: an ordered stop waits for what is under way, refuses what comes later,
// and has an answer to each.
func TestClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		ice := newFreezer(sc.s.RoundTripper(), 5, true)
		p := sc.publisher(ice)
		answered := sc.begin(p, 1)
		<-ice.frozen
		closed := make(chan struct{})
		go func() {
			p.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("did not wait for what is under way")
		default:
		}
		if late, ok := (<-sc.begin(p, 2)).(pr.NotePublishFailed); !ok || late.Kind != events.FailureBefore || !strings.Contains(late.Message, "shutting down") {
			t.Errorf("what came later ended %+v", late)
		}
		close(ice.wake)
		if end, ok := (<-answered).(pr.NotePublished); !ok {
			t.Errorf("what was under way ended %+v", end)
		}
		<-closed
		p.Close()
		sc.stands()
	})
}

// TestCloseAtOnce: what does not end in time is stopped, and what became of it is
// not known where a write was under way.
func TestCloseAtOnce(t *testing.T) {
	t.Parallel()
	for route, unknown := range map[string]bool{
		"GET /repos/*/pulls/*/reviews": false, "POST /repos/*/pulls/*/reviews": true, "POST /repos/*/pulls/*/reviews/*/events": true,
	} {
		bubbleRow(t, route, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			sc.s.Fault(githubtest.Fault{Route: route, Nth: 1, Kind: githubtest.Delay, Delay: time.Hour})
			p := sc.publisher(nil)
			answered := sc.begin(p, 1)
			waitFor(5 * time.Second)
			began := time.Now()
			p.Close()
			if time.Since(began) > publish.CloseGrace+publish.TidyMax {
				t.Errorf("took %s", time.Since(began))
			}
			_, failed := (<-answered).(pr.NotePublishFailed)
			if failed == unknown {
				t.Errorf("certainly not stored: %v", failed)
			}
			sc.drive(sc.publisher(nil))
			sc.stands()
		})
	}
}

// TestWaitingIsRefused: what waits for its turn when the publisher closes, or until
// its lease is over, was not begun.
func TestWaitingIsRefused(t *testing.T) {
	t.Parallel()
	for _, closes := range []bool{true, false} {
		bubbleRow(t, closes, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			sc.s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/reviews", Kind: githubtest.Delay, Delay: time.Hour})
			p := sc.publisher(nil)
			for try := 1; try <= publish.PublishingMax; try++ {
				sc.begin(p, try)
			}
			synctest.Wait()
			job := sc.job(99)
			job.Until = time.Now().Add(20 * time.Second)
			answered := make(chan events.Command, 1)
			p.Publish(job, func(cmds ...events.Command) { answered <- one(t, cmds) })
			synctest.Wait()
			if closes {
				p.Close()
			}
			end, ok := (<-answered).(pr.NotePublishFailed)
			says := map[bool]string{true: "shutting down", false: "lease was over"}[closes]
			if !ok || end.Kind != events.FailureBefore || !time.Now().Before(job.Until) || !strings.Contains(end.Message, says) {
				t.Errorf("ended %+v", end)
			}
			p.Close()
		})
	}
}

// hollow answers writes with nothing, as a redirected POST is that became a GET.
type hollow struct {
	publish.Hub
	create, submit bool
}

func (h hollow) CreatePending(ctx context.Context, name events.RepoName, number int, draft api.Draft) (*api.Review, error) {
	if h.create {
		return &api.Review{}, nil
	}
	return h.Hub.CreatePending(ctx, name, number, draft)
}

func (h hollow) Submit(ctx context.Context, name events.RepoName, number int, id int64, event api.Event) (*api.Review, error) {
	if h.submit {
		return &api.Review{}, nil
	}
	return h.Hub.Submit(ctx, name, number, id, event)
}

// TestHollow: an answer without a review in it is no review. (case G35)
func TestHollow(t *testing.T) {
	t.Parallel()
	for _, create := range []bool{true, false} {
		bubbleRow(t, create, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			end := sc.try(sc.publisher(nil, func(p *publish.Params) { p.Hub = hollow{p.Hub, create, !create} }), 1)
			if _, ok := end.(pr.NotePublishUnknown); !ok {
				t.Errorf("ended %+v", end)
			}
			waitFor(time.Minute)
			sc.drive(sc.publisher(nil))
			sc.stands()
		})
	}
}

// TestAccountChanged: the token's file has another account's token now. Who we are
// is asked again after a try that could not find its own pending review.
func TestAccountChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		p := sc.publisher(nil)
		sc.try(p, 1)
		sc.pull.Push(githubtest.Files{"a.go": strings.Repeat("line\n", 20)})
		sc.review.Head = sc.pull.Head()
		sc.repo.Access("successor[bot]", githubtest.RoleWrite)
		sc.token = sc.s.Token("successor[bot]")
		if ends := sc.drive(p); len(ends) != 2 {
			t.Errorf("ended %+v", ends)
		}
		sc.stands()
	})
}
