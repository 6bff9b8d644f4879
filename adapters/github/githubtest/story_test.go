package githubtest_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// handClock is moved by the test. Nothing that waits is ever woken by itself.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *handClock {
	return &handClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) After(d time.Duration, f func()) func() {
	c.forward(d)
	go f()
	return func() {}
}

func (c *handClock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is one server with a client of a bot.
type world struct {
	*githubtest.Server
	t      *testing.T
	clock  *handClock
	token  string
	client *github.Client
}

func newWorld(t *testing.T, p githubtest.Params) *world {
	t.Helper()
	w := &world{t: t, clock: newClock()}
	p.Clock = w.clock
	w.Server = githubtest.New(t, p)
	w.token = w.Token("bot[bot]")
	w.client = w.as(w.token)
	return w
}

// as is a client in memory.
func (w *world) as(token string) *github.Client {
	return github.NewClient(&http.Client{Transport: w.RoundTripper()}).WithAuthToken(token)
}

// write leaves the second that GitHub wants between writes.
func (w *world) write() context.Context {
	w.clock.forward(time.Second)
	return context.Background()
}

func (w *world) review(pull *githubtest.PullRequest, in *github.PullRequestReviewRequest) (*github.PullRequestReview, error) {
	r, _, err := w.client.PullRequests.CreateReview(w.write(), "octo", "town", pull.Number, in)
	return r, err
}

var numbers = strings.Join(strings.Split("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30", " "), "\n") + "\n"

// openTown is octo/town with a pull request that changes lines 5 and 25 of n.txt
// and adds new.go.
func (w *world) openTown() (*githubtest.Repo, *githubtest.PullRequest) {
	w.t.Helper()
	repo := w.Repo("octo/town")
	repo.Push("main", githubtest.Files{"n.txt": numbers})
	changed := strings.Replace(strings.Replace(numbers, "\n5\n", "\nfive\n", 1), "\n25\n", "\ntwenty-five\n", 1)
	repo.Push("fix", githubtest.Files{"n.txt": changed, "new.go": "package town\n\nfunc F() {}\n"})
	return repo, repo.Open(githubtest.Pull{Head: "fix", Author: "ann", Title: "Fix it"})
}

func TestTheStoryOfOneReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{})
	_, pull := w.openTown()
	ctx := context.Background()
	overTCP := github.NewClient(nil).WithAuthToken(w.token)
	overTCP.BaseURL, _ = url.Parse(w.URL() + "/")

	got, _, err := overTCP.PullRequests.Get(ctx, "octo", "town", pull.Number)
	if err != nil || got.GetHead().GetSHA() != string(pull.Head()) || got.GetChangedFiles() != 2 || got.GetAdditions() != 5 || got.GetDeletions() != 2 {
		t.Fatalf("%v %v", got, err)
	}
	files, _, err := overTCP.PullRequests.ListFiles(ctx, "octo", "town", pull.Number, nil)
	if err != nil || len(files) != 2 || files[0].GetFilename() != "n.txt" || files[1].GetStatus() != "added" {
		t.Fatalf("%v %v", files, err)
	}
	r, err := w.review(pull, &github.PullRequestReviewRequest{
		CommitID: github.String(string(pull.Head())), Body: github.String("hello"),
		Comments: []*github.DraftReviewComment{{Path: github.String("n.txt"), Line: github.Int(5), Side: github.String("RIGHT"), Body: github.String("five?")}},
	})
	if err != nil || r.GetState() != "PENDING" || r.SubmittedAt != nil || r.GetID() == 0 {
		t.Fatalf("%v %v", r, err)
	}
	r, _, err = overTCP.PullRequests.SubmitReview(w.write(), "octo", "town", pull.Number, r.GetID(), &github.PullRequestReviewRequest{Event: github.String("COMMENT")})
	if err != nil || r.GetState() != "COMMENTED" || r.GetSubmittedAt().IsZero() {
		t.Fatalf("%v %v", r, err)
	}
	kept := pull.Reviews()
	if len(kept) != 1 || len(kept[0].Comments) != 1 || kept[0].Comments[0].Position != 5 {
		t.Fatalf("%+v", kept)
	}
}

func (w *world) repo(full string) *githubtest.Repo {
	w.t.Helper()
	repo := w.Find(full)
	if repo == nil {
		w.t.Fatalf("there is no %s", full)
	}
	return repo
}
