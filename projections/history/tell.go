package history

import (
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// tell puts an event in words, with what it is about. It says false for events
// that belong to no run's and no pull request's story, or that another one tells.
func tell(p events.Payload) (Entry, bool) {
	for _, teller := range []func(events.Payload) (Entry, bool){tellPR, tellRound, tellPublication, tellLabel, tellRun, tellLane, tellShared} {
		if entry, ok := teller(p); ok {
			return entry, true
		}
	}
	return Entry{}, false
}

func words(parts ...string) string {
	return strings.TrimSpace(strings.Join(parts, ""))
}

func short(c events.Commit) string {
	if len(c) > 12 {
		return string(c[:12])
	}
	return string(c)
}

func at(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

func number(n int) string { return strconv.Itoa(n) }

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

func tellPR(p events.Payload) (Entry, bool) {
	switch p := p.(type) {
	case *events.PROpened:
		return Entry{Text: words("seen for the first time", because(p.Title))}, true
	case *events.PRDescribed:
		return Entry{Text: words("called ", string(p.Repo), ", by ", p.Author, because(p.Title))}, true
	case *events.HeadSkipped:
		return Entry{Head: p.Head, Run: p.Run, Text: words(short(p.Head), " not judged of its own accord (", string(p.Cause), ")", because(p.Why))}, true
	case *events.HeadQueued:
		return Entry{Head: p.Head, Text: words(short(p.Head), " queued (", string(p.Trigger), "), not before ", at(p.NotBefore), because(p.Why))}, true
	case *events.RunRequested:
		return Entry{Head: p.Head, Run: p.Run, Text: words("run ", string(p.Run), " requested for ", short(p.Head))}, true
	case *events.HeadSuperseded:
		return Entry{Head: p.Head, Run: p.Run, Text: words(short(p.Head), " superseded by ", short(p.By))}, true
	case *events.HeadCancelled:
		return Entry{Head: p.Head, Run: p.Run, Text: words(short(p.Head), " cancelled", because(p.Reason))}, true
	case *events.HeadClosed:
		return Entry{Head: p.Head, Run: p.Run, Text: words("closed", because(p.Reason))}, true
	case *events.VerdictAdopted:
		return Entry{Head: p.Head, Run: p.Run, Text: words(string(p.Verdict), " adopted for ", short(p.Head), ", target ", string(p.Target))}, true
	case *events.VerdictDiscarded:
		return Entry{Head: p.Head, Run: p.Run, Text: words("verdict on ", short(p.Head), " discarded", because(p.Reason))}, true
	case *events.HeadSettled:
		return Entry{Head: p.Head, Run: p.Run, Text: words(short(p.Head), " settled as ", string(p.Outcome), because(p.Why))}, true
	}
	return Entry{}, false
}

// tellRound tells what a review has to do with those before it.
func tellRound(p events.Payload) (Entry, bool) {
	switch p := p.(type) {
	case *events.FindingsNumbered:
		text := words("findings numbered: ", number(len(p.Numbers)))
		if len(p.Fixed) > 0 {
			text += ", fixed: " + number(len(p.Fixed))
		}
		return Entry{Run: p.Run, Text: text}, true
	case *events.FindingDismissed:
		return Entry{Text: words("finding #", number(p.Number), " dismissed", because(p.Reason))}, true
	case *events.FindingReopened:
		return Entry{Text: words("finding #", number(p.Number), " reopened")}, true
	case *events.TriggerNoted:
		return Entry{Head: p.Head, Run: p.Run, Text: words("a review was asked for (", string(p.Trigger), ") while run ", string(p.Run), " is under way")}, true
	case *events.TriggersAnswered:
		return Entry{Run: p.Run, Text: words("run ", string(p.Run), " answers ", number(len(p.Answers)), " more triggers")}, true
	}
	return Entry{}, false
}

func tellPublication(p events.Payload) (Entry, bool) {
	switch p := p.(type) {
	case *events.PublicationResumed:
		return Entry{Run: p.Run, Head: p.Head, Text: words("publication: try ", number(p.Try), " until ", at(p.Until))}, true
	case *events.VerdictPublished:
		return Entry{Run: p.Run, Head: p.Head, Text: words("published as ", p.Receipt)}, true
	case *events.PublicationFailed:
		return Entry{Run: p.Run, Text: words("publication failed (", string(p.Kind), "), next at ", at(p.NextAt), because(p.Message))}, true
	case *events.PublicationUnknown:
		return Entry{Run: p.Run, Text: words("publication unknown, looked for at ", at(p.NextAt), because(p.Reason))}, true
	case *events.PublicationAbandoned:
		return Entry{Run: p.Run, Text: words("publication abandoned", because(p.Why))}, true
	case *events.PublicationStuck:
		return Entry{Run: p.Run, Text: words("publication stuck, tries: ", number(p.Tries), because(p.Why))}, true
	}
	return Entry{}, false
}

func tellLabel(p events.Payload) (Entry, bool) {
	name := func(v events.Verdict) string {
		if v == "" {
			return "no label"
		}
		return "the label of " + string(v)
	}
	switch p := p.(type) {
	case *events.LabelWanted:
		if p.Owner == "" {
			return Entry{Text: words(name(p.Verdict), " is wanted, once try ", number(p.Try), " has ended")}, true
		}
		return Entry{Text: words(name(p.Verdict), " is wanted: try ", number(p.Try), " until ", at(p.Until))}, true
	case *events.LabelSynced:
		if p.Skipped != "" {
			return Entry{Text: words(name(p.Verdict), " is not set", because(p.Skipped))}, true
		}
		return Entry{Text: words("it carries ", name(p.Verdict))}, true
	case *events.LabelFailed:
		return Entry{Text: words("label: try ", number(p.Try), " failed (", string(p.Kind), "), next at ", at(p.NextAt), because(p.Message))}, true
	}
	return Entry{}, false
}

func tellRun(p events.Payload) (Entry, bool) {
	switch p := p.(type) {
	case *events.RunStarted:
		return Entry{Head: p.Head, Text: "run started"}, true
	case *events.WorkspaceReady:
		return Entry{Text: words("code on disk: ", number(p.Count()), " files, ", number(p.Lines), " lines", because(p.BaseNote))}, true
	case *events.WorkspaceWaiting:
		return Entry{Text: words("code not on disk yet, again at ", at(p.Next), because(p.Reason))}, true
	case *events.WorkspaceFailed:
		return Entry{Text: words("code cannot be had (", string(p.Kind), ")", because(p.Message))}, true
	case *events.RunStopping:
		return Entry{Text: words("run stopping as ", string(p.Outcome), because(p.Why))}, true
	case *events.VerdictReached:
		return Entry{Head: p.Head, Text: words(string(p.Verdict), " reached", because(p.Why.Text))}, true
	case *events.RunEnded:
		return Entry{Head: p.Head, Text: words("run ended as ", string(p.Outcome), because(p.Why))}, true
	}
	return Entry{}, false
}

func tellLane(p events.Payload) (Entry, bool) {
	lane := func(id events.LaneID, parts ...string) (Entry, bool) {
		return Entry{Lane: id, Text: words("lane ", string(id), " ", words(parts...))}, true
	}
	switch p := p.(type) {
	case *events.LaneRequested:
		return lane(p.Lane, "wanted: attempt ", number(p.Attempt), ", engine ", string(p.Engine))
	case *events.LaneSkipped:
		return lane(p.Lane, "not asked for", because(p.Reason))
	case *events.LaneWithdrawn:
		return lane(p.Lane, "withdrawn", because(p.Reason))
	case *events.LaneDeclined:
		return lane(p.Lane, "declined", because(p.Reason))
	case *events.LaneBegan:
		return lane(p.Lane, "began in slot ", number(p.Slot), " of ", string(p.Pool))
	case *events.LaneStopRequested:
		return lane(p.Lane, "is to stop", because(p.Reason))
	case *events.LaneCompleted:
		return lane(p.Lane, "completed: ", number(p.Findings), " findings, ", number(p.Withheld), " withheld")
	case *events.LaneFailed:
		return lane(p.Lane, "failed (", string(p.Kind), ")", because(p.Message))
	case *events.LaneStopped:
		return lane(p.Lane, "stopped", because(p.Reason))
	case *events.LaneDeferred:
		return lane(p.Lane, "deferred until ", at(p.NextAt), because(p.Reason))
	}
	return Entry{}, false
}

// tellShared tells the waits that stand on shared streams.
func tellShared(p events.Payload) (Entry, bool) {
	switch p := p.(type) {
	case *events.RunHeld:
		return Entry{Run: p.Ticket.Run, Head: p.Ticket.Head, Text: words("held in the fleet's line", because(p.Reason))}, true
	case *events.RunRefused:
		return Entry{Run: p.Run, Head: p.Head, Text: words("refused by the fleet", because(p.Reason))}, true
	case *events.BudgetRefused:
		return Entry{Run: p.Run, Lane: p.Lane, Text: words("lane ", string(p.Lane), " has no budget until ", at(p.Until), because(p.Reason))}, true
	}
	return Entry{}, false
}
