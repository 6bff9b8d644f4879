package pr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// saw is a finding that engines saw on code in a file.
func saw(file string, engines []events.EngineName, code ...events.CodePrint) events.Sighting {
	return events.Sighting{Code: code, File: events.FileKey(file), Engines: engines}
}

var (
	static = []events.EngineName{"static"}
	both   = []events.EngineName{"static", "vet"}
)

// as is a number with what was seen.
func as(f events.Fingerprint, number int, s events.Sighting, change func(*events.Number)) events.Number {
	n := events.Number{Fingerprint: f, Number: number, Seen: &s}
	if change != nil {
		change(&n)
	}
	return n
}

func fresh(n *events.Number) { n.New = true }

// numberedBy is the answer to a run.
func numberedBy(run events.RunID, fixed []events.Number, numbers ...events.Number) *events.FindingsNumbered {
	return &events.FindingsNumbered{Run: run, Numbers: append([]events.Number{}, numbers...), Fixed: fixed}
}

// adoptedFor is the adoption of a run's verdict about a head.
func adoptedFor(run events.RunID, head events.Commit) *events.VerdictAdopted {
	return &events.VerdictAdopted{Run: run, Head: head, Base: base0, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings, Target: events.TargetNone}
}

// next pushes a head that is judged by a run.
func next(given recorded, head events.Commit, run events.RunID) recorded {
	q := queued(local(head), events.TriggerPush, 0)
	return plus(given, q, requested(q, run, 0))
}

// reviewedOnce is a pull request whose first review found a and b in x.go, c in
// y.go: b with two engines.
func reviewedOnce() recorded {
	return plus(running(local(headA)),
		numberedBy(run1, nil, as("a", 1, saw("x", static, "a1"), fresh), as("b", 2, saw("x", both, "b1"), fresh), as("c", 3, saw("y", static, "c1"), fresh)),
		adoptedFor(run1, headA), settled(headA, run1, events.OutcomeFindings, "w"))
}

type finding struct {
	print events.Fingerprint
	seen  events.Sighting
}

func asks(run events.RunID, head events.Commit, looked []events.Look, found ...finding) pr.NumberFindings {
	c := pr.NumberFindings{Run: run, Head: head, Looked: looked}
	for _, f := range found {
		c.Fingerprints, c.Seen = append(c.Fingerprints, f.print), append(c.Seen, f.seen)
	}
	return c
}

func looked(engine events.EngineName, done bool, change func(*events.Look)) events.Look {
	l := events.Look{Engine: engine, Done: done}
	if change != nil {
		change(&l)
	}
	return l
}

func TestWhatIsFixed(t *testing.T) {
	t.Parallel()
	all := []events.Look{looked("static", true, nil), looked("vet", true, nil)}
	a, b, c := finding{"a", saw("x", static, "a1")}, finding{"b", saw("x", both, "b1")}, finding{"c", saw("y", static, "c1")}
	gone := func(f events.Fingerprint, n int) events.Number { return events.Number{Fingerprint: f, Number: n} }
	second := next(reviewedOnce(), headB, run2)
	two := func(looks []events.Look, fixed []events.Number) row {
		return row{given: second, when: asks(run2, headB, looks, a), then: recorded{numberedBy(run2, fixed, as("a", 1, a.seen, nil))}}
	}
	named := func(name string, r row) row { r.name = name; return r }
	later := plus(second, numberedBy(run2, []events.Number{gone("c", 3)}, as("a", 1, a.seen, nil), as("b", 2, b.seen, nil)))
	adopted := plus(later, adoptedFor(run2, headB), settled(headB, run2, events.OutcomeFindings, "w"))
	again := queued(local(headB), events.TriggerManual, 0)
	unadopted := next(plus(later, &events.HeadSuperseded{Head: headB, By: headC, Run: run2}), headC, run3)
	table(t, []row{
		named("what every engine looked for", two(all, []events.Number{gone("b", 2), gone("c", 3)})),
		named("not what nobody says he looked for", two(nil, nil)),
		named("not where the engine failed", two([]events.Look{looked("static", false, nil), looked("vet", true, nil)}, nil)),
		named("not what one of its engines failed to look for", two([]events.Look{looked("static", true, nil), looked("vet", false, nil)}, []events.Number{gone("c", 3)})),
		named("an engine that is no more does not keep it", two([]events.Look{looked("static", true, nil)}, []events.Number{gone("b", 2), gone("c", 3)})),
		named("not what another engine alone looked for", two([]events.Look{looked("other", true, nil)}, nil)),
		named("not in a file that was left out", two([]events.Look{looked("static", true, func(l *events.Look) { l.Skipped = []events.FileKey{"y"} }), looked("vet", true, nil)},
			[]events.Number{gone("b", 2)})),
		named("not what was seen and withheld", two([]events.Look{looked("static", true, func(l *events.Look) { l.Withheld = []events.Fingerprint{"b"} }), looked("vet", true, nil)},
			[]events.Number{gone("c", 3)})),
		{name: "everything", given: second, when: asks(run2, headB, all), then: recorded{numberedBy(run2, []events.Number{gone("a", 1), gone("b", 2), gone("c", 3)})}},
		{name: "once: another head says it no more", given: next(adopted, headC, run3), when: asks(run3, headC, all, a, b),
			then: recorded{numberedBy(run3, nil, as("a", 1, a.seen, nil), as("b", 2, b.seen, nil))}},
		{name: "a second review of the head says the same", given: plus(adopted, again, requested(again, run3, 0)), when: asks(run3, headB, all, a, b),
			then: recorded{numberedBy(run3, []events.Number{gone("c", 3)}, as("a", 1, a.seen, nil), as("b", 2, b.seen, nil))}},
		{name: "back under its number", given: next(adopted, headC, run3), when: asks(run3, headC, all, a, b, c),
			then: recorded{numberedBy(run3, nil, as("a", 1, a.seen, nil), as("b", 2, b.seen, nil), as("c", 3, c.seen, func(n *events.Number) { n.Again = true }))}},
		{name: "a verdict that was not adopted fixes nothing", given: unadopted, when: asks(run3, headC, all, a, b),
			then: recorded{numberedBy(run3, []events.Number{gone("c", 3)}, as("a", 1, a.seen, nil), as("b", 2, b.seen, nil))}},
	})
}

