package githubtest

import "slices"

// lag is how far a replica has come with one pull request.
type lag struct {
	at    int // the state that it shows
	reads int // of that state, since there was a newer one
}

// show makes a read see what a replica sees: each state is shown for Lag reads after
// there was a newer one, and then the newest.
func (in *Injected) show(c *call) {
	pulls := []*PullRequest{c.entry.pull}
	if c.entry.pull == nil && c.repo != nil {
		pulls = slices.Clone(c.repo.pulls)
	}
	c.shown = map[*PullRequest]*state{}
	for _, p := range pulls {
		if p == nil {
			continue
		}
		l := in.lags[p]
		if l == nil { // it was opened after the fault was set: nobody has seen it
			l = &lag{}
			in.lags[p] = l
		}
		now := len(p.past)
		if l.at < now {
			if l.reads++; l.reads > in.Lag {
				l.at, l.reads = now, 0
			}
		}
		if l.at < now {
			c.shown[p] = p.past[l.at]
		}
	}
}
