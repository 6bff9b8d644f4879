package events

// CorrelationOf says which run an event is about: on a shared stream the run
// that it concerns, never the one that caused it; before there is a run, the
// head or the inbox message; "" for what is about no matter at all.
func CorrelationOf(stream StreamName, p Payload) string {
	switch stream.Category() {
	case CategoryRun, CategoryInbox:
		return stream.Subject()
	}
	run := runOf(p)
	if run != "" {
		return string(run)
	}
	switch p := p.(type) {
	case *HeadQueued:
		return string(p.Head)
	case *HeadSkipped:
		return string(p.Head)
	case *HeadSuperseded:
		return string(p.Head)
	case *HeadCancelled:
		return string(p.Head)
	case *HeadClosed:
		return string(p.Head)
	case *HeadSettled:
		return string(p.Head)
	}
	return ""
}

func runOf(p Payload) RunID {
	switch p := p.(type) {
	case *RunRequested:
		return p.Run
	case *HeadSkipped:
		return p.Run
	case *HeadSuperseded:
		return p.Run
	case *HeadCancelled:
		return p.Run
	case *HeadClosed:
		return p.Run
	case *FindingsNumbered:
		return p.Run
	case *VerdictAdopted:
		return p.Run
	case *VerdictDiscarded:
		return p.Run
	case *PublicationResumed:
		return p.Run
	case *VerdictPublished:
		return p.Run
	case *PublicationFailed:
		return p.Run
	case *PublicationUnknown:
		return p.Run
	case *PublicationAbandoned:
		return p.Run
	case *PublicationStuck:
		return p.Run
	case *HeadSettled:
		return p.Run
	case *TriggerNoted:
		return p.Run
	case *TriggersAnswered:
		return p.Run
	}
	return sharedRunOf(p)
}

// sharedRunOf is of the events of streams that many runs share.
func sharedRunOf(p Payload) RunID {
	switch p := p.(type) {
	case *LaneQueued:
		return p.Run
	case *LaneGranted:
		return p.Run
	case *LaneReleased:
		return p.Run
	case *LaneExpired:
		return p.Run
	case *BudgetReserved:
		return p.Run
	case *BudgetRefused:
		return p.Run
	case *BudgetSettled:
		return p.Run
	case *BudgetReleased:
		return p.Run
	case *BreakerProbing:
		return p.Run
	case *RunHeld:
		return p.Ticket.Run
	case *RunRefused:
		return p.Run
	case *RunAdmitted:
		return p.Ticket.Run
	case *RunFreed:
		return p.Run
	}
	return ""
}
