package publish_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

// shown is a.go with these new lines in its diff, each a hunk of its own.
func shown(lines ...int) githubtest.File {
	var b strings.Builder
	for _, n := range lines {
		fmt.Fprintf(&b, "@@ -%d,0 +%d,1 @@\n+line %d\n", n-1, n, n)
	}
	return githubtest.File{Path: "a.go", Status: "modified", Patch: strings.TrimSuffix(b.String(), "\n")}
}

// refusing is a scene with n findings whose comments stand by the list of files,
// while GitHub has come to refuse those of bad when the review is created.
func refusing(t *testing.T, n int, bad ...int) *scene {
	t.Helper()
	sc := newScene(t, githubtest.Params{}, "ann")
	sc.review.Findings = nil
	var all, good []int
	for i := 1; i <= n; i++ {
		sc.review.Findings = append(sc.review.Findings, finding(i, 2*i))
		all = append(all, 2*i)
		if !slices.Contains(bad, i) {
			good = append(good, 2*i)
		}
	}
	sc.pull.SetFiles(shown(all...))
	done := false
	sc.s.OnRequest(func(r githubtest.Request) {
		if r.Route == postReview && !done {
			done = true
			sc.pull.SetFiles(shown(append(good, 1000)...))
		}
	})
	return sc
}

// complete checks that each finding is shown once: at its line, or in the body.
func (sc *scene) complete() (inline int) {
	sc.t.Helper()
	stood := sc.marked()[0]
	for _, f := range sc.review.Findings {
		at := slices.ContainsFunc(stood.Comments, func(c *githubtest.Comment) bool { return strings.Contains(c.Body, f.Title+"**") })
		below := strings.Contains(stood.Body, f.Title+"**")
		if at == below {
			sc.t.Errorf("%s: inline %v, in the body %v", f.Title, at, below)
		}
		if at {
			inline++
		}
	}
	return inline
}

// TestOneBadComment: GitHub takes a review as a whole or not at all. The comment
// that it refuses is found in about twice the logarithm of writes, and goes into
// the body with GitHub's reason; all others stand at their lines.
func TestOneBadComment(t *testing.T) {
	t.Parallel()
	const n = 32
	for bad := 1; bad <= n; bad++ {
		bubbleRow(t, bad, func(t *testing.T) {
			sc := refusing(t, n, bad)
			if end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublished); !ok {
				t.Fatalf("ended %+v", end)
			}
			sc.stands()
			if inline := sc.complete(); inline != n-1 {
				t.Errorf("%d comments are inline", inline)
			}
			if !strings.Contains(sc.marked()[0].Body, "GitHub refused the comment") {
				t.Errorf("the body does not say why: %s", sc.marked()[0].Body)
			}
			// the whole, the search, the rest, the submit
			if most := 1 + 2*bits.Len(n) + 2 + 1 + 1; writes(sc.s.Log()) > most {
				t.Errorf("took %d writes, not %d at most", writes(sc.s.Log()), most)
			}
		})
	}
}

// TestManyBadComments: the review stands however many are refused, within the
// bound, and no finding is lost.
func TestManyBadComments(t *testing.T) {
	t.Parallel()
	odd := func(n int) (list []int) {
		for i := 1; i <= n; i += 2 {
			list = append(list, i)
		}
		return list
	}
	for name, row := range map[string]struct {
		n   int
		bad []int
	}{
		"the only one": {1, []int{1}}, "both": {2, []int{1, 2}}, "two of ten": {10, []int{2, 9}}, "two neighbours": {10, []int{5, 6}},
		"first and last": {32, []int{1, 32}}, "every other": {32, odd(32)}, "all": {8, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		"more than are inline": {120, odd(120)}, // case D40
	} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := refusing(t, row.n, row.bad...)
			if end, ok := sc.try(sc.publisher(nil), 1).(pr.NotePublished); !ok {
				t.Fatalf("ended %+v", end)
			}
			sc.stands()
			inline := sc.complete()
			t.Logf("%d of %d bad: %d inline, %d writes", len(row.bad), row.n, inline, writes(sc.s.Log()))
			if most := 4*bits.Len(uint(row.n)) + 6; writes(sc.s.Log()) > most {
				t.Errorf("took %d writes, not %d at most", writes(sc.s.Log()), most)
			}
		})
	}
}

