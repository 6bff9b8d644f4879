package publish

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/render"
	"github.com/reviewctl/reviewctl/events"
)

const (
	// PublishingMax bounds the publications under way. Writes are a second apart, and
	// one that has its pending review must not wait behind many that begin.
	PublishingMax = 4
	// LabellingMax bounds the pull requests that are labelled at once.
	LabellingMax = 2
	// CallMax bounds one request to GitHub, waiting for its turn included.
	CallMax = 30 * time.Second
	// AnswerMargin is how long before a lease ends its holder has answered.
	AnswerMargin = 5 * time.Second
	// WriteMargin is how much of a lease must be left before a write begins, so that
	// it is over before another may hold the lease.
	WriteMargin = 15 * time.Second
	// CloseGrace is how long what is under way may take to end in order.
	CloseGrace = 10 * time.Second
)

// Hub is what is asked of GitHub; *api.Client answers.
type Hub interface {
	Viewer(ctx context.Context) (api.User, error)
	Pull(ctx context.Context, name events.RepoName, number int) (*api.Pull, error)
	Files(ctx context.Context, name events.RepoName, number int) (files []api.File, complete bool, err error)
	Reviews(ctx context.Context, name events.RepoName, number int) ([]api.Review, error)
	CreatePending(ctx context.Context, name events.RepoName, number int, draft api.Draft) (*api.Review, error)
	Submit(ctx context.Context, name events.RepoName, number int, review int64, event api.Event) (*api.Review, error)
	DeletePending(ctx context.Context, name events.RepoName, number int, review int64) error
	Labels(ctx context.Context, name events.RepoName) ([]string, error)
	AddLabel(ctx context.Context, name events.RepoName, number int, label string) error
	RemoveLabel(ctx context.Context, name events.RepoName, number int, label string) error
}

// Params is what a Publisher needs. All of it is required but Labels, Legacy and Secrets.
type Params struct {
	Hub Hub
	// Content is the review that a job is about, folded from the log.
	Content func(ctx context.Context, job actors.PublishJob) (*render.Review, error)
	// Repo is a repository's name by GitHub's numeric id of it.
	Repo func(repoID string) (events.RepoName, bool)
	// Owns says why the job is not the current holder of its publication's lease;
	// nil = it is. It reads the log, not a memory of it.
	Owns func(ctx context.Context, job actors.PublishJob) error
	// Legacy reports whether the markers of earlier systems count in a repository.
	Legacy func(name events.RepoName) bool
	// Secrets are values that are never posted, whatever says them: the token above all.
	Secrets func() []string
	Labels  LabelNames
	Clock   actors.Clock
	Log     *slog.Logger
}

// Publisher implements actors.Forge.
type Publisher struct {
	Params
	names      LabelNames
	publishing chan struct{}
	labelling  chan struct{}
	running    sync.WaitGroup
	closing    chan struct{} // closed when no more is begun
	stop       context.CancelFunc
	root       context.Context // of what is under way

	mu     sync.Mutex
	closed bool
	viewer *api.User
}

var _ actors.Forge = (*Publisher)(nil)

// New makes a publisher.
func New(p Params) *Publisher {
	root, stop := context.WithCancel(context.Background())
	if p.Legacy == nil {
		p.Legacy = func(events.RepoName) bool { return false }
	}
	if p.Secrets == nil {
		p.Secrets = func() []string { return nil }
	}
	return &Publisher{
		Params: p, names: p.Labels.orDefault(), root: root, stop: stop, closing: make(chan struct{}),
		publishing: make(chan struct{}, PublishingMax), labelling: make(chan struct{}, LabellingMax),
	}
}

// Publish makes the review stand on the pull request, on a goroutine of its own.
func (p *Publisher) Publish(job actors.PublishJob, answer actors.Answer) {
	begin := func(ctx context.Context, at place) events.Command { return p.attempt(job, at).run(ctx) }
	refuse := func(why string) events.Command {
		return pr.NotePublishFailed{Run: job.Run, Try: job.Try, Kind: events.FailureBefore, Message: why}
	}
	p.begin(effect{
		stream: job.PR, until: job.Until, slots: p.publishing, begin: begin, refuse: refuse, answer: answer,
	})
}

// Label makes the pull request carry the label of its verdict, on a goroutine of
// its own.
func (p *Publisher) Label(job actors.LabelJob, answer actors.Answer) {
	begin := func(ctx context.Context, at place) events.Command {
		return (&labelling{Publisher: p, job: job, place: at}).run(ctx)
	}
	refuse := func(why string) events.Command {
		return pr.NoteLabelFailed{Try: job.Try, Verdict: job.Verdict, Kind: events.FailureBefore, Message: why}
	}
	p.begin(effect{
		stream: job.PR, until: job.Until, slots: p.labelling, begin: begin, refuse: refuse, answer: answer,
	})
}

// Close lets what is under way end, for CloseGrace, and returns when all of it has
// answered. What is begun after it is answered and not done.
func (p *Publisher) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.closing)
	}
	p.mu.Unlock()
	cancel := p.Clock.After(CloseGrace, p.stop)
	defer cancel()
	p.running.Wait()
	p.stop()
}

// effect is one job of either kind.
type effect struct {
	stream events.StreamName
	until  time.Time
	slots  chan struct{}
	begin  func(ctx context.Context, at place) events.Command
	refuse func(why string) events.Command // nothing was done
	answer actors.Answer
}

// begin does the job when there is room, and answers before its lease runs out.
func (p *Publisher) begin(e effect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		go e.answer(e.refuse("reviewctl is shutting down"))
		return
	}
	p.running.Go(func() {
		ctx, cancel := until(p.root, p.Clock, e.until.Add(-AnswerMargin))
		defer cancel()
		e.answer(p.take(ctx, e))
	})
}

func (p *Publisher) take(ctx context.Context, e effect) events.Command {
	at, err := p.place(e.stream)
	if err != nil {
		return e.refuse(err.Error())
	}
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
		return e.begin(ctx, at)
	case <-ctx.Done():
		return e.refuse("its lease was over before it was its turn")
	case <-p.closing:
		return e.refuse("reviewctl is shutting down")
	}
}

// place is where on GitHub a pull request lives now.
type place struct {
	repoID int64
	name   events.RepoName
	number int
}

// place reads a stream's name, pr-HOST/REPO_ID/N, and looks up the repository's.
func (p *Publisher) place(stream events.StreamName) (place, error) {
	parts := strings.Split(stream.Subject(), "/")
	if len(parts) != 3 {
		return place{}, fmt.Errorf("%s is no pull request of GitHub", stream)
	}
	number, err := strconv.Atoi(parts[2])
	if err != nil || number <= 0 {
		return place{}, fmt.Errorf("%s is no pull request of GitHub", stream)
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return place{}, fmt.Errorf("%s is no pull request of GitHub", stream)
	}
	name, ok := p.Repo(parts[1])
	if !ok {
		return place{}, fmt.Errorf("the repository %s of %s is not configured (any more)", parts[1], stream)
	}
	return place{repoID: id, name: name, number: number}, nil
}

// self is the account that the token belongs to. It is asked for once, and again
// after a try without success.
func (p *Publisher) self(ctx context.Context) (api.User, error) {
	p.mu.Lock()
	known := p.viewer
	p.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	user, err := p.Hub.Viewer(ctx)
	if err != nil {
		return api.User{}, err
	}
	p.mu.Lock()
	p.viewer = &user
	p.mu.Unlock()
	return user, nil
}

func (p *Publisher) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.viewer = nil
}
