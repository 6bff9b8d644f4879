package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// mutatedMax is how many right exchanges of an operation and status are spoiled.
const mutatedMax = 2

// tally counts the exchanges of one operation.
type tally struct {
	checked    int
	statuses   map[int]int
	undetailed map[int]int // answers of the general ones
	faults     map[string]int
	mutants    int
}

// violation is one thing that is wrong, as often as it was.
type violation struct {
	op string
	placed
}

type report struct {
	exchanges, distinct int
	operations          map[string]*tally
	violations          map[violation][]int // with the lines of the recording
	mutants             map[string]int      // by kind
	unseen              []string
}

// check holds each exchange against the description, and spoils some of those that
// are right, to show that it would have been seen.
func check(d *description, exchanges []*exchange) *report {
	r := &report{operations: map[string]*tally{}, violations: map[violation][]int{}, mutants: map[string]int{}}
	known := map[string]verdict{}
	mutated := map[string]int{}
	for _, x := range exchanges {
		r.exchanges++
		v, again := known[x.same()]
		if !again {
			r.distinct++
			v = d.check(x)
			known[x.same()] = v
		}
		r.count(x, v)
		if k := fmt.Sprint(v.op, x.Status); !again && len(v.wrong) == 0 && mutated[k] < mutatedMax {
			mutated[k]++
			r.try(d, x, v.op)
		}
	}
	return r
}

func (r *report) count(x *exchange, v verdict) {
	op := v.op
	if op == "" {
		op = "(not described)"
	}
	t := r.operations[op]
	if t == nil {
		t = &tally{statuses: map[int]int{}, undetailed: map[int]int{}, faults: map[string]int{}}
		r.operations[op] = t
	}
	t.checked++
	switch {
	case x.Fault != "":
		t.faults[x.Fault]++
	case v.undetailed:
		t.undetailed[x.Status]++
	default:
		t.statuses[x.Status]++
	}
	for _, w := range v.wrong {
		k := violation{op: op, placed: w}
		r.violations[k] = append(r.violations[k], x.line)
	}
}

func (r *report) try(d *description, x *exchange, op string) {
	for _, m := range d.mutants(x) {
		r.mutants[m.kind]++
		r.operations[op].mutants++
		if len(d.check(&m.exchange).wrong) == 0 {
			r.unseen = append(r.unseen, fmt.Sprintf("%s %s: %s (%s)", op, m.kind, m.what, fmt.Sprint("line ", x.line)))
		}
	}
}

// blind says that the check showed nothing about itself, or the wrong thing.
func (r *report) blind() bool { return len(r.unseen) > 0 || len(r.missing()) > 0 }

func (r *report) missing() (kinds []string) {
	for _, kind := range mutantKinds {
		if r.mutants[kind] == 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (r *report) print(out io.Writer) {
	fmt.Fprintf(out, "github-contract: %d exchanges, %d of them distinct, against %s %s and %s %s\n",
		r.exchanges, r.distinct, openapi.name, openapi.version, graphql.name, graphql.version)
	answered, faults := 0, 0
	for _, op := range slices.Sorted(maps.Keys(r.operations)) {
		t := r.operations[op]
		fmt.Fprintf(out, "  %-36s %5d requests; answers: %s", op, t.checked, counts(t.statuses))
		answered += total(t.statuses) + total(t.undetailed)
		if len(t.undetailed) > 0 {
			fmt.Fprintf(out, "; general: %s", counts(t.undetailed))
		}
		if n := total(t.faults); n > 0 {
			fmt.Fprintf(out, "; not held against it: %s", counts(t.faults))
			faults += n
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "github-contract: %d requests checked; %d answers checked; %d not, which a test spoiled on purpose or of which GitHub is known to say more than it describes\n",
		r.exchanges, answered, faults)
	fmt.Fprintln(out, `github-contract: "general" are answers that any operation gives and hardly one lists (401, 403, 404, redirects, …): checked as GitHub's basic error`)
	r.printMutants(out)
	r.printViolations(out)
}

func (r *report) printMutants(out io.Writer) {
	fmt.Fprintf(out, "github-contract: self-test, exchanges spoiled here to be seen:")
	for i, kind := range mutantKinds {
		fmt.Fprintf(out, "%s %d × %s", []string{"", ","}[min(i, 1)], r.mutants[kind], kind)
	}
	fmt.Fprintf(out, "; %d not seen\n", len(r.unseen))
	for _, u := range r.unseen {
		fmt.Fprintf(out, "  NOT SEEN %s\n", u)
	}
	for _, kind := range r.missing() {
		fmt.Fprintf(out, "  NOT TRIED %s: the recording has nothing to spoil so\n", kind)
	}
}

func (r *report) printViolations(out io.Writer) {
	if len(r.violations) == 0 {
		fmt.Fprintln(out, "github-contract: no violation")
		return
	}
	fmt.Fprintf(out, "github-contract: %d VIOLATIONS\n", len(r.violations))
	order := slices.SortedFunc(maps.Keys(r.violations), func(a, b violation) int {
		return strings.Compare(a.op+"\x00"+a.where+"\x00"+a.place+"\x00"+a.words, b.op+"\x00"+b.where+"\x00"+b.place+"\x00"+b.words)
	})
	for _, v := range order {
		lines := r.violations[v]
		fmt.Fprintf(out, "  %s, %s, %s: %s (%d ×, first in line %d)\n", v.op, v.where, v.place, v.words, len(lines), lines[0])
	}
}

func counts[K int | string](of map[K]int) string {
	if len(of) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%v × %d", k, of[k]))
	}
	return strings.Join(parts, ", ")
}

func total[K comparable](of map[K]int) (n int) {
	for _, c := range of {
		n += c
	}
	return n
}
