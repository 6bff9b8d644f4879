// Package ledger is the view of money: one entry for each reservation, which
// becomes what was spent when it settles. What is left of a rolling window is
// summed when it is asked for, since a window moves without events.
package ledger

import (
	"strconv"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Name is the view's.
const Name projections.ViewName = "ledger"

const version = 1

// The kinds of rows.
const (
	kindEntry   projections.Kind = "entry"   // key: account/run/lane/attempt
	kindAccount projections.Kind = "account" // key: account
	kindPR      projections.Kind = "pr"      // key: stream
	kindRun     projections.Kind = "run"     // key: run that has not ended
)

// State says whether an entry is a reservation or a spend.
type State string

// The states.
const (
	StateReserved State = "reserved"
	StateSettled  State = "settled"
)

// Entry is one reservation: an item of `get ledger`.
type Entry struct {
	Account    events.AccountName `json:"account"`
	Run        events.RunID       `json:"run"`
	Lane       events.LaneID      `json:"lane"`
	Attempt    int                `json:"attempt"`
	Repo       events.RepoName    `json:"repo"`
	Number     int                `json:"number"`
	Author     string             `json:"author"`
	State      State              `json:"state"`
	Reserved   int64              `json:"reserved"`
	Spent      int64              `json:"spent"`
	Confidence events.Confidence  `json:"confidence,omitempty"`
	Reason     string             `json:"reason,omitempty"`
	Since      time.Time          `json:"since"` // reserved, then dated: the spend's time
	Updated    time.Time          `json:"updated"`
	Event      events.Ref         `json:"event"`
	Events     []events.Ref       `json:"events"`
}

// limits are an account's.
type limits struct {
	Account events.AccountName `json:"account"`
	Session int64              `json:"session_tokens"`
	Weekly  int64              `json:"weekly_tokens"`
	Event   events.Ref         `json:"event"`
}

// payer is for whom a run spends.
type payer struct {
	Repo   events.RepoName `json:"repo"`
	Number int             `json:"number"`
	Author string          `json:"author"`
}

// View returns the view.
func View() projections.View {
	return projections.View{Name: Name, Version: version, Apply: apply}
}

func apply(tx *projections.Tx, e *events.Event, p events.Payload) error {
	switch p := p.(type) {
	case *events.PROpened:
		projections.Put(tx, kindPR, string(e.Stream), projections.Columns{},
			&payer{Repo: p.Repo, Number: p.Number, Author: p.Author})
	case *events.PRDescribed:
		pr, err := projections.ReadOrNew[payer](tx, kindPR, string(e.Stream))
		if err != nil {
			return err
		}
		pr.Repo, pr.Author = p.Repo, p.Author
		projections.Put(tx, kindPR, string(e.Stream), projections.Columns{}, pr)
	case *events.RunRequested:
		pr, err := projections.ReadOrNew[payer](tx, kindPR, string(e.Stream))
		if err != nil {
			return err
		}
		projections.Put(tx, kindRun, string(p.Run), projections.Columns{},
			&payer{Repo: p.Repo, Number: p.Number, Author: pr.Author})
	case *events.RunEnded:
		// Money that is still held settles later; its entry knows for whom already.
		projections.Delete(tx, kindRun, e.Stream.Subject())
	case *events.AccountConfigured:
		name := events.AccountName(e.Stream.Subject())
		projections.Put(tx, kindAccount, string(name), projections.Columns{Sort: string(name)},
			&limits{Account: name, Session: p.SessionTokens, Weekly: p.WeeklyTokens, Event: e.Ref()})
	case *events.BudgetReserved:
		return reserve(tx, e, p)
	case *events.BudgetSettled:
		return settle(tx, e, p)
	}
	return nil
}

func entryKey(account events.AccountName, run events.RunID, lane events.LaneID, attempt int) string {
	return string(account) + "/" + string(run) + "/" + string(lane) + "/" + strconv.Itoa(attempt)
}

func put(tx *projections.Tx, e *events.Event, entry *Entry) {
	entry.Updated, entry.Event, entry.Events = e.Time, e.Ref(), projections.Cite(entry.Events, e)
	key := entryKey(entry.Account, entry.Run, entry.Lane, entry.Attempt)
	projections.Put(tx, kindEntry, key, projections.Columns{
		Repo: string(entry.Repo), State: string(entry.State), At: entry.Since, Sort: events.FormatTime(entry.Since),
	}, entry)
}

func reserve(tx *projections.Tx, e *events.Event, p *events.BudgetReserved) error {
	account := events.AccountName(e.Stream.Subject())
	who, err := projections.ReadOrNew[payer](tx, kindRun, string(p.Run))
	if err != nil {
		return err
	}
	put(tx, e, &Entry{
		Account: account, Run: p.Run, Lane: p.Lane, Attempt: p.Attempt, Repo: who.Repo, Number: who.Number, Author: who.Author,
		State: StateReserved, Reserved: p.Tokens, Since: e.Time,
	})
	return nil
}

func settle(tx *projections.Tx, e *events.Event, p *events.BudgetSettled) error {
	account := events.AccountName(e.Stream.Subject())
	entry, err := projections.ReadOrNew[Entry](tx, kindEntry, entryKey(account, p.Run, p.Lane, p.Attempt))
	if err != nil {
		return err
	}
	entry.Account, entry.Run, entry.Lane, entry.Attempt = account, p.Run, p.Lane, p.Attempt
	entry.State, entry.Reserved, entry.Spent = StateSettled, 0, p.Used
	entry.Confidence, entry.Reason, entry.Since = p.Confidence, p.Reason, p.SpentAt
	put(tx, e, entry)
	return nil
}