// TestSiftWithoutTime: when too little of the lease is left for the search, all
// comments go into the body.
func TestSiftWithoutTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := refusing(t, 20, 7)
		job := sc.job(1)
		job.Until = time.Now().Add(publish.SiftMargin - 10*time.Second)
		answered := make(chan events.Command, 1)
		sc.publisher(nil).Publish(job, func(cmds ...events.Command) { answered <- cmds[0] })
		if end, ok := (<-answered).(pr.NotePublished); !ok {
			t.Fatalf("ended %+v", end)
		}
		sc.stands()
		if inline := sc.complete(); inline != 0 || writes(sc.s.Log()) != 3 {
			t.Errorf("%d inline, %d writes", inline, writes(sc.s.Log()))
		}
	})
}

// TestMovedWhileSifting: a probe meets what the creation itself meets.
func TestMovedWhileSifting(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(sc *scene)
		ends   func(end events.Command) bool
	}{
		"forced":   {func(sc *scene) { sc.pull.ForcePush(githubtest.Files{"z": "z\n"}) }, func(e events.Command) bool { _, ok := e.(pr.NotePublishAbandoned); return ok }},
		"locked":   {func(sc *scene) { sc.pull.Lock(true) }, func(e events.Command) bool { _, ok := e.(pr.NotePublishFailed); return ok }},
		"archived": {func(sc *scene) { sc.repo.Archive(true) }, func(e events.Command) bool { _, ok := e.(pr.NotePublishFailed); return ok }},
	} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := refusing(t, 20, 19)
			n := 0
			sc.s.OnRequest(func(r githubtest.Request) {
				if r.Route == postReview {
					if n++; n == 2 {
						row.change(sc)
					}
				}
			})
			if end := sc.try(sc.publisher(nil), 1); !row.ends(end) {
				t.Errorf("ended %+v", end)
			}
			sc.clean()
		})
	}
}

// TestUnknownRefusal: a 422 of which nothing is known is no reason to lose the
// review: without comments it may be taken.
func TestUnknownRefusal(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{false, true} {
		bubbleRow(t, always, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			wire := &refuser{next: sc.s.RoundTripper(), text: "Comments are off the menu", when: func(body string) bool {
				return always || strings.Contains(body, `"path"`)
			}}
			end := sc.try(sc.publisher(wire), 1)
			if failed, ok := end.(pr.NotePublishFailed); always && (!ok || failed.Kind != events.FailureFatal || !strings.Contains(failed.Message, "off the menu")) {
				t.Errorf("ended %+v", end)
			}
			if !always {
				sc.stands()
				if sc.complete() != 0 {
					t.Error("some are inline")
				}
			}
			sc.clean()
		})
	}
}

// TestTooLong: GitHub's limit is not quite known. A body that it refuses is written
// shorter, once.
func TestTooLong(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{false, true} {
		bubbleRow(t, always, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			sc.review.Findings = nil
			for i := range 200 {
				f := finding(i+1, 10_000)
				f.Body = strings.Repeat("Words and words. ", 60)
				sc.review.Findings = append(sc.review.Findings, f)
			}
			wire := &refuser{next: sc.s.RoundTripper(), text: "Body is too long (maximum is 40000 characters)", when: func(body string) bool {
				return always || len(body) > 40_000
			}}
			end := sc.try(sc.publisher(wire), 1)
			if failed, ok := end.(pr.NotePublishFailed); always && (!ok || failed.Kind != events.FailureFatal) {
				t.Errorf("ended %+v", end)
			}
			if !always {
				sc.stands()
			}
			if wire.refused > 2 {
				t.Errorf("was refused %d times", wire.refused)
			}
		})
	}
}

// TestManyFiles: GitHub lists 3,000 files and no more. A finding in another one
// stands in the body, which says so. (case G06)
func TestManyFiles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{Diff: githubtest.DiffLimits{Files: 100}}, "ann")
		var files []githubtest.File
		for i := range 150 {
			f := shown(3)
			f.Path = fmt.Sprintf("f%03d.go", i)
			files = append(files, f)
		}
		sc.pull.SetFiles(files...)
		for i, at := range []int{5, 120} {
			sc.review.Findings[i].File, sc.review.Findings[i].LineStart, sc.review.Findings[i].LineEnd = files[at].Path, 3, 3
		}
		sc.try(sc.publisher(nil), 1)
		sc.stands()
		if inline := sc.complete(); inline != 1 || !strings.Contains(sc.marked()[0].Body, "GitHub lists no more than") {
			t.Errorf("%d inline: %s", inline, sc.marked()[0].Body)
		}
	})
}

// TestDiffTooLarge: where GitHub shows no diff, all findings stand in the body.
func TestDiffTooLarge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/files", Kind: githubtest.TooLarge})
		sc.try(sc.publisher(nil), 1)
		sc.stands()
		if inline := sc.complete(); inline != 0 {
			t.Errorf("%d inline", inline)
		}
	})
}
