package publish_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
	"github.com/reviewctl/reviewctl/events"
)

func (sc *scene) label(p *publish.Publisher, v events.Verdict) events.Command {
	answered := make(chan events.Command, 1)
	job := actors.LabelJob{PR: sc.stream(), Verdict: v, Try: 1, Until: time.Now().Add(lease)}
	p.Label(job, func(cmds ...events.Command) { answered <- one(sc.t, cmds) })
	end := <-answered
	if !time.Now().Before(job.Until) {
		sc.t.Errorf("answered after its lease: %+v", end)
	}
	return end
}

const (
	approved = "reviewctl:approved"
	changes  = "reviewctl:changes-requested"
	comments = "reviewctl:commented"
)

// TestLabel: the verdict's label is put on, the others of ours come off, and those
// of others stay. (semantics 17)
func TestLabel(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		has     []string
		verdict events.Verdict
		want    []string
		writes  int
	}{
		"put on":            {nil, events.VerdictApprove, []string{approved}, 1},
		"stays":             {[]string{changes}, events.VerdictRequestChanges, []string{changes}, 0},
		"changes":           {[]string{"bug", changes}, events.VerdictComment, []string{"bug", comments}, 2},
		"two wrong ones":    {[]string{changes, comments, "area/x"}, events.VerdictApprove, []string{"area/x", approved}, 3},
		"none":              {[]string{approved, "prio #1"}, "", []string{"prio #1"}, 1},
		"none where none":   {[]string{"100%"}, "", []string{"100%"}, 0},
		"two of which one":  {[]string{approved, changes}, events.VerdictApprove, []string{approved}, 1},
		"others' lookalike": {[]string{"reviewctl:approved-by-ann"}, "", []string{"reviewctl:approved-by-ann"}, 0},
	} {
		bubbleRow(t, name, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			sc.repo.Labels(approved, changes, comments)
			sc.pull.Label(row.has...)
			p := sc.publisher(nil)
			end := sc.label(p, row.verdict)
			if end != (pr.NoteLabelSynced{Try: 1, Verdict: row.verdict}) || !slices.Equal(sc.labels(), row.want) || writes(sc.s.Log()) != row.writes {
				t.Errorf("%+v: has %v, wanted %v; called %v", end, sc.labels(), row.want, sc.calls())
			}
			if reads := len(sc.calls()) - row.writes; reads != 2 {
				t.Errorf("took %d reads, not 2", reads)
			}
			sc.s.ClearLog()
			sc.label(p, row.verdict)
			if writes(sc.s.Log()) != 0 {
				t.Errorf("again wrote %v", sc.calls())
			}
			sc.s.Check(t)
		})
	}
}

func (sc *scene) labels() []string {
	names := slices.Clone(sc.pull.LabelNames())
	slices.Sort(names)
	return names
}

// TestLabelsAreNotMade: without all three the repository did not ask for labels,
// and nothing is written. (case G41)
func TestLabelsAreNotMade(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.repo.Labels(approved, comments)
		end, ok := sc.label(sc.publisher(nil), events.VerdictComment).(pr.NoteLabelSynced)
		if !ok || !strings.Contains(end.Skipped, changes) || writes(sc.s.Log()) != 0 || len(sc.calls()) != 1 {
			t.Errorf("%+v with %v", end, sc.calls())
		}
		sc.s.Check(t)
	})
}

// TestLabelSpelling: names are the same in any case and hold what URLs do not; the
// repository's spelling is kept. (case G41)
func TestLabelSpelling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.repo.Labels("Review/OK #1", "REVIEW: 100%", "Ümlaut")
		names := publish.LabelNames{Approved: "review/ok #1", ChangesRequested: "review: 100%", Commented: "ümlaut"}
		p := sc.publisher(nil, func(p *publish.Params) { p.Labels = names })
		for _, row := range []struct {
			verdict events.Verdict
			want    string
		}{
			{events.VerdictApprove, "Review/OK #1"}, {events.VerdictRequestChanges, "REVIEW: 100%"}, {events.VerdictComment, "Ümlaut"},
		} {
			if sc.label(p, row.verdict); !slices.Equal(sc.labels(), []string{row.want}) {
				t.Errorf("%s: has %v", row.verdict, sc.labels())
			}
		}
		sc.s.Check(t)
	})
}

