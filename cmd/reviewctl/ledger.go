package main

import (
	"context"
	"strconv"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/ledger"
)

// LedgerAnswer is what `ledger` prints. (CLI.md, "Shapes")
type LedgerAnswer struct {
	Items []LedgerItem `json:"items"`
}

// LedgerItem is what one scope holds of one account in a window.
type LedgerItem struct {
	Account  events.AccountName `json:"account"`
	Scope    string             `json:"scope"` // "account", "repo:…", "author:…" or "pr:OWNER/REPO#N"
	Window   string             `json:"window"`
	Limit    *int64             `json:"limit"` // nil = none
	Reserved int64              `json:"reserved"`
	Spent    int64              `json:"spent"`
	Left     *int64             `json:"left"`  // nil = no limit
	Until    *time.Time         `json:"until"` // when the oldest spend leaves the window; nil = nothing is spent
}

// Run prints what is reserved, spent and left.
func (c *LedgerCmd) Run(app *App) error {
	return c.look(app, func(ctx context.Context, _ *Files, rows projections.Rows, now time.Time) error {
		filter := ledger.Filter{Account: events.AccountName(c.Account), Repo: events.RepoName(c.Repo), Window: c.Window}
		report, err := ledger.Ledger(ctx, rows, filter, now)
		if err != nil {
			return err
		}
		answer := LedgerAnswer{Items: []LedgerItem{}}
		if err := recast(report, &answer); err != nil {
			return err
		}
		orEmpty(&answer.Items)
		return app.Print.Answer(&answer)
	})
}

func (a *LedgerAnswer) text(*Printer) string {
	if len(a.Items) == 0 {
		return "nothing is reserved or spent\n"
	}
	rows := make([][]string, len(a.Items))
	for i := range a.Items {
		item := &a.Items[i]
		until := ""
		if item.Until != nil {
			until = item.Until.UTC().Format(time.RFC3339)
		}
		rows[i] = []string{
			string(item.Account), item.Scope, item.Window, orNone(item.Limit), strconv.FormatInt(item.Reserved, 10),
			strconv.FormatInt(item.Spent, 10), orNone(item.Left), until,
		}
	}
	return table([]string{"ACCOUNT", "SCOPE", "WINDOW", "LIMIT", "RESERVED", "SPENT", "LEFT", "UNTIL"}, rows)
}

// orNone writes a number, or "-" where there is none.
func orNone(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}
