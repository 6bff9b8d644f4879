package publish_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

var errHeld = errors.New("another try holds it")

// leave leaves a pending review of the account behind, with this first line.
func (sc *scene) leave(first string) int64 {
	return sc.pull.Review(githubtest.Review{Author: "reviewer[bot]", State: "PENDING", Body: first + "\nSomething.\n"})
}

func (sc *scene) marker(head events.Commit) string {
	return marker.Marker{Key: marker.Key{Repo: sc.repo.ID, Number: sc.pull.Number, Head: head, Kind: marker.KindReview}}.String()
}

// TestPersonsPending: a pending review without our marker is a person's who uses
// the same account. It blocks ours, is never touched, and is said. (case G14)
func TestPersonsPending(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]string{
		"before": "", "after the list": getPull, "while ours is looked for": "create",
	} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			var id int64
			if when == "" {
				id = sc.leave("My own notes")
			} else {
				sc.s.OnRequest(func(r githubtest.Request) {
					if id == 0 && (r.Route == when || when == "create" && r.Route == postReview) {
						id = sc.leave("My own notes")
					}
				})
			}
			p := sc.publisher(nil)
			end, ok := sc.try(p, 1).(pr.NotePublishFailed)
			if !ok || end.Kind != events.FailureInfra || !strings.Contains(end.Message, "pending review") || !strings.Contains(end.Message, "submit or discard it") {
				t.Errorf("ended %+v", end)
			}
			if list := sc.pending(); len(list) != 1 || list[0].ID != id || len(sc.marked()) != 0 {
				t.Errorf("pending are %+v", list)
			}
			if when == "" && writes(sc.s.Log()) != 0 {
				t.Errorf("wrote: %v", sc.calls())
			}
		})
	}
}

// TestPersonBegins: a person discards our pending review and begins one.
func TestPersonBegins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{Limits: githubtest.Limits{Gap: -1}}, "ann")
		done := false
		sc.s.OnAnswer(func(r githubtest.Request) {
			if r.Route == postReview && !done {
				done = true
				sc.discard()
				sc.leave("My own notes")
			}
		})
		end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublishFailed)
		if list := sc.pending(); !ok || !strings.Contains(end.Message, "in the way") || len(list) != 1 || len(sc.marked()) != 0 {
			t.Errorf("ended %+v, pending %+v", end, list)
		}
	})
}

// discard deletes the account's pending review, as its owner does on the page.
func (sc *scene) discard() {
	for _, r := range sc.pending() {
		url := fmt.Sprintf("https://api.github.com/repos/octo/town/pulls/%d/reviews/%d", sc.pull.Number, r.ID)
		req, err := http.NewRequestWithContext(sc.t.Context(), http.MethodDelete, url, http.NoBody)
		if err != nil {
			sc.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+sc.token)
		req.Header.Set("User-Agent", "a person")
		req.Header.Set("X-Github-Api-Version", "2022-11-28")
		resp, err := sc.s.RoundTripper().RoundTrip(req)
		if err != nil {
			sc.t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
			sc.t.Errorf("discard review %d: %v, %v", r.ID, resp, err)
		}
	}
}

// TestLeftPending: pending reviews with a marker of ours are deleted, whichever head
// they are of, and those of another pull request's marker are not ours.
func TestLeftPending(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]events.Commit{"same head": "", "other head": events.Commit(strings.Repeat("a", 40))} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			if head == "" {
				head = sc.review.Head
			}
			sc.leave(sc.marker(head))
			if end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublished); !ok || end.Existing {
				t.Errorf("ended %+v", end)
			}
			sc.stands()
		})
	}
}

// TestOtherMarkersPending: a pending review with the marker of another repository or
// pull request is none of ours; somebody copied it.
func TestOtherMarkersPending(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*marker.Marker){
		"repository": func(m *marker.Marker) { m.Repo++ }, "number": func(m *marker.Marker) { m.Number++ },
		"kind": func(m *marker.Marker) { m.Kind = marker.KindComment },
	} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			m := marker.Marker{Key: marker.Key{Repo: sc.repo.ID, Number: sc.pull.Number, Head: sc.review.Head, Kind: marker.KindReview}}
			change(&m)
			id := sc.leave(m.String())
			end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublishFailed)
			if list := sc.pending(); !ok || len(list) != 1 || list[0].ID != id {
				t.Errorf("ended %+v, pending %+v", end, list)
			}
		})
	}
}

// TestRaceLost: the pending review is gone when it is to be submitted, or when one
// that was left is to be deleted. The same try begins again.
func TestRaceLost(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]string{"submit": submitReview, "delete": deleteReview} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{Limits: githubtest.Limits{Gap: -1}}, "ann")
			if name == "delete" {
				sc.leave(sc.marker(sc.review.Head))
			}
			done := false
			sc.s.OnRequest(func(r githubtest.Request) {
				if r.Route == route && !done {
					done = true
					sc.discard()
				}
			})
			if end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublished); !ok || end.Existing {
				t.Errorf("ended %+v", end)
			}
			sc.stands()
		})
	}
}