// TestLabelClosed: nothing is put on a closed pull request, and ours comes off
// where it still can.
func TestLabelClosed(t *testing.T) {
	t.Parallel()
	for _, archived := range []bool{false, true} {
		bubbleRow(t, archived, func(t *testing.T) {
			sc := newScene(t, githubtest.Params{}, "ann")
			sc.repo.Labels(approved, changes, comments)
			sc.pull.Label(approved)
			sc.pull.Close()
			p := sc.publisher(nil)
			if end, ok := sc.label(p, events.VerdictComment).(pr.NoteLabelSynced); !ok || end.Skipped == "" || writes(sc.s.Log()) != 0 {
				t.Errorf("%+v", end)
			}
			sc.repo.Archive(archived)
			end, ok := sc.label(p, "").(pr.NoteLabelSynced)
			if !ok || (end.Skipped != "") != archived || (len(sc.labels()) == 0) == archived {
				t.Errorf("%+v, has %v", end, sc.labels())
			}
			sc.s.Check(t)
		})
	}
}

// TestLabelFaults: what failed is said with its kind and GitHub's own clock, and the
// next try makes it right.
func TestLabelFaults(t *testing.T) {
	t.Parallel()
	for _, route := range []string{
		"GET /repos/*/labels", "GET /repos/*/pulls/*", "POST /repos/*/issues/*/labels", "DELETE /repos/*/issues/*/labels/*",
	} {
		for _, f := range wrong {
			bubbleRow(t, route+", "+string(f.Kind)+f.Delay.String(), func(t *testing.T) {
				sc := newScene(t, githubtest.Params{}, "ann")
				sc.repo.Labels(approved, changes, comments)
				sc.pull.Label(changes)
				f.Route, f.Nth = route, 1
				sc.s.Fault(f)
				p := sc.publisher(nil)
				for try := 1; ; try++ {
					end := sc.label(p, events.VerdictApprove)
					failed, ok := end.(pr.NoteLabelFailed)
					if !ok {
						break
					}
					if failed.Message == "" || failed.Kind == "" || try > 5 {
						t.Fatalf("try %d: %+v", try, failed)
					}
					sc.token = sc.s.Token("reviewer[bot]")
					waitFor(max(time.Minute, time.Until(failed.NotBefore)))
				}
				if !slices.Equal(sc.labels(), []string{approved}) {
					t.Errorf("has %v", sc.labels())
				}
				sc.s.Check(t)
			})
		}
	}
}

// TestLabelRenamed: the label is put on at the repository's new name. (case G35)
func TestLabelRenamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.repo.Labels(approved, changes, comments)
		sc.repo.Rename("octo/city")
		end := sc.label(sc.publisher(nil), events.VerdictApprove)
		if _, ok := end.(pr.NoteLabelSynced); !ok || !slices.Equal(sc.labels(), []string{approved}) {
			t.Errorf("%+v: has %v after %v", end, sc.labels(), sc.calls())
		}
		sc.s.Check(t)
	})
}

// TestLabelLease: a write is not begun that could last longer than the lease.
func TestLabelLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sc := newScene(t, githubtest.Params{}, "ann")
		sc.repo.Labels(approved, changes, comments)
		answered := make(chan events.Command, 1)
		job := actors.LabelJob{PR: sc.stream(), Verdict: events.VerdictApprove, Try: 1, Until: time.Now().Add(publish.WriteMargin - time.Second)}
		sc.publisher(nil).Label(job, func(cmds ...events.Command) { answered <- one(t, cmds) })
		if end, ok := (<-answered).(pr.NoteLabelFailed); !ok || !strings.Contains(end.Message, "lease") || writes(sc.s.Log()) != 0 {
			t.Errorf("%+v", end)
		}
	})
}
