package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// building is where a view is built beside its live rows.
func building(name ViewName) ViewName { return name + ".building" }

// Rebuild builds the named views, or all, from the whole log beside the live
// rows, and then puts them in their place. A stopped view gets another chance.
// What stops on the way takes no place: where the live rows are farther, they stay
// and go on, and the report says why they are not replaced.
func (r *Runner) Rebuild(ctx context.Context, names ...ViewName) (Report, error) {
	if err := r.takeTurn(ctx); err != nil {
		return Report{}, err
	}
	defer r.endTurn()
	var chosen []*follower
	for _, f := range r.views {
		if len(names) == 0 || slices.Contains(names, f.view.Name) {
			chosen = append(chosen, f)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(chosen, func(f *follower) bool { return f.view.Name == name }) {
			return Report{}, fmt.Errorf("rebuild %q: %w", name, ErrNoView)
		}
	}
	good := map[ViewName]bool{}
	for _, f := range chosen {
		fits, err := r.goesOn(ctx, f)
		if err != nil && !errors.Is(err, ErrLost) {
			return Report{}, err
		}
		good[f.view.Name] = fits
	}
	kept, err := r.rebuild(ctx, chosen, good)
	if err != nil {
		return Report{}, err
	}
	report := r.report()
	for i := range report.Views {
		if why := kept[report.Views[i].View]; why != nil {
			report.Views[i].Stopped = why
		}
	}
	return report, nil
}

// goesOn reports whether a view's live rows can be gone on from.
func (r *Runner) goesOn(ctx context.Context, f *follower) (bool, error) {
	if f.stopped != nil {
		return false, nil //nolint:nilerr // a view that is stopped is no error
	}
	fits, err := r.load(ctx, f)
	return fits && f.stopped == nil, err
}

// rebuild reads the log once for all of them. Of those whose live rows are good it
// returns the ones that kept them, with what stopped their rebuilding.
func (r *Runner) rebuild(ctx context.Context, fs []*follower, good map[ViewName]bool) (kept map[ViewName]*StoppedError, err error) {
	fresh := make([]*follower, len(fs))
	for i, f := range fs {
		name := building(f.view.Name)
		if err := r.rows.Reset(ctx, name); err != nil {
			return nil, fmt.Errorf("rebuild %s: %w", f.view.Name, err)
		}
		fresh[i] = newFollower(r.rows, f.view, name)
		fresh[i].opened = true
		fresh[i].tx.fromNothing()
	}
	if err := r.toTheEnd(ctx, fresh, nil); err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	kept = map[ViewName]*StoppedError{}
	for i, f := range fs {
		name := f.view.Name
		if s := fresh[i].stopped; s != nil && good[name] && f.at.Position > fresh[i].at.Position {
			kept[name] = s
			err = r.rows.Reset(ctx, building(name))
		} else if err = r.rows.Replace(ctx, fresh[i].tx.view, name); err == nil {
			fresh[i].tx.view = name
			*f = *fresh[i]
		}
		if err != nil {
			return nil, fmt.Errorf("rebuild %s: %w", name, err)
		}
	}
	return kept, nil
}
