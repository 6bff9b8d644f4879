package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/ledger"
	"github.com/reviewctl/reviewctl/projections/rowstest"
)

var now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)

func on(stream events.StreamName, p events.Payload) rowstest.At {
	return rowstest.At{Stream: stream, Payload: p}
}

func story() []rowstest.At {
	var out []rowstest.At
	for n, author := range []string{1: "ann", 2: "bob"} {
		if n == 0 {
			continue
		}
		pr := rowstest.Stream(n)
		out = append(out,
			on(pr, events.PROpened{Repo: "acme/shop", Number: n, Author: author}),
			on(pr, events.RunRequested{Run: events.RunID(fmt.Sprint("r", n)), Repo: "acme/shop", Number: n}))
	}
	return append(out, on("account-main", events.AccountConfigured{SessionTokens: 1000}))
}

func reserve(run events.RunID, lane events.LaneID, tokens int64) rowstest.At {
	return on("account-main", events.BudgetReserved{Run: run, Lane: lane, Attempt: 1, Tokens: tokens})
}

func settle(run events.RunID, lane events.LaneID, used int64, ago time.Duration) rowstest.At {
	return on("account-main", events.BudgetSettled{Run: run, Lane: lane, Attempt: 1, Reserved: 1, Used: used, SpentAt: now.Add(-ago)})
}

func text(items []ledger.Item, window string) string {
	var lines []string
	for _, i := range items {
		if i.Window != window {
			continue
		}
		line := fmt.Sprintf("%s %s %d+%d", i.Account, i.Scope, i.Reserved, i.Spent)
		if i.Limit != nil {
			line += fmt.Sprintf(" of %d leaves %d", *i.Limit, *i.Left)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestLedger(t *testing.T) {
	t.Parallel()
	rows, _ := rowstest.Build(t, []projections.View{ledger.View()}, append(story(),
		reserve("r1", "a", 100), settle("r1", "a", 150, time.Hour),
		reserve("r1", "b", 70), settle("r1", "b", 60, 6*time.Hour),
		reserve("r2", "a", 40), settle("r2", "a", 30, 8*24*time.Hour),
		reserve("r2", "b", 500),
		on("run-r2", events.RunEnded{}),
		settle("r2", "z", 5, time.Minute), // of a reservation that this log does not hold
	)...)
	report, err := ledger.Ledger(t.Context(), rows, ledger.Filter{}, now)
	if err != nil {
		t.Fatal(err)
	}
	for window, want := range map[string]string{
		"5h": "main account 500+155 of 1000 leaves 345\nmain author: 0+5\nmain author:ann 0+150\nmain author:bob 500+0\n" +
			"main pr:#0 0+5\nmain pr:acme/shop#1 0+150\nmain pr:acme/shop#2 500+0\nmain repo: 0+5\nmain repo:acme/shop 500+150",
		"24h": "main account 500+215\nmain author: 0+5\nmain author:ann 0+210\nmain author:bob 500+0\n" +
			"main pr:#0 0+5\nmain pr:acme/shop#1 0+210\nmain pr:acme/shop#2 500+0\nmain repo: 0+5\nmain repo:acme/shop 500+210",
	} {
		if got := text(report.Items, window); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", window, got, want)
		}
	}
	i := slices.IndexFunc(report.Items, func(i ledger.Item) bool { return i.Scope == "author:ann" && i.Window == "5h" })
	if until := report.Items[i].Until; until == nil || !until.Equal(now.Add(4*time.Hour)) {
		t.Errorf("the oldest spend leaves at %v", until)
	}
}

func TestLedgerFilters(t *testing.T) {
	t.Parallel()
	rows, _ := rowstest.Build(t, []projections.View{ledger.View()}, append(story(), reserve("r1", "a", 100))...)
	for name, c := range map[string]struct {
		filter ledger.Filter
		want   int
	}{
		"all windows":     {ledger.Filter{}, 12},
		"one window":      {ledger.Filter{Window: "7d"}, 4},
		"one repository":  {ledger.Filter{Window: "7d", Repo: "acme/shop"}, 3},
		"another one":     {ledger.Filter{Repo: "acme/else"}, 0},
		"one account":     {ledger.Filter{Window: "5h", Account: "main"}, 4},
		"another account": {ledger.Filter{Account: "mai"}, 0},
	} {
		report, err := ledger.Ledger(t.Context(), rows, c.filter, now)
		if err != nil || len(report.Items) != c.want {
			t.Errorf("%s: %d items, want %d: %v", name, len(report.Items), c.want, err)
		}
	}
	if _, err := ledger.Ledger(t.Context(), rows, ledger.Filter{Window: "1y"}, now); !errors.Is(err, ledger.ErrWindow) {
		t.Errorf("got %v", err)
	}
	page, err := ledger.Get(t.Context(), rows, projections.Filter{State: "reserved"})
	if err != nil || len(page.Items) != 1 || page.Items[0].Author != "ann" || page.Items[0].Event.String() != "account-main@1" {
		t.Errorf("got %+v, %v", page, err)
	}
}