// TestSubmitLost: what became of a submitted review whose answer was lost is found
// out by looking, in the next try, and nothing is written before. (case G24)
func TestSubmitLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.s.Fault(githubtest.Fault{Route: "POST /repos/*/pulls/*/reviews/*/events", Nth: 1, Kind: githubtest.LostResponse})
		p := sc.publisher(nil)
		if end, ok := sc.try(p, 1).(pr.NotePublishUnknown); !ok || writes(sc.s.Log()) != 2 {
			t.Errorf("ended %+v after %v", end, sc.calls())
		}
		if end, ok := sc.try(p, 2).(pr.NotePublished); !ok || !end.Existing || writes(sc.s.Log()) != 2 {
			t.Errorf("ended %+v after %v", end, sc.calls())
		}
		sc.stands()
	})
}

// TestPendingBesideSubmitted: a pending review whose marker stands is deleted.
func TestPendingBesideSubmitted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		p := sc.publisher(nil)
		sc.try(p, 1)
		sc.leave(sc.marker(sc.review.Head))
		if end, ok := sc.try(p, 2).(pr.NotePublished); !ok || !end.Existing {
			t.Errorf("ended %+v", end)
		}
		sc.stands()
	})
}

// TestDismissedStands: what a person dismissed is not posted again.
func TestDismissedStands(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		p := sc.publisher(nil)
		sc.try(p, 1)
		sc.pull.Dismiss(sc.marked()[0].ID)
		if end, ok := sc.try(p, 2).(pr.NotePublished); !ok || !end.Existing {
			t.Errorf("ended %+v", end)
		}
		sc.stands()
	})
}

// TestOthersKeepPublishing: whoever's pending review is deleted again and again
// gives up, and leaves nothing.
func TestOthersKeepPublishing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{Limits: githubtest.Limits{Gap: -1}}, "ann")
		sc.s.OnAnswer(func(r githubtest.Request) {
			if r.Route == postReview && r.Status == 200 {
				sc.discard()
				sc.leave(sc.marker(sc.review.Head))
			}
		})
		end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublishFailed)
		if !ok || end.Kind != events.FailureInfra || !strings.Contains(end.Message, "gave up after") {
			t.Errorf("ended %+v", end)
		}
		if n := sc.s.Count("POST /repos/*/pulls/*/reviews"); n > publish.RoundsMax {
			t.Errorf("created %d pending reviews", n)
		}
	})
}

// TestLeaseLost: whoever does not hold the lease any more writes nothing, at
// whichever write it notices.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	for _, allowed := range []int{0, 1} {
		bubbleRow(t, allowed, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			asked := 0
			p := sc.publisher(nil, func(p *publish.Params) {
				p.Owns = func(context.Context, actors.PublishJob) error {
					if asked++; asked > allowed {
						return errHeld
					}
					return nil
				}
			})
			end, ok := sc.try(p, 1).(pr.NotePublishFailed)
			if !ok || end.Kind != events.FailureInfra || !strings.Contains(end.Message, errHeld.Error()) || len(sc.marked()) != 0 {
				t.Errorf("ended %+v", end)
			}
			sc.clean()
		})
	}
}

// TestLeaseTooShort: a write is not begun that could last longer than the lease.
func TestLeaseTooShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/reviews", Nth: 2, Kind: githubtest.Delay, Delay: 20 * time.Second})
		answered := make(chan events.Command, 1)
		job := sc.job(1)
		job.Until = time.Now().Add(publish.WriteMargin + 10*time.Second)
		sc.publisher(nil).Publish(job, func(cmds ...events.Command) { answered <- cmds[0] })
		end, ok := (<-answered).(pr.NotePublishFailed)
		if !ok || !time.Now().Before(job.Until) || len(sc.marked()) != 0 {
			t.Errorf("ended %+v at %s", end, time.Now())
		}
		sc.clean()
	})
}

// TestFrozenClock: a process that is frozen between two requests wakes when its
// lease is over, and its clock says so. It posts nothing.
func TestFrozenClock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		ice := newFreezer(sc.s.RoundTripper(), 6, true)
		answered := sc.begin(sc.publisher(ice), 1)
		<-ice.frozen
		waitFor(lease - publish.WriteMargin + time.Second)
		close(ice.wake)
		if end, ok := (<-answered).(pr.NotePublishFailed); !ok || !strings.Contains(end.Message, "lease") {
			t.Errorf("ended %+v", end)
		}
		if sc.s.Count("POST /repos/*/pulls/*/reviews/*/events") != 0 {
			t.Error("the review was submitted")
		}
		synctest.Wait()
		sc.clean()
	})
}
