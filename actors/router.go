package actors

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unique"

	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// Delivery is a command on its way to an actor.
type Delivery struct {
	ID      uint64
	Target  events.StreamName
	Command events.Command
	Cause   events.Cause
	Routed  bool // the route table made the command of the cause alone
	By      string
}

// ByNode is who writes what no person asked for.
const ByNode = "reviewctl"

// Router delivers what the route table says of the events that this process
// minds: to one target in the order of the log, and past no event before each of
// its commands was answered. Losing it loses nothing: the next one starts at
// Checkpoint and delivers again what may not have arrived.
type Router struct {
	boot    events.BootID
	daemon  bool
	owners  map[events.RunID]events.BootID // of runs that have not ended
	adopted map[events.BootID]bool         // dead processes whose business this one ends
	routes  map[events.Type][]Row

	lines map[events.StreamName][]*job // what waits for a target; the front is next
	jobs  map[uint64]*job              // sent and not answered
	next  uint64

	open []*passage // events whose commands are not all answered, in log order
	seen events.Position
}

// passage is the way of one event through the router.
type passage struct {
	position events.Position // 0 = read again from its stream, and not part of the tail
	left     int
}

// job is one command of one event.
type job struct {
	Delivery
	passage *passage
	message bool
	refused string // why an operator's message is no command
	before  *job   // the row before it, until that is answered
	after   *job
	sent    bool
}

// NewRouter returns a router that has seen the log up to after.
func NewRouter(boot events.BootID, daemon bool, after events.Position) *Router {
	r := &Router{
		boot: boot, daemon: daemon, seen: after,
		owners: map[events.RunID]events.BootID{}, adopted: map[events.BootID]bool{},
		routes: map[events.Type][]Row{}, lines: map[events.StreamName][]*job{}, jobs: map[uint64]*job{},
	}
	for _, row := range Routes {
		r.routes[row.On] = append(r.routes[row.On], row)
	}
	return r
}

// Minds reports whether work of this owner is this process's business.
func (r *Router) Minds(owner events.BootID) bool {
	return owner == r.boot || (r.daemon && (owner == events.OwnerAny || owner == "")) || r.adopted[owner]
}

// Adopt makes the business of a dead process this one's.
func (r *Router) Adopt(boot events.BootID) { r.adopted[boot] = true }

// Owner returns the owner of a run that has not ended, or "".
func (r *Router) Owner(run events.RunID) events.BootID { return r.owners[run] }

// Learn notes a run's owner. Observe learns it from the events that say so.
func (r *Router) Learn(run events.RunID, owner events.BootID) {
	// Strings of an event are parts of its whole row, which would be kept.
	r.owners[events.RunID(strings.Clone(string(run)))] = unique.Make(owner).Value()
}

// Checkpoint is the position up to which everything was answered.
func (r *Router) Checkpoint() events.Position {
	if len(r.open) > 0 {
		return r.open[0].position - 1
	}
	return r.seen
}

// Quiet reports whether nothing is on its way or waits for its turn.
func (r *Router) Quiet() bool { return len(r.lines) == 0 }

// Seen is the position of the newest event observed.
func (r *Router) Seen() events.Position { return r.seen }

// Backlog is the number of events whose commands are not all answered.
func (r *Router) Backlog() int { return len(r.open) }

// Observe takes the next event of the log and returns what can be delivered now.
func (r *Router) Observe(e *events.Event, p events.Payload) []Delivery {
	if e.Position <= r.seen {
		return nil // a doubled notice
	}
	r.seen = e.Position
	r.learn(e, p)
	pass := &passage{position: e.Position}
	out := r.enqueue(e, p, pass)
	if pass.left > 0 {
		r.open = append(r.open, pass)
	}
	return out
}

// Again takes an event of a run whose owner is dead: what that owner may not have
// delivered is delivered now.
func (r *Router) Again(e *events.Event, p events.Payload) []Delivery {
	r.learn(e, p)
	return r.enqueue(e, p, &passage{})
}

func (r *Router) learn(e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.RunRequested:
		r.Learn(p.Run, p.Owner)
	case *events.RunStarted:
		r.Learn(runID(e), p.Owner)
	}
}

func (r *Router) enqueue(e *events.Event, p events.Payload, pass *passage) []Delivery {
	rows := r.routes[e.Type]
	if len(rows) == 0 || !r.Minds(r.ownerOf(e, p)) { // guard: another boot's business is routed
		return nil
	}
	var made []*job
	for _, row := range rows {
		target, cmd := row.Make(e, p)
		if target == "" {
			continue
		}
		j := &job{
			Delivery: Delivery{
				Target: target, Command: cmd, By: byOf(e), Routed: true,
				Cause: events.Cause{Stream: e.Stream, Version: e.Version, Row: row.Name},
			},
			passage: pass,
		}
		if m, ok := p.(*events.CommandReceived); ok {
			j.message = true
			if _, err := readMessage(m); err != nil {
				j.refused = err.Error()
			}
		}
		made = append(made, j)
	}
	r.add(made)
	var out []Delivery
	for _, j := range made {
		out = append(out, r.send(j.Target)...)
	}
	return out
}

