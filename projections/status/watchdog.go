package status

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/deadlines"
)

// WatchdogGrace is how long a deadline may be overdue before the watchdog says
// that nobody minds it.
const WatchdogGrace = 5 * time.Minute

// allIsWell is what the watchdog says where it has nothing to say.
const allIsWell = "nothing is overdue"

// Watchdog says whether everything that waits is minded by somebody.
type Watchdog struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"` // everything that is wrong, or that nothing is
}

// Bark adds something that is wrong.
func (w *Watchdog) Bark(why string) {
	if !w.OK && w.Why != "" {
		why = w.Why + "; " + why
	}
	w.OK, w.Why = false, why
}

// watch looks for what nobody minds: deadlines that have passed, publications that
// are stuck, repositories and code that cannot be had, and a configuration that
// was not taken.
func watch(ctx context.Context, rows projections.Rows, now time.Time, r *Report) (Watchdog, error) {
	w := Watchdog{OK: true, Why: allIsWell}
	first, err := deadlines.First(ctx, rows)
	if err != nil {
		return Watchdog{}, err
	}
	if first != nil && now.Sub(first.At) > WatchdogGrace {
		w.Bark(fmt.Sprintf("%s of %s is due since %s and nobody minds it", first.Key, first.Stream, first.At.UTC().Format(time.RFC3339)))
	}
	if stuck := r.Heads[StateStuck]; stuck > 0 {
		w.Bark(fmt.Sprintf("publications that are stuck: %d", stuck))
	}
	repos, err := GetRepos(ctx, rows, Filter{})
	if err != nil {
		return Watchdog{}, err
	}
	for _, repo := range repos.Items {
		if repo.Enabled && repo.Trouble != nil {
			w.Bark(fmt.Sprintf("repository %s cannot be read since %s: %s", repo.Repo, repo.Trouble.Since.UTC().Format(time.RFC3339), repo.Trouble.Reason))
		}
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		if code := run.Workspace; code != nil && code.State == "waiting" {
			w.Bark(fmt.Sprintf("the code of %s#%d cannot be had, tried again at %s: %s", run.Repo, run.Number, code.Next.UTC().Format(time.RFC3339), code.Reason))
			break // one of them is enough: they have one cause more often than not
		}
	}
	if c := r.Fleet.Config; c != nil && c.Rejected != nil {
		w.Bark("the configuration was rejected: " + c.Rejected.Reason)
	}
	return w, nil
}

// WaitingForDaemon returns the head that has waited longest for a daemon: one
// that no single process minds. It returns nil where there is none.
func WaitingForDaemon(ctx context.Context, rows projections.Rows) (*Head, error) {
	for _, state := range []State{StateRunning, StateWaiting, StateQueued, StatePublishing} {
		q := projections.Query{View: Name, Kind: kindHead, State: string(state), Limit: 1}
		page, err := projections.ListWhere(ctx, rows, q, func(h *Head) bool { return h.Owner == events.OwnerAny })
		if err != nil {
			return nil, err
		}
		if len(page.Items) > 0 {
			return &page.Items[0], nil
		}
	}
	return nil, nil
}
