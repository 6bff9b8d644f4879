package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reviewctl/reviewctl/adapters/workspace"
)

// worktree_budget_gb: its default and its bounds. (semantics 29.1)
const (
	WorktreeBudgetDefault = int(workspace.BudgetDefault >> 30)
	WorktreeBudgetMin     = 1
	WorktreeBudgetMax     = 1_000_000
)

// CollectEvery is how often the daemon looks at the room that code takes.
const CollectEvery = time.Hour

func (c *Config) validateSpace(l *located) error {
	return between(l, c.WorktreeBudgetGB, WorktreeBudgetMin, WorktreeBudgetMax, "worktree_budget_gb")
}

func (c *Config) worktreeBudget() int64 { return int64(c.WorktreeBudgetGB) << 30 }

// room keeps checkouts, trees and mirrors within the budget, at the start and, in
// a daemon, every hour.
type room struct {
	budget atomic.Int64
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

// keepRoom begins to. It is the business of whoever buries the dead.
func (s *Station) keepRoom(c StationConfig) {
	s.room.budget.Store(c.Config.worktreeBudget())
	ctx, cancel := context.WithCancel(context.Background())
	s.room.cancel = cancel
	s.room.tasks.Go(func() {
		again := time.NewTicker(CollectEvery)
		defer again.Stop()
		for {
			s.collect(ctx)
			if !c.Daemon {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
		}
	})
}

func (s *Station) collect(ctx context.Context) {
	done, err := s.Work.Collect(ctx, s.room.budget.Load(), s.Boots.Dead)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("room for code not looked after", slog.Any("error", err))
	}
	if done.Trees > 0 || done.Mirrors > 0 {
		s.log.Info("room for code made", slog.Int("trees", done.Trees), slog.Int("mirrors", done.Mirrors),
			slog.Int64("freed_bytes", done.Freed), slog.Int64("left_bytes", done.Left))
	}
}

// stop ends it. It may be called where it never began.
func (r *room) stop() {
	if r.cancel != nil {
		r.cancel()
	}
	r.tasks.Wait()
}
