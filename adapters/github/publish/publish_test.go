package publish_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

const (
	getUser      = "GET /user"
	getPull      = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
	getFiles     = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files"
	getReviews   = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
	postReview   = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
	submitReview = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events"
	deleteReview = "DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}"
)

// bubble runs a test in virtual time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, f)
}

// TestCalls counts what a publication costs: six calls, five without findings, and
// once in a process the question who we are.
func TestCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		p := sc.publisher(nil)
		first := sc.try(p, 1).(pr.NotePublished)
		if want := []string{getUser, getReviews, getPull, getFiles, postReview, getReviews, submitReview}; !slices.Equal(sc.calls(), want) {
			t.Errorf("called %v, not %v", sc.calls(), want)
		}
		stood := sc.marked()[0]
		if stood.State != "CHANGES_REQUESTED" || len(stood.Comments) != 2 || stood.Original != sc.review.Head || first.Existing || first.URL == "" {
			t.Errorf("stands %+v, answered %+v", stood, first)
		}
		sc.stands()

		sc.s.ClearLog()
		again := sc.try(p, 2).(pr.NotePublished)
		if !again.Existing || again.Receipt != first.Receipt || again.URL != first.URL || !slices.Equal(sc.calls(), []string{getReviews}) {
			t.Errorf("found %+v with %v", again, sc.calls())
		}
		sc.stands()

		sc.s.ClearLog()
		sc.pull.Push(githubtest.Files{"a.go": "other\n"})
		sc.review.Head, sc.review.Findings, sc.review.Verdict = sc.pull.Head(), nil, events.VerdictComment
		sc.try(p, 1)
		if want := []string{getReviews, getPull, postReview, getReviews, submitReview}; !slices.Equal(sc.calls(), want) {
			t.Errorf("without findings called %v, not %v", sc.calls(), want)
		}
		sc.stands()
	})
}

// TestAbandoned: a closed, merged or moved pull request is no failure, and costs
// two reads and no write. (cases G26 and G58)
func TestAbandoned(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		move  func(sc *scene)
		cause events.AbandonCause
		why   string
	}{
		{"closed", func(sc *scene) { sc.pull.Close() }, events.AbandonClosed, "is closed"},
		{"merged", func(sc *scene) { sc.pull.Merge() }, events.AbandonClosed, "is merged"},
		{"pushed", func(sc *scene) { sc.pull.Push(githubtest.Files{"c.go": "x\n"}) }, events.AbandonHead, "the head moved"},
		{"forced", func(sc *scene) { sc.pull.ForcePush(githubtest.Files{"c.go": "x\n"}) }, events.AbandonHead, "the head moved"},
		{"retargeted", func(sc *scene) { sc.repo.Push("next", githubtest.Files{"n": "n\n"}); sc.pull.Retarget("next") }, events.AbandonBase, "the base moved: it was main and is next"},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				sc := newScene(t, githubtest.Params{}, "ann")
				row.move(sc)
				end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublishAbandoned)
				if !ok || end.Cause != row.cause || !strings.Contains(end.Why, row.why) || writes(sc.s.Log()) != 0 {
					t.Errorf("ended %+v with %v", end, sc.calls())
				}
				if row.cause == events.AbandonBase && end.BaseRef != "next" {
					t.Errorf("the new base is %q", end.BaseRef)
				}
				sc.clean()
			})
		})
	}
}

// TestHeadMovesBetween: the head moves after it was looked at. The review says
// which commit it is of and stands there. (case G26)
func TestHeadMovesBetween(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.s.OnRequest(func(r githubtest.Request) {
			if r.Route == postReview {
				sc.pull.Push(githubtest.Files{"a.go": strings.Repeat("line\n", 41)})
			}
		})
		if end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublished); !ok || sc.marked()[0].Original != sc.review.Head {
			t.Errorf("ended %+v; stands at %s, not %s", end, sc.marked()[0].Original, sc.review.Head)
		}
		sc.stands()
	})
}

// TestForcePushBetween: the reviewed commit is not part of the pull request any
// more when the review is created. (case G27)
func TestForcePushBetween(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.s.OnRequest(func(r githubtest.Request) {
			if r.Route == postReview {
				sc.pull.ForcePush(githubtest.Files{"z.go": "z\n"})
			}
		})
		end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublishAbandoned)
		if !ok || end.Cause != events.AbandonHead || len(sc.pull.Submitted()) != 0 {
			t.Errorf("ended %+v", end)
		}
		sc.clean()
	})
}

// TestMovedReviews: GitHub shows an older review at the new head. It has another
// head in its marker, so that the new head is not reviewed yet. (case D37)
func TestMovedReviews(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{Modes: githubtest.Modes{ReviewsMove: true}}, "ann")
		p := sc.publisher(nil)
		sc.try(p, 1)
		sc.pull.Push(githubtest.Files{"a.go": strings.Repeat("line\n", 20)})
		sc.review.Head = sc.pull.Head()
		if end, ok := sc.try(p, 1).(pr.NotePublished); !ok || end.Existing || len(sc.pull.Submitted()) != 2 {
			t.Errorf("ended %+v", end)
		}
		sc.stands()
	})
}

// TestOthersMarker: anybody can copy a marker; only our own account's counts.
func TestOthersMarker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		p := sc.publisher(nil)
		sc.try(p, 1)
		body := sc.marked()[0].Body
		sc.pull.Push(githubtest.Files{"a.go": strings.Repeat("line\n", 20)})
		old := sc.review.Head
		sc.review.Head = sc.pull.Head()
		sc.pull.Review(githubtest.Review{Author: "mallory", State: "COMMENTED", Body: strings.ReplaceAll(body, string(old), string(sc.review.Head))})
		if end, ok := sc.try(p, 1).(pr.NotePublished); !ok || end.Existing {
			t.Errorf("ended %+v", end)
		}
	})
}

