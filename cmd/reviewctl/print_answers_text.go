package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

func (a *CommandAnswer) text(p *Printer) string {
	switch {
	case a.Accepted == nil:
		return fmt.Sprintf("%s: recorded; it will be carried out when a daemon starts%s\n", a.Command, inBrackets(Plain(a.Reason)))
	case *a.Accepted:
		line := p.bold(a.Command + ": accepted")
		if a.Reason != "" {
			line += ": " + Plain(a.Reason)
		}
		for _, ref := range a.Events {
			line += "\n  " + ref.String()
		}
		return line + "\n"
	}
	return fmt.Sprintf("%s: refused: %s\n", a.Command, Plain(a.Reason))
}

func (a *StatusAnswer) text(p *Printer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", p.bold("mode "+a.Mode), p.dim(a.Time.UTC().Format(time.RFC3339)))
	states := make([]string, 0, len(a.Heads))
	for _, state := range slices.Sorted(maps.Keys(a.Heads)) {
		states = append(states, fmt.Sprintf("%s %d", state, a.Heads[state]))
	}
	if len(states) == 0 {
		states = []string{"none"}
	}
	fmt.Fprintf(&b, "heads: %s\n", strings.Join(states, ", "))
	for _, part := range []struct {
		name string
		rows []json.RawMessage
	}{{"runs", a.Runs}, {"pools", a.Pools}, {"accounts", a.Accounts}} {
		if len(part.rows) > 0 {
			fmt.Fprintf(&b, "\n%s\n%s", p.bold(part.name), rowsTable(part.rows))
		}
	}
	a.footer(&b, p)
	return b.String()
}

// footer says what holds for all: room, pauses, configuration, and whether all is
// well.
func (a *StatusAnswer) footer(b *strings.Builder, p *Printer) {
	limit := "no limit set"
	if a.Fleet.MaxRuns > 0 {
		limit = fmt.Sprintf("at most %d", a.Fleet.MaxRuns)
	}
	fmt.Fprintf(b, "\nfleet: %d running (%s), %d waiting\n", a.Fleet.Running, limit, a.Fleet.Waiting)
	for _, pause := range a.Fleet.Paused {
		fmt.Fprintf(b, "paused: %s since %s\n", cmp.Or(Plain(pause.Scope), "everything"), pause.Since.UTC().Format(time.RFC3339))
	}
	if a.Counters == nil {
		fmt.Fprintf(b, "daemon: none is running\n")
	} else {
		fmt.Fprintf(b, "daemon: running; %d reads, %d appends, %d wake-ups\n", a.Counters.StoreReads, a.Counters.Appends, a.Counters.Wakeups)
		a.Config.write(b, p)
	}
	if a.Watchdog.OK {
		fmt.Fprintf(b, "watchdog: ok, %s\n", Plain(a.Watchdog.Why))
		return
	}
	fmt.Fprintf(b, "%s\n", p.paint("1;31", "watchdog: "+Plain(a.Watchdog.Why)))
}

func (c *ConfigState) write(b *strings.Builder, p *Printer) {
	if c == nil {
		return
	}
	fmt.Fprintf(b, "configuration: %s since %s (%.12s)\n", cmp.Or(Plain(c.File), "the built-in defaults"), c.Since.UTC().Format(time.RFC3339), c.Digest)
	switch c.OnDisk {
	case OnDiskChanged:
		fmt.Fprintf(b, "  %s\n", p.bold(ChangedOnDisk))
	case OnDiskBroken:
		fmt.Fprintf(b, "  %s\n", p.bold("broken on disk; reviewctl config check"))
	}
	if len(c.Kept) > 0 {
		fmt.Fprintf(b, "  holds from the next start on: %s\n", Plain(strings.Join(c.Kept, ", ")))
	}
	if c.Rejected != "" {
		fmt.Fprintf(b, "  rejected: %s\n", Plain(c.Rejected))
	}
}

// ChangedOnDisk is what people are told of a file that the daemon has not read.
const ChangedOnDisk = "changed on disk since; send SIGHUP"

func (a *GetAnswer) text(*Printer) string {
	if len(a.Items) == 0 {
		return "none\n"
	}
	out := rowsTable(a.Items)
	if a.Next != nil {
		out += "there are more: --cursor " + *a.Next + "\n"
	}
	return out
}

