package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Window is a rolling span that is summed over.
type Window struct {
	Name string
	Span time.Duration
}

// The windows; the first and the last have limits. (hard-parts §5)
var (
	WindowSession = Window{"5h", 5 * time.Hour}
	WindowDay     = Window{"24h", 24 * time.Hour}
	WindowWeek    = Window{"7d", 7 * 24 * time.Hour}
)

// AllWindows lists them, the shortest first.
func AllWindows() []Window { return []Window{WindowSession, WindowDay, WindowWeek} }

// ErrWindow says that there is no such window.
var ErrWindow = fmt.Errorf("not a window: want %s, %s or %s", WindowSession.Name, WindowDay.Name, WindowWeek.Name)

// ParseWindow reads a window's name.
func ParseWindow(name string) (Window, error) {
	for _, w := range AllWindows() {
		if w.Name == name {
			return w, nil
		}
	}
	return Window{}, fmt.Errorf("%q: %w", name, ErrWindow)
}

// Item is one line of `ledger`: what one scope holds of one account in a window.
type Item struct {
	Account  events.AccountName `json:"account"`
	Scope    string             `json:"scope"` // "account", "repo:…", "author:…" or "pr:OWNER/REPO#N"
	Window   string             `json:"window"`
	Limit    *int64             `json:"limit"` // null = none
	Reserved int64              `json:"reserved"`
	Spent    int64              `json:"spent"`
	Left     *int64             `json:"left"`  // null = no limit
	Until    *time.Time         `json:"until"` // the oldest spend leaves the window
}

// Report is the answer of `ledger`.
type Report struct {
	Items []Item `json:"items"`
}

// Filter selects lines. Empty fields select everything.
type Filter struct {
	Account events.AccountName
	Repo    events.RepoName
	Window  string
}

// Get lists entries by date. An ID is an account, or account/run.
func Get(ctx context.Context, rows projections.Rows, f projections.Filter) (projections.Page[Entry], error) {
	return projections.List[Entry](ctx, rows, f.Query(Name, kindEntry))
}

// Ledger sums what is reserved and spent at a time, by account, repository,
// author and pull request. An open reservation counts in full in every window.
func Ledger(ctx context.Context, rows projections.Rows, f Filter, now time.Time) (Report, error) {
	windows := AllWindows()
	if f.Window != "" {
		w, err := ParseWindow(f.Window)
		if err != nil {
			return Report{}, err
		}
		windows = []Window{w}
	}
	accounts, err := projections.List[limits](ctx, rows, projections.Query{View: Name, Kind: kindAccount})
	if err != nil {
		return Report{}, err
	}
	q := projections.Query{View: Name, Kind: kindEntry, Repo: string(f.Repo), State: string(StateReserved)}
	if f.Account != "" {
		q.Prefix = string(f.Account) + "/"
	}
	open, err := projections.List[Entry](ctx, rows, q)
	if err != nil {
		return Report{}, err
	}
	q.State, q.Since = string(StateSettled), now.Add(-windows[len(windows)-1].Span)
	settled, err := projections.List[Entry](ctx, rows, q)
	if err != nil {
		return Report{}, err
	}
	s := sums{lines: map[line]*Item{}}
	for _, w := range windows {
		for _, a := range accounts.Items {
			if (f.Account == "" || f.Account == a.Account) && f.Repo == "" {
				s.of(line{w.Name, a.Account, scopeAccount})
			}
		}
		for i := range open.Items {
			s.add(w, &open.Items[i], now, f.Repo != "")
		}
		for i := range settled.Items {
			s.add(w, &settled.Items[i], now, f.Repo != "")
		}
	}
	s.limit(accounts.Items)
	return Report{Items: s.sorted()}, nil
}

const scopeAccount = "account"

type line struct {
	window  string
	account events.AccountName
	scope   string
}

type sums struct{ lines map[line]*Item }

func (s *sums) of(l line) *Item {
	if s.lines[l] == nil {
		s.lines[l] = &Item{Account: l.account, Scope: l.scope, Window: l.window}
	}
	return s.lines[l]
}

// add counts an entry in all its scopes. The sum of an account is not shown
// where only one repository was asked for.
func (s *sums) add(w Window, e *Entry, now time.Time, oneRepo bool) {
	leaves := e.Since.Add(w.Span)
	if e.State == StateSettled && !leaves.After(now) {
		return
	}
	scopes := []string{"repo:" + string(e.Repo), "author:" + e.Author, fmt.Sprintf("pr:%s#%d", e.Repo, e.Number)}
	if !oneRepo {
		scopes = append(scopes, scopeAccount)
	}
	for _, scope := range scopes {
		item := s.of(line{w.Name, e.Account, scope})
		item.Reserved += e.Reserved
		item.Spent += e.Spent
		if e.State == StateSettled && e.Spent > 0 && (item.Until == nil || leaves.Before(*item.Until)) {
			item.Until = &leaves
		}
	}
}

func (s *sums) limit(accounts []limits) {
	for _, a := range accounts {
		for window, limit := range map[string]int64{WindowSession.Name: a.Session, WindowWeek.Name: a.Weekly} {
			item := s.lines[line{window, a.Account, scopeAccount}]
			if item == nil || limit == 0 {
				continue
			}
			left := max(0, limit-item.Reserved-item.Spent)
			item.Limit, item.Left = &limit, &left
		}
	}
}

// sorted orders by account, the account's own line first, then scope and window.
func (s *sums) sorted() []Item {
	spans := map[string]time.Duration{}
	for _, w := range AllWindows() {
		spans[w.Name] = w.Span
	}
	items := []Item{}
	for _, item := range s.lines {
		items = append(items, *item)
	}
	slices.SortFunc(items, func(a, b Item) int {
		if c := strings.Compare(string(a.Account), string(b.Account)); c != 0 {
			return c
		}
		if a.Scope != b.Scope {
			switch {
			case a.Scope == scopeAccount:
				return -1
			case b.Scope == scopeAccount:
				return 1
			}
			return strings.Compare(a.Scope, b.Scope)
		}
		return int((spans[a.Window] - spans[b.Window]) / time.Second)
	})
	return items
}