// TestLegacyMarker: on a repository that was taken over nothing is said twice, and
// only where that was configured. (semantics 36.3)
func TestLegacyMarker(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		t.Run(map[bool]string{true: "on", false: "off"}[on], func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				sc := newScene(t, githubtest.Params{}, "ann")
				sc.pull.Review(githubtest.Review{Author: "reviewer[bot]", State: "COMMENTED", Body: "<!-- thepastaclaw-review v1 -->\n" +
					"<!-- thepastaclaw-review-phase v1 phase=final sha=" + string(sc.review.Head) + " policy=0123456789abcdef -->\n## Final\n"})
				end, ok := sc.try(sc.publisher(nil, func(p *publish.Params) {
					p.Legacy = func(events.RepoName) bool { return on }
				}), 1).(pr.NotePublished)
				if !ok || end.Existing != on {
					t.Errorf("ended %+v", end)
				}
			})
		})
	}
}

// TestOwnPull: GitHub takes nothing but a comment on one's own pull request. The
// body says the verdict. (case G13)
func TestOwnPull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "reviewer[bot]")
		end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublished)
		if !ok || end.Existing {
			t.Fatalf("ended %+v", end)
		}
		stood := sc.marked()[0]
		if stood.State != "COMMENTED" || !strings.Contains(stood.Body, "REQUEST_CHANGES") || sc.s.Count("POST /repos/*/pulls/*/reviews/*/events") != 1 {
			t.Errorf("stands as %s: %s", stood.State, stood.Body)
		}
		sc.stands()
	})
}

// stranger is a client to which nobody is who we are.
type stranger struct{ publish.Hub }

func (s stranger) Pull(ctx context.Context, name events.RepoName, number int) (*api.Pull, error) {
	pull, err := s.Hub.Pull(ctx, name, number)
	if err == nil {
		pull.Author.ID++
	}
	return pull, err
}

// TestOwnPullUnseen: only GitHub knows that the pull request is our own. (case G13)
func TestOwnPullUnseen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "reviewer[bot]")
		end := sc.try(sc.publisher(nil, func(p *publish.Params) { p.Hub = stranger{p.Hub} }), 1)
		if _, ok := end.(pr.NotePublished); !ok || sc.marked()[0].State != "COMMENTED" || !strings.Contains(sc.marked()[0].Body, "REQUEST_CHANGES") {
			t.Errorf("ended %+v", end)
		}
		sc.stands()
	})
}

// TestRenamedAgainAndAgain: a new name is followed once in a try. (case G35)
func TestRenamedAgainAndAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		n := 0
		sc.s.OnRequest(func(r githubtest.Request) {
			if r.Route == postReview {
				n++
				sc.repo.Rename(fmt.Sprintf("octo/town%d", n))
			}
		})
		end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublishFailed)
		if !ok || end.Kind != events.FailureInfra || n != 2 {
			t.Errorf("ended %+v after %d writes", end, n)
		}
		sc.clean()
	})
}

// TestUnwritable: locked and archived ones are failures with their own reason, which no
// try mends. (case G58)
func TestUnwritable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		make func(sc *scene)
		says string
	}{
		"locked":   {func(sc *scene) { sc.pull.Lock(true) }, "locked"},
		"archived": {func(sc *scene) { sc.repo.Archive(true) }, "archived"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				sc := newScene(t, githubtest.Params{}, "ann")
				row.make(sc)
				ends := sc.drive(sc.publisher(nil))
				end, ok := ends[0].(pr.NotePublishFailed)
				if !ok || len(ends) != 1 || end.Kind != events.FailureFatal || !strings.Contains(end.Message, row.says) {
					t.Errorf("ended %+v", ends)
				}
				sc.clean()
			})
		})
	}
}

// TestNoWrite: reading works and writing is forbidden. It is no limit, and not
// tried again. (case G33)
func TestNoWrite(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.token = sc.s.Token("reviewer[bot]", githubtest.ReadContents, githubtest.ReadPulls)
		ends := sc.drive(sc.publisher(nil))
		end, ok := ends[0].(pr.NotePublishFailed)
		if !ok || len(ends) != 1 || end.Kind != events.FailureFatal || !end.NotBefore.IsZero() || !strings.Contains(end.Message, "Resource not accessible") {
			t.Errorf("ended %+v", ends)
		}
		sc.clean()
	})
}

// TestSecondaryLimit: the next try waits for GitHub's own clock. (cases G09, G10, G11 and G12)
func TestSecondaryLimit(t *testing.T) {
	t.Parallel()
	for _, mode := range []githubtest.SecondaryMode{
		githubtest.WithRetryAfter, githubtest.WithDate, githubtest.WithNothing, githubtest.WithResetFar,
		githubtest.WithResetPast, githubtest.WithOddURL, githubtest.WithStatus429,
	} {
		bubbleRow(t, mode, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{Limits: githubtest.Limits{Block: 7 * time.Minute}}, "ann")
			sc.s.Fault(githubtest.Fault{Route: "POST /repos/*/pulls/*/reviews", Nth: 1, Kind: githubtest.Secondary, Mode: mode})
			p := sc.publisher(nil)
			end, ok := sc.try(p, 1).(pr.NotePublishFailed)
			if wait := time.Until(end.NotBefore); !ok || end.Kind != events.FailureInfra || wait < 55*time.Second || wait > 8*time.Minute {
				t.Errorf("ended %+v, to be tried in %s", end, wait)
			}
			sc.drive(p)
			sc.stands()
		})
	}
}