func (a *QueueAnswer) text(*Printer) string {
	if len(a.Items) == 0 {
		return "nothing waits\n"
	}
	rows := make([][]string, len(a.Items))
	for i := range a.Items {
		q := &a.Items[i]
		eta := "unknown"
		if q.ETA != nil {
			eta = q.ETA.UTC().Format(time.RFC3339)
		}
		rows[i] = []string{strconv.Itoa(q.Place), q.Kind, q.ID, PRRef{q.Repo, q.Number}.String(), string(q.Pool), q.Why, eta}
	}
	return table([]string{"PLACE", "KIND", "ID", "PULL REQUEST", "POOL", "WHY", "ETA"}, rows)
}

func (a *ExplainAnswer) text(p *Printer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.bold(Plain(a.Subject)), Plain(a.State))
	a.Why.write(&b, p, "")
	if a.NextAt != nil {
		fmt.Fprintf(&b, "next: %s\n", a.NextAt.UTC().Format(time.RFC3339))
	}
	return b.String()
}

func (n *WhyNode) write(b *strings.Builder, p *Printer, in string) {
	fmt.Fprintf(b, "%s%s: %s → %s", in, p.bold(Plain(n.Rule)), Plain(n.Text), Plain(n.Outcome))
	if n.Event.Stream != "" {
		fmt.Fprintf(b, "  %s", p.dim(n.Event.String()))
	}
	b.WriteString("\n")
	for i := range n.Children {
		n.Children[i].write(b, p, in+"  ")
	}
}

func (a *AuditAnswer) text(p *Printer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d decisions checked, %d identical, %d mismatched; the chain is %s\n", a.Checked, a.Identical, len(a.Mismatched), a.Chain)
	for i := range a.Mismatched {
		m := &a.Mismatched[i]
		fmt.Fprintf(&b, "%s %s\n  recorded    %s\n  recomputed  %s\n", p.bold(m.Event.String()), m.Kind, jsonText(m.Recorded), jsonText(m.Recomputed))
	}
	return b.String()
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return Plain(fmt.Sprint(v))
	}
	return Plain(string(text))
}

func (a *VerifyAnswer) text(p *Printer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d events in %d streams\n", p.bold("the chain is "+a.Chain), a.Events, a.Streams)
	if a.At.Stream != "" {
		fmt.Fprintf(&b, "first wrong event: %s\n", a.At)
	}
	if a.SealedTo.Stream != "" {
		fmt.Fprintf(&b, "sealed to %s; %d events are newer\n", a.SealedTo, a.Unsealed)
	} else {
		fmt.Fprintf(&b, "no seal yet; %d events are not covered by one\n", a.Unsealed)
	}
	return b.String()
}

// hiddenColumns are for scripts: --json has them.
var hiddenColumns = []string{
	"stream", "event", "updated", "base", "owner", "requested", "deadline", "started", "ended", "queued_at", "rank",
	"estimate_tokens", "fingerprint", "body", "suggestion", "placement_reason", "line_end", "new",
}

// CellMax bounds a cell of a table, in characters.
const CellMax = 60

// rowsTable prints rows of a view for people: what is short and tells apart.
func rowsTable(rows []json.RawMessage) string {
	var header []string
	values := make([]map[string]string, len(rows))
	for i, row := range rows {
		keys, cells := members(row)
		values[i] = cells
		for _, key := range keys {
			if cells[key] != "" && !slices.Contains(header, key) && !slices.Contains(hiddenColumns, key) {
				header = append(header, key)
			}
		}
	}
	lines := make([][]string, len(rows))
	for i := range rows {
		for _, key := range header {
			lines[i] = append(lines[i], values[i][key])
		}
	}
	titles := make([]string, len(header))
	for i, key := range header {
		titles[i] = strings.ToUpper(key)
	}
	return table(titles, lines)
}

// members returns an object's keys in their order, and its values as text.
func members(object json.RawMessage) (keys []string, values map[string]string) {
	values = map[string]string{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil, values
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return keys, values
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return keys, values
		}
		name, _ := key.(string)
		keys = append(keys, name)
		values[name] = cellText(value)
	}
	return keys, values
}

// cellText is a value for people: no lists, of an object its state, commits and
// times short.
func cellText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		var object struct {
			State string `json:"state"`
		}
		if text = string(value); text == "null" || text[0] == '{' || text[0] == '[' {
			_ = json.Unmarshal(value, &object) // a list has no state
			return object.State
		}
		return text
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.UTC().Format(time.RFC3339)
	}
	if git.IsCommit(text) {
		return short(events.Commit(text))
	}
	if runes := []rune(text); len(runes) > CellMax {
		return string(runes[:CellMax-1]) + "…"
	}
	return text
}
