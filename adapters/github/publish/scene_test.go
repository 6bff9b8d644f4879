package publish_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
)

const lease = 5 * time.Minute

// wall is the clock of a testing/synctest bubble.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) After(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// scene is one pull request on a GitHub in memory, and a verdict about its head.
type scene struct {
	t      *testing.T
	s      *githubtest.Server
	repo   *githubtest.Repo
	pull   *githubtest.PullRequest
	token  string
	review render.Review

	mu     sync.Mutex
	name   events.RepoName
	holder int // the try that holds the lease; 0 = whoever asks
}

func newScene(t *testing.T, p githubtest.Params, author string) *scene {
	t.Helper()
	p.NoGit = true
	if p.Clock == nil {
		p.Clock = wall{}
	}
	s := githubtest.New(t, p)
	repo := s.Repo("octo/town")
	repo.Access("reviewer[bot]", githubtest.RoleWrite)
	repo.Push("fix", githubtest.Files{"a.go": strings.Repeat("line\n", 40), "b.go": "package b\n"})
	pull := repo.Open(githubtest.Pull{Head: "fix", Author: author})
	sc := &scene{t: t, s: s, repo: repo, pull: pull, token: s.Token("reviewer[bot]"), name: repo.Name()}
	sc.review = render.Review{
		Run: "run-1", RepoID: repo.ID, Repo: repo.Name(), Number: pull.Number, Head: pull.Head(), Base: repo.Head("main"),
		BaseRef: "main", Verdict: events.VerdictRequestChanges, Outcome: events.OutcomeFindings, Reason: "one finding blocks",
		Findings: []render.Finding{finding(1, 3), finding(2, 5)},
	}
	return sc
}

// finding is a remark at a line of a.go.
func finding(number, line int) render.Finding {
	return render.Finding{Number: number, Finding: events.Finding{
		Fingerprint: events.Fingerprint(fmt.Sprintf("%012x", number)), Dedupe: fmt.Sprintf("%016x", number),
		File: "a.go", LineStart: line, LineEnd: line, Severity: events.SeverityBlocking, Category: "bug",
		Title: fmt.Sprintf("Finding %d", number), Body: "It is wrong.",
	}}
}

// publisher is one process with a client of its own; wire changes what its requests
// go through.
func (sc *scene) publisher(wire http.RoundTripper, change ...func(*publish.Params)) *publish.Publisher {
	sc.t.Helper()
	if wire == nil {
		wire = sc.s.RoundTripper()
	}
	client, err := api.New(api.Params{
		Token: func() (string, error) { return sc.token, nil }, Transport: wire, Clock: wall{},
		Jitter: func() float64 { return 0 },
	})
	if err != nil {
		sc.t.Fatal(err)
	}
	params := publish.Params{
		Hub: client, Clock: wall{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Content: func(context.Context, actors.PublishJob) (*render.Review, error) {
			r := sc.review
			return &r, nil
		},
		Repo: func(id string) (events.RepoName, bool) {
			sc.mu.Lock()
			defer sc.mu.Unlock()
			return sc.name, id == fmt.Sprint(sc.repo.ID)
		},
		Owns: func(_ context.Context, job actors.PublishJob) error {
			sc.mu.Lock()
			defer sc.mu.Unlock()
			if sc.holder != 0 && sc.holder != job.Try {
				return fmt.Errorf("try %d holds it", sc.holder)
			}
			return nil
		},
		Secrets: func() []string { return []string{sc.token} },
	}
	for _, c := range change {
		c(&params)
	}
	return publish.New(params)
}

func (sc *scene) stream() events.StreamName {
	return events.PRStream("github.com", fmt.Sprint(sc.repo.ID), sc.pull.Number)
}

func (sc *scene) job(try int) actors.PublishJob {
	return actors.PublishJob{
		PR: sc.stream(), Run: sc.review.Run, Head: sc.review.Head, Base: sc.review.Base, Try: try, Until: time.Now().Add(lease),
	}
}

// try publishes once and checks that the answer comes before the lease is over.
func (sc *scene) try(p *publish.Publisher, try int) events.Command {
	sc.t.Helper()
	over := time.Now().Add(lease)
	end := <-sc.begin(p, try)
	if !time.Now().Before(over) {
		sc.t.Errorf("try %d was answered after its lease: %#v", try, end)
	}
	return end
}

// begin publishes and answers later.
func (sc *scene) begin(p *publish.Publisher, try int) <-chan events.Command {
	answered := make(chan events.Command, 1)
	p.Publish(sc.job(try), func(cmds ...events.Command) { answered <- one(sc.t, cmds) })
	return answered
}

// hold gives the lease to a try, where leases are seen at all.
func (sc *scene) hold(seen bool, try int) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if seen {
		sc.holder = try
	}
}

func one(t *testing.T, cmds []events.Command) events.Command {
	if len(cmds) != 1 {
		t.Errorf("answered with %d commands, not one: %v", len(cmds), cmds)
		return nil
	}
	return cmds[0]
}

// drive tries as the pull request's decider does, until the publication has ended.
func (sc *scene) drive(p *publish.Publisher) []events.Command {
	sc.t.Helper()
	var ends []events.Command
	delays := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
	for try := 1; try <= 10; try++ {
		end := sc.try(p, try)
		ends = append(ends, end)
		next := time.Now().Add(delays[min(try-1, len(delays)-1)])
		switch c := end.(type) {
		case pr.NotePublishFailed:
			if c.Kind == events.FailureFatal {
				return ends
			}
			if c.NotBefore.After(next) {
				next = c.NotBefore
			}
		case pr.NotePublishUnknown:
		default:
			return ends
		}
		waitFor(time.Until(next))
	}
	return ends
}

// waitFor lets the bubble's time pass.
func waitFor(d time.Duration) {
	over := make(chan struct{})
	time.AfterFunc(d, func() { close(over) })
	<-over
}

// marked are the submitted reviews of this head that carry our marker.
func (sc *scene) marked() []githubtest.Review {
	var list []githubtest.Review
	for _, r := range sc.pull.Submitted() {
		if m, ok := marker.Find(r.Body); ok && m.Kind == marker.KindReview && m.Head == sc.review.Head {
			list = append(list, r)
		}
	}
	return list
}

// pending are the pending reviews of all.
func (sc *scene) pending() []githubtest.Review {
	var list []githubtest.Review
	for _, r := range sc.pull.Reviews() {
		if r.State == "PENDING" {
			list = append(list, r)
		}
	}
	return list
}

// stands checks that the review stands exactly once and nothing is left over.
func (sc *scene) stands() {
	sc.t.Helper()
	if list := sc.marked(); len(list) != 1 {
		sc.t.Errorf("%d reviews stand, not one", len(list))
	}
	sc.clean()
}

func (sc *scene) clean() {
	sc.t.Helper()
	for _, r := range sc.pending() {
		sc.t.Errorf("a pending review is left over: %q", strings.SplitN(r.Body, "\n", 2)[0])
	}
	sc.s.Check(sc.t)
}

// calls are the requests so far, "METHOD /part" each.
func (sc *scene) calls() []string {
	var list []string
	for _, r := range sc.s.Log() {
		list = append(list, r.Route)
	}
	return list
}

func writes(list []githubtest.Request) (n int) {
	for _, r := range list {
		if r.Write() {
			n++
		}
	}
	return n
}
