package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

// What is kept for how long, where the budget does not say less. (semantics 29.1)
const (
	// BudgetDefault is worktree_budget_gb in bytes.
	BudgetDefault int64 = 60 << 30
	// TreeAge is how long a pooled tree is kept that no run takes.
	TreeAge = 24 * time.Hour
	// MirrorAge is how long ago a mirror must have been used before the budget takes
	// it: it is dearer to make than a tree.
	MirrorAge = 24 * time.Hour
	// oddAge is how old a part of a tree must be that is not of a whole one: a run
	// that gives or takes one just now is much faster.
	oddAge = time.Hour
)

// Collection is what a clean-up did and left.
type Collection struct {
	Trees, Mirrors int   // removed
	Freed          int64 // bytes, by what was known of them
	Left           int64 // bytes of checkouts, trees and mirrors
}

// Collect removes the pooled trees that nobody took for a day; then, while all
// together take more than the budget, the trees that were given back longest ago,
// and after them the mirrors that were used longest ago, and not within a day. What
// a live run of any process reads is never touched: its checkout is in no pool, and
// its mirror holds its pin. What remains of mirrors is tidied up. (semantics 29.1)
func (w *Workspace) Collect(ctx context.Context, budget int64, dead func(events.BootID) bool) (Collection, error) {
	var done Collection
	c := collector{w: w, now: w.clock.Now(), budget: budget, dead: dead, done: &done}
	err := c.trees()
	if ctx.Err() == nil {
		err = errors.Join(err, c.mirrors(ctx))
	}
	if err != nil {
		return done, fmt.Errorf("collect trees and mirrors: %w", err)
	}
	return done, nil
}

type collector struct {
	w      *Workspace
	now    time.Time
	budget int64
	dead   func(events.BootID) bool
	done   *Collection
}

// trees looks through the pool. Trees go before any mirror does.
func (c *collector) trees() error {
	c.done.Left = sizeOf(c.w.root)
	kept, err := c.keptMirrors()
	for _, k := range kept {
		c.done.Left += k.Bytes
	}
	if c.w.pool == nil {
		return err
	}
	trees, odd, bad := c.w.pool.list()
	err = errors.Join(err, bad)
	sizes := make([]int64, len(trees))
	for i, t := range trees {
		sizes[i] = c.w.pool.size(t.name)
		c.done.Left += sizes[i]
	}
	for i, t := range trees {
		if c.now.Sub(t.at) <= TreeAge && c.done.Left <= c.budget {
			continue
		}
		if bad := c.w.pool.discard(t.name); bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		c.done.Trees++
		c.freed(sizes[i])
	}
	for _, name := range odd {
		err = errors.Join(err, c.odd(name))
	}
	return err
}

func (c *collector) freed(bytes int64) {
	c.done.Freed += bytes
	c.done.Left -= bytes
}

// odd removes what is left of a tree, where it is not just being given or taken.
func (c *collector) odd(name string) error {
	path := c.w.pool.path(name)
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && c.now.Sub(st.ModTime()) <= oddAge {
		return nil
	}
	if err == nil && st.IsDir() {
		err = removeBelow(c.w.pool.dir, name)
	} else if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *collector) keptMirrors() ([]mirror.Kept, error) {
	if c.w.mirrors == nil {
		return nil, nil
	}
	return c.w.mirrors.List()
}

func (c *collector) mirrors(ctx context.Context) error {
	if c.w.mirrors != nil {
		c.w.mirrors.Flush() // what finished runs read is read no more
	}
	kept, err := c.keptMirrors()
	for _, k := range kept {
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if c.done.Left > c.budget {
			gone, bad := c.w.mirrors.Remove(k.Name, c.now.Add(-MirrorAge), c.dead)
			err = errors.Join(err, bad)
			if gone {
				c.done.Mirrors++
				c.freed(k.Bytes)
				continue
			}
		}
		err = errors.Join(err, c.w.mirrors.Tidy(ctx, k))
	}
	return err
}

// sizeOf is what the files below a folder take. It follows no link, and passes over
// what goes meanwhile.
func sizeOf(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it went meanwhile, or cannot be looked into
		}
		if st, err := d.Info(); err == nil && st.Mode().IsRegular() {
			sum += st.Size()
		}
		return nil
	})
	return sum
}
