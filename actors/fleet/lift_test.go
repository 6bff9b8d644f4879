package fleet_test

import (
	"testing"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/events"
)

func TestLift(t *testing.T) {
	t.Parallel()
	const why = "a review of it was asked for with priority"
	lifted := ticket(3)
	lifted.Priority = events.PriorityHigh
	line := recorded{limit(1), admitted(ticket(1)), held(ticket(2), full), held(ticket(3), full)}
	lift := fleet.Lift{Run: ticket(3).Run, Priority: events.PriorityHigh}
	parked := recorded{paused("o/r"), held(ticket(3), "paused: o/r")}
	run(t, []row{
		{name: "what waits", given: line, when: lift, then: recorded{held(lifted, why)}},
		{name: "what is lifted is served first", given: append(line[:4:4], held(lifted, why)), when: fleet.Free{Run: ticket(1).Run, Reason: "clean"},
			then: recorded{freed(ticket(1), "clean"), admitted(lifted)}},
		{name: "to where it is", given: line, when: fleet.Lift{Run: ticket(3).Run, Priority: events.PriorityNormal}},
		{name: "what is paused stays so", given: parked, when: lift, then: recorded{held(lifted, "paused: o/r")}},
		{name: "what was lifted under a pause comes first after it", given: append(parked[:2:2], held(lifted, "paused: o/r")),
			when: fleet.Resume{Scope: "o/r"}, then: recorded{resumed("o/r"), admitted(lifted)}},
		{name: "what runs", given: recorded{admitted(ticket(3))}, when: lift},
		{name: "what has ended", given: recorded{admitted(ticket(3)), freed(ticket(3), "clean")}, when: lift},
		{name: "what nobody knows", when: lift},
	})
}