// TestPrior: a run is told whether there is anything that it may find fixed.
func TestPrior(t *testing.T) {
	t.Parallel()
	push := func(n int) *events.RunRequested {
		r := requested(queued(local(headB), events.TriggerPush, 0), run2, 0)
		r.Prior = n
		return r
	}
	q := queued(local(headB), events.TriggerPush, 0)
	clean := plus(running(local(headA)), settled(headA, run1, events.OutcomeClean, "w"))
	old := plus(running(local(headA)), numberedBy(run1, nil, events.Number{Fingerprint: "a", Number: 1, New: true}), adoptedFor(run1, headA),
		settled(headA, run1, events.OutcomeFindings, "w"))
	table(t, []row{
		{name: "three findings", given: reviewedOnce(), when: local(headB), then: recorded{q, push(3)}},
		{name: "none", given: clean, when: local(headB), then: recorded{q, push(0)}},
		{name: "of a version that saw no code", given: old, when: local(headB), then: recorded{q, push(0)}},
	})
}

// TestNumbersMove: the same remark on the same code keeps its number in a file of
// another name; case "semantics 13.3" for remarks without threads.
func TestNumbersMove(t *testing.T) {
	t.Parallel()
	second := next(reviewedOnce(), headB, run2)
	all := []events.Look{looked("static", true, nil), looked("vet", true, nil)}
	a, b := finding{"a", saw("x", static, "a1")}, finding{"b", saw("x", both, "b1")}
	here := []events.Number{as("a", 1, a.seen, nil), as("b", 2, b.seen, nil)}
	one := func(name string, looks []events.Look, found finding, n events.Number) row {
		var fixed []events.Number
		if n.New && len(looks[0].Withheld) == 0 {
			fixed = []events.Number{{Fingerprint: "c", Number: 3}}
		}
		return row{name: name, given: second, when: asks(run2, headB, looks, a, b, found), then: recorded{numberedBy(run2, fixed, append(here[:2:2], n)...)}}
	}
	moved := saw("z", static, "c1")
	withheld := []events.Look{looked("static", true, func(l *events.Look) { l.Withheld = []events.Fingerprint{"c"} })}
	was := func(n *events.Number) { n.Was = "c" }
	after := plus(second, numberedBy(run2, nil, append(here[:2:2], as("d", 3, moved, was))...), adoptedFor(run2, headB), settled(headB, run2, events.OutcomeFindings, "w"))
	table(t, []row{
		one("a renamed file", all, finding{"d", moved}, as("d", 3, moved, was)),
		one("other code", all, finding{"d", saw("z", static, "d1")}, as("d", 4, saw("z", static, "d1"), fresh)),
		one("code that is not known", all, finding{"d", saw("z", static)}, as("d", 4, saw("z", static), fresh)),
		one("the same file: another remark", all, finding{"d", saw("y", static, "c1")}, as("d", 4, saw("y", static, "c1"), fresh)),
		one("a copy: the other is still here", all, finding{"d", saw("z", static, "a1")}, as("d", 4, saw("z", static, "a1"), fresh)),
		one("a copy: the other is withheld", withheld, finding{"d", moved}, as("d", 4, moved, fresh)),
		{name: "back to the old name", given: next(after, headC, run3), when: asks(run3, headC, all, a, b, finding{"c", saw("y", static, "c1")}),
			then: recorded{numberedBy(run3, nil, append(here[:2:2], as("c", 3, saw("y", static, "c1"), func(n *events.Number) { n.Was = "d" }))...)}},
		{name: "two of one: the second is new", given: second, when: asks(run2, headB, nil, a, b, finding{"d", moved}, finding{"e", saw("w", static, "c1")}),
			then: recorded{numberedBy(run2, nil, append(here[:2:2], as("d", 3, moved, was), as("e", 4, saw("w", static, "c1"), fresh))...)}},
	})
}

