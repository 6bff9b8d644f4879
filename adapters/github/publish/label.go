package publish

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// LabelNames are the labels of the verdicts. GitHub takes names as the same that
// differ in case alone.
type LabelNames struct {
	Approved, ChangesRequested, Commented string
}

// DefaultLabelNames are those of a configuration that names none.
func DefaultLabelNames() LabelNames {
	return LabelNames{
		Approved: "reviewctl:approved", ChangesRequested: "reviewctl:changes-requested",
		Commented: "reviewctl:commented",
	}
}

func (n LabelNames) orDefault() LabelNames {
	d := DefaultLabelNames()
	for _, name := range []struct {
		set *string
		or  string
	}{{&n.Approved, d.Approved}, {&n.ChangesRequested, d.ChangesRequested}, {&n.Commented, d.Commented}} {
		if *name.set == "" {
			*name.set = name.or
		}
	}
	return n
}

// of is the label of a verdict; "" = none of ours.
func (n LabelNames) of(v events.Verdict) string {
	switch v {
	case events.VerdictApprove:
		return n.Approved
	case events.VerdictRequestChanges:
		return n.ChangesRequested
	case events.VerdictComment:
		return n.Commented
	}
	return ""
}

func (n LabelNames) all() []string { return []string{n.Approved, n.ChangesRequested, n.Commented} }

// labelling is one try to make GitHub show a verdict's label.
type labelling struct {
	*Publisher
	place

	job actors.LabelJob
}

// run makes it so, at the repository's new name if it has one by now.
func (l *labelling) run(ctx context.Context) events.Command {
	end, err := l.sync(ctx)
	if err != nil {
		if f := faultOf(err); f.Moved != "" && f.Moved != l.name {
			l.name = f.Moved
			end, err = l.sync(ctx)
		}
	}
	if err != nil {
		f := faultOf(err)
		end = l.failed(kindOf(f), err.Error(), f.RetryAt)
	}
	l.Log.Info("labelling ended", "pr", l.job.PR, "verdict", l.job.Verdict, "end", end.Name())
	return end
}

func (l *labelling) failed(kind events.FailureKind, message string, notBefore time.Time) events.Command {
	return pr.NoteLabelFailed{
		Try: l.job.Try, Verdict: l.job.Verdict, Kind: kind, Message: message, NotBefore: notBefore,
	}
}

func (l *labelling) synced(skipped string) events.Command {
	return pr.NoteLabelSynced{Try: l.job.Try, Verdict: l.job.Verdict, Skipped: skipped}
}

// sync writes nothing unless the repository has all labels of ours: adding one that
// is not there would create it. (case G41)
func (l *labelling) sync(ctx context.Context) (events.Command, error) {
	spelled, missing, err := l.spelling(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the repository's labels: %w", err)
	}
	if len(missing) > 0 { // guard: a label is created in a repository that did not ask for it
		return l.synced("the repository does not have " + strings.Join(missing, ", ")), nil
	}
	pull, err := l.pull(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the pull request: %w", err)
	}
	wanted := l.names.of(l.job.Verdict)
	if wanted != "" && pull.Closed {
		return l.synced("the pull request is closed"), nil
	}
	return l.match(ctx, pull, wanted, spelled)
}

// spelling is how the repository spells our labels, and which it does not have.
func (l *labelling) spelling(ctx context.Context) (spelled map[string]string, missing []string, err error) {
	ctx, cancel := l.call(ctx, l.job.Until)
	defer cancel()
	have, err := l.Hub.Labels(ctx, l.name)
	if err != nil {
		return nil, nil, err
	}
	spelled = map[string]string{}
	for _, ours := range l.names.all() {
		for _, theirs := range have {
			if strings.EqualFold(ours, theirs) {
				spelled[ours] = theirs
			}
		}
		if spelled[ours] == "" {
			missing = append(missing, ours)
		}
	}
	return spelled, missing, nil
}

func (l *labelling) pull(ctx context.Context) (*api.Pull, error) {
	ctx, cancel := l.call(ctx, l.job.Until)
	defer cancel()
	return l.Hub.Pull(ctx, l.name, l.number)
}

// match takes off what is wrong of ours, then puts on what is missing. Labels of
// others are left alone.
func (l *labelling) match(ctx context.Context, pull *api.Pull, wanted string, spelled map[string]string) (events.Command, error) {
	has := false
	for _, label := range pull.Labels {
		switch {
		case wanted != "" && strings.EqualFold(label, wanted):
			has = true
		case l.ours(label):
			if err := l.write(ctx, label, l.Hub.RemoveLabel); err != nil {
				if pull.Closed && faultOf(err).Kind == api.KindPermission {
					return l.synced("the pull request is closed and cannot be written any more"), nil
				}
				return nil, fmt.Errorf("take off label %q: %w", label, err)
			}
		}
	}
	if wanted == "" || has {
		return l.synced(""), nil
	}
	if err := l.write(ctx, spelled[wanted], l.Hub.AddLabel); err != nil {
		return nil, fmt.Errorf("put on label %q: %w", spelled[wanted], err)
	}
	return l.synced(""), nil
}

func (l *labelling) ours(label string) bool {
	for _, ours := range l.names.all() {
		if strings.EqualFold(label, ours) {
			return true
		}
	}
	return false
}

// write changes one label if enough of the lease is left. It waits for its turn for
// as long as that is so: another try would read everything again.
func (l *labelling) write(ctx context.Context, label string, change func(context.Context, events.RepoName, int, string) error) error {
	if l.job.Until.Sub(l.Clock.Now()) < WriteMargin {
		return fmt.Errorf("too little of its lease was left for another write")
	}
	ctx, cancel := until(ctx, l.Clock, l.job.Until.Add(-WriteMargin))
	defer cancel()
	return change(ctx, l.name, l.number, label)
}
