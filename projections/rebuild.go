package projections

import (
	"context"
	"fmt"
	"slices"
)

// building is where a view is built beside its live rows.
func building(name ViewName) ViewName { return name + ".building" }

// Rebuild builds the named views, or all, from the whole log beside the live
// rows, and then puts them in their place. A stopped view gets another chance.
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
	if err := r.rebuild(ctx, chosen); err != nil {
		return Report{}, err
	}
	return r.report(), nil
}

// rebuild reads the log once for all of them.
func (r *Runner) rebuild(ctx context.Context, fs []*follower) error {
	fresh := make([]*follower, len(fs))
	for i, f := range fs {
		name := building(f.view.Name)
		if err := r.rows.Reset(ctx, name); err != nil {
			return fmt.Errorf("rebuild %s: %w", f.view.Name, err)
		}
		fresh[i] = newFollower(r.rows, f.view, name)
		fresh[i].opened = true
		fresh[i].tx.fromNothing()
	}
	if err := r.toTheEnd(ctx, fresh, nil); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	for i, f := range fs {
		if err := r.rows.Replace(ctx, fresh[i].tx.view, f.view.Name); err != nil {
			return fmt.Errorf("rebuild %s: %w", f.view.Name, err)
		}
		fresh[i].tx.view = f.view.Name
		*f = *fresh[i]
	}
	return nil
}
