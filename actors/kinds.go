package actors

import (
	"fmt"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what actors remember, and how often shared ones take a snapshot.
const (
	CausesMaxOwn    = 32   // pr, run, repo: few streams speak to them
	CausesMaxShared = 4096 // pool, account, fleet: every run does
	SnapshotEvery   = 500
)

// kinds lists every kind of actor, by category.
var kinds = map[string]*shell.Kind{
	events.CategoryPR: kind(shell.Kind{Category: events.CategoryPR, CausesMax: CausesMaxOwn}, pr.Fold,
		func(r *Rules, s *pr.State, g events.Given, c events.Command) ([]events.Payload, error) {
			return r.PR.Decide(s, g, c)
		}, nil),
	events.CategoryRun: kind(shell.Kind{Category: events.CategoryRun, CausesMax: CausesMaxOwn}, run.Fold,
		func(r *Rules, s *run.State, g events.Given, c events.Command) ([]events.Payload, error) {
			return r.Run.Decide(s, g, c)
		}, nil),
	events.CategoryPool: kind(shared(events.CategoryPool, "pool/1"), pool.Fold,
		func(r *Rules, s *pool.State, g events.Given, c events.Command) ([]events.Payload, error) {
			return r.Pool.Decide(s, g, c)
		}, pool.Check),
	events.CategoryAccount: kind(shared(events.CategoryAccount, "account/1"), account.Fold,
		func(r *Rules, s *account.State, g events.Given, c events.Command) ([]events.Payload, error) {
			return r.Account.Decide(s, g, c)
		}, account.Check),
	events.CategoryRepo: kind(shell.Kind{Category: events.CategoryRepo, CausesMax: CausesMaxOwn}, repo.Fold,
		func(r *Rules, s *repo.State, g events.Given, c events.Command) ([]events.Payload, error) {
			return r.Repo.Decide(s, g, c)
		}, repo.Check),
	events.CategoryFleet: kind(shared(events.CategoryFleet, "fleet/2"), fleet.Fold,
		func(r *Rules, s *fleet.State, g events.Given, c events.Command) ([]events.Payload, error) {
			return r.Fleet.Decide(s, g, c)
		}, fleet.Check),
	events.CategoryInbox:  plain(events.CategoryInbox, foldInbox, decideInbox),
	events.CategoryPolicy: plain(events.CategoryPolicy, foldPolicy, decidePolicy),
	events.CategorySeal:   plain(events.CategorySeal, foldSeal, decideSeal),
}

// unchecked are the kinds without their checks.
var unchecked = func() map[string]*shell.Kind {
	m := make(map[string]*shell.Kind, len(kinds))
	for category, k := range kinds {
		without := *k
		without.Check = nil
		m[category] = &without
	}
	return m
}()

// KindOf returns the kind of a stream's actor. The checks of pools and accounts
// walk the whole line, so that production goes without.
func KindOf(stream events.StreamName) (*shell.Kind, error) { return kindIn(unchecked, stream) }

// CheckedKindOf returns the kind that checks its state after every decision: for
// simulations and tests.
func CheckedKindOf(stream events.StreamName) (*shell.Kind, error) { return kindIn(kinds, stream) }

func kindIn(kinds map[string]*shell.Kind, stream events.StreamName) (*shell.Kind, error) {
	k := kinds[stream.Category()]
	if k == nil || !stream.Valid() {
		return nil, fmt.Errorf("%q is not the name of a stream", stream)
	}
	return k, nil
}

// shared is what pools, accounts and the fleet have in common: long streams that
// many write to, so that a start needs a snapshot.
func shared(category, code string) shell.Kind {
	return shell.Kind{Category: category, CausesMax: CausesMaxShared, SnapshotEvery: SnapshotEvery, Code: code}
}

func kind[S any](
	k shell.Kind,
	fold func(*S, *events.Event, events.Payload),
	decide func(*Rules, *S, events.Given, events.Command) ([]events.Payload, error),
	check func(*S) error,
) *shell.Kind {
	k.New = func() any { return new(S) }
	k.Fold = func(state any, e *events.Event, p events.Payload) { fold(state.(*S), e, p) }
	k.Decide = func(rules, state any, g events.Given, c events.Command) ([]events.Payload, error) {
		return decide(rules.(*Rules), state.(*S), g, c)
	}
	if check != nil {
		k.Check = func(state any) error { return check(state.(*S)) }
	}
	return &k
}

func plain[S any](
	category string,
	fold func(*S, *events.Event, events.Payload),
	decide func(*S, events.Command) ([]events.Payload, error),
) *shell.Kind {
	return kind(shell.Kind{Category: category, Plain: true}, fold,
		func(_ *Rules, s *S, _ events.Given, c events.Command) ([]events.Payload, error) { return decide(s, c) }, nil)
}