// byOf says in whose name the consequences of an event are: an operator's for
// what he asked for, else our own.
func byOf(e *events.Event) string {
	if e.Stream.Category() == events.CategoryInbox { // guard: an operator's work is not in his name
		return e.By
	}
	return ByNode
}

// add puts jobs into the lines of their targets, each behind the one before it.
func (r *Router) add(jobs []*job) {
	var last *job
	for _, j := range jobs {
		if last != nil {
			j.before, last.after = last, j
		}
		last = j
		r.next++
		j.ID = r.next
		j.passage.left++
		r.lines[j.Target] = append(r.lines[j.Target], j)
	}
}

// Post delivers commands that no event routes: an effect's outcome or a sweep.
// They go to one target in their order, each after the one before was answered. A
// sweep that waits for its answer is not sent again.
func (r *Router) Post(target events.StreamName, cause events.Cause, cmds ...events.Command) []Delivery {
	if len(cmds) == 1 && cause == (events.Cause{}) && r.waits(target, cmds[0]) {
		return nil
	}
	made := make([]*job, len(cmds))
	for i, cmd := range cmds {
		made[i] = &job{Delivery: Delivery{Target: target, Command: cmd, Cause: cause, By: ByNode}, passage: &passage{}}
	}
	r.add(made)
	return r.send(target)
}

// waits reports whether the same command without a cause is on its way already.
func (r *Router) waits(target events.StreamName, cmd events.Command) bool {
	if !reflect.TypeOf(cmd).Comparable() {
		return false
	}
	return slices.ContainsFunc(r.lines[target], func(j *job) bool {
		return j.Cause == (events.Cause{}) && j.Command == cmd
	})
}

// ownerOf says whose business an event is. A run that is not known (any more) has
// ended: whatever is still said of it finds its actor closed, so the daemon takes
// it.
func (r *Router) ownerOf(e *events.Event, p events.Payload) events.BootID {
	switch p := p.(type) {
	case *events.CommandReceived:
		return events.OwnerAny
	case *events.RunEnded:
		defer delete(r.owners, runID(e))
	case *events.RunRequested:
		return p.Owner
	}
	if owner, known := r.owners[events.RunID(e.Correlation)]; known {
		return owner
	}
	return events.OwnerAny
}

// send returns the front of a target's line, if it may go now.
func (r *Router) send(target events.StreamName) []Delivery {
	line := r.lines[target]
	if len(line) == 0 {
		delete(r.lines, target)
		return nil
	}
	j := line[0]
	if j.sent || j.before != nil { // guard: commands for one target overtake each other
		return nil
	}
	j.sent = true
	r.jobs[j.ID] = j
	if j.refused != "" {
		return r.Answered(j.ID, shell.Answer{Reason: j.refused})
	}
	return []Delivery{j.Delivery}
}

// Answered takes the answer to a delivery and returns what can be delivered now.
// An answer with an error is none: the delivery stays, and the driver sends it
// again later.
func (r *Router) Answered(id uint64, a shell.Answer) []Delivery {
	j := r.jobs[id]
	if j == nil || a.Err != nil { // guard: a delivery without an answer counts as done
		return nil
	}
	delete(r.jobs, id)
	line := r.lines[j.Target]
	line[0] = nil
	r.lines[j.Target] = line[1:]
	var out []Delivery
	if j.message {
		out = append(out, r.settleMessage(j, a)...)
	}
	if j.after != nil {
		j.after.before = nil
		out = append(out, r.send(j.after.Target)...)
	}
	out = append(out, r.send(j.Target)...)
	if j.passage.left--; j.passage.left == 0 {
		r.close(j.passage)
	}
	return out
}

// close forgets an event whose commands are all answered. One that cannot be
// delivered keeps the checkpoint back, and not the memory of all after it.
func (r *Router) close(p *passage) {
	at, open := slices.BinarySearchFunc(r.open, p.position, func(o *passage, at events.Position) int {
		return cmp.Compare(o.position, at)
	})
	if open {
		r.open = slices.Delete(r.open, at, at+1)
	}
}

// settleMessage tells the inbox what came of its message; the event is past once
// that is stored too.
func (r *Router) settleMessage(j *job, a shell.Answer) []Delivery {
	answer := &job{Delivery: settlement(j.Cause, a), passage: j.passage}
	r.add([]*job{answer})
	return r.send(answer.Target)
}