// TestNumbersAreNeverUsedAgain plays many rounds with moves and gaps.
func TestNumbersAreNeverUsedAgain(t *testing.T) {
	t.Parallel()
	scene := actor(quiet()).Begin(t)
	owner := map[int]events.CodePrint{} // the code that a number was first given to
	for i := range 40 {
		head := events.Commit(fmt.Sprintf("%040x", i))
		run := events.RunID(fmt.Sprintf("%016x", i+1))
		if _, err := scene.When(given(0, daemon, run), local(head)); err != nil {
			t.Fatal(err)
		}
		var found []finding
		for j := range 6 {
			if (i*7+j*5)%3 > 0 {
				code := events.CodePrint(fmt.Sprintf("code%d", (i/5+j)%9))
				file := fmt.Sprintf("file%d", (i/3+j)%4)
				found = append(found, finding{events.FindingHash(file, "bug", string(code)), saw(file, static, code)})
			}
		}
		out, err := scene.When(given(0, daemon, run), asks(run, head, []events.Look{looked("static", true, nil)}, found...))
		if err != nil {
			t.Fatal(err)
		}
		taken := map[int]bool{}
		for _, n := range out[0].(*events.FindingsNumbered).Numbers {
			if taken[n.Number] {
				t.Fatalf("round %d: number %d is given twice", i, n.Number)
			}
			taken[n.Number] = true
			if was, known := owner[n.Number]; known && was != n.Seen.Code[0] {
				t.Fatalf("round %d: number %d of %s is given to %s", i, n.Number, was, n.Seen.Code[0])
			}
			owner[n.Number] = n.Seen.Code[0]
		}
		if i%3 > 0 {
			if _, err := scene.When(given(0, daemon, run), pr.AdoptVerdict{Run: run, Head: head, Target: events.TargetNone}); err != nil {
				t.Fatal(err)
			}
		}
	}
	scene.CheckReplay()
}

// TestRoundsAreBounded: a thousand dismissed findings with long reasons, and more
// that are fixed, are still an event of an ordinary size.
func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	scene := actor(quiet()).Begin(t)
	given0 := running(local(headA))
	var first []events.Number
	for i := range 4 * pr.FixedMax {
		first = append(first, as(events.Fingerprint(fmt.Sprintf("%012x", i)), i+1, saw("x", static, events.CodePrint(fmt.Sprintf("%016x", i))), fresh))
	}
	given0 = plus(given0, numberedBy(run1, nil, first...), adoptedFor(run1, headA), settled(headA, run1, events.OutcomeFindings, "w"))
	for i := range 1000 {
		given0 = append(given0, &events.FindingDismissed{
			Fingerprint: first[i].Fingerprint, Number: i + 1, Reason: strings.Repeat("w", events.DismissReasonMax), Code: first[i].Seen.Code,
		})
	}
	scene.Given(decidertest.Steps(t0, next(given0, headB, run2)...)...)
	var found []finding
	for _, n := range first[:1000] {
		found = append(found, finding{n.Fingerprint, *n.Seen})
	}
	out, err := scene.When(given(0, daemon, run2), asks(run2, headB, []events.Look{looked("static", true, nil)}, found...))
	if err != nil {
		t.Fatal(err)
	}
	answer := out[0].(*events.FindingsNumbered)
	text, err := events.Encode(answer)
	if err != nil || len(text) > events.EventMaxBytes || len(answer.Fixed) != pr.FixedMax {
		t.Errorf("%d bytes, %d fixed, %v", len(text), len(answer.Fixed), err)
	}
	if d := answer.Numbers[999].Dismissal; d == nil || !strings.HasPrefix(d.Reason, "see "+string(stream)+"@") {
		t.Errorf("the last is dismissed as %+v", d)
	}
}
