package virtual

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

const operator = "operator:ada"

// plan puts the stimuli of the storm on the agenda.
func (w *World) plan() {
	s := &w.scenario.Stimuli
	for _, of := range []struct {
		n  int
		do func()
	}{
		{s.Pushes, func() { w.push(w.somePull()) }},
		{s.Reverts, func() { w.revert(w.somePull()) }},
		{s.Drafts, func() { w.draft(w.somePull()) }},
		{s.SkipLabels, func() { w.skipLabel(w.somePull()) }},
		{s.Retitles, func() { w.retitle(w.somePull()) }},
		{s.Renames, func() { w.rename(w.somePull()) }},
		{s.Retargets, func() { w.retarget(w.somePull()) }},
		{s.BaseMoves, func() { w.moveBase(w.somePull()) }},
		{s.Closes, func() { w.toggle(w.somePull()) }},
		{s.Enqueues, func() { w.operate(w.somePull().stream, pr.Enqueue{High: w.luck.IntN(2) == 0}) }},
		{s.Cancels, func() { w.operate(w.somePull().stream, pr.Cancel{Reason: "not now"}) }},
		{s.Retries, func() { w.operate(w.somePull().stream, pr.Retry{}) }},
		{s.Dismisses, func() {
			w.operate(w.somePull().stream, pr.Dismiss{Number: 1 + w.luck.IntN(8), Reason: "as it should be", Said: w.wall()})
		}},
		{s.Reopens, func() { w.operate(w.somePull().stream, pr.Reopen{Number: 1 + w.luck.IntN(8), Said: w.wall()}) }},
		{s.Pauses, w.pause},
		{s.Reviews, func() { w.review(w.somePull()) }},
		{s.Resizes, func() {
			size, pool := 1+w.luck.IntN(4), w.somePool()
			w.configure(events.PoolStream(pool), resize(size))
		}},
		{s.Limits, func() { w.limit(int64(w.luck.IntN(6)) * 50_000) }},
		{s.Jumps, w.jump},
		{s.Kills, w.crashSome},
		{s.Drains, w.drain},
		{s.Polls, func() { w.poll(w.daemon()) }},
	} {
		for range of.n {
			w.at(w.between(0, w.scenario.Storm), of.do)
		}
	}
}

// cue does what the script says of an event.
func (w *World) cue(on events.Type) {
	w.typed[on]++
	for _, c := range w.scenario.Script {
		if c.On != on || c.Nth != w.typed[on] {
			continue
		}
		w.at(c.After, func() {
			switch p := w.forge.pulls[c.Pull]; c.Do {
			case ActPush:
				w.push(p)
			case ActRevert:
				w.revert(p)
			case ActDraft:
				w.draft(p)
			case ActClose:
				w.toggle(p)
			case ActCancel:
				w.operate(p.stream, pr.Cancel{Reason: "not now"})
			case ActReview:
				w.review(p)
			case ActEnqueue:
				w.operate(p.stream, pr.Enqueue{})
			case ActDismiss:
				w.operate(p.stream, pr.Dismiss{Number: 1, Reason: "as it should be", Said: w.wall()})
			case ActReopen:
				w.operate(p.stream, pr.Reopen{Number: 1, Said: w.wall()})
			case ActKill:
				if d := w.daemon(); d != nil {
					w.count("crash")
					d.die()
				}
			}
		})
	}
}

func resize(size int) events.Command { return pool.Configure{Size: size, Reason: "configured"} }

func (w *World) somePull() *pull { return w.forge.pulls[w.luck.IntN(len(w.forge.pulls))] }

func (w *World) somePool() events.PoolName {
	return w.scenario.Engines[w.luck.IntN(len(w.scenario.Engines))].Rules.Pool
}

func (w *World) push(p *pull) {
	w.count("push")
	p.before = append(p.before, p.head)
	p.head = events.Commit(w.hex(40))
	w.seen(p)
}

func (w *World) moveBase(p *pull) {
	w.count("base")
	p.base = events.Commit(w.hex(40))
	p.baseRef = fmt.Sprintf("release-%d", w.luck.IntN(3))
	w.seen(p)
}

func (w *World) toggle(p *pull) {
	w.count("close")
	p.closed = !p.closed
	w.seen(p)
}

// seen lets the daemons notice, sooner or later, or not at all.
func (w *World) seen(p *pull) {
	for _, d := range w.processes {
		if d.alive && d.daemon && w.luck.IntN(5) > 0 {
			d.later(w.between(time.Second, 30*time.Second), func() { d.observe(p) })
		}
	}
}

func (w *World) poll(d *process) {
	if d == nil {
		return
	}
	for _, p := range w.forge.pulls {
		d.later(w.between(0, 10*time.Second), func() { d.observe(p) })
	}
}

// observe tells the actor what the forge shows now.
func (p *process) observe(f *pull) {
	if f.closed {
		p.ask(f.stream, shell.Ask{Command: pr.Close{Reason: "closed"}}, func(shell.Answer) {})
		return
	}
	p.ask(f.stream, shell.Ask{Command: p.look(f, false, events.OwnerAny)}, func(a shell.Answer) {
		if a.Err != nil {
			p.later(10*time.Second, func() { p.observe(f) })
		}
	})
}

func (p *process) look(f *pull, manual bool, owner events.BootID) pr.Observe {
	look := pr.Observe{
		Host: "github.com", RepoID: f.repoID, Repo: f.repo, Number: f.number, Ref: "topic", BaseRef: f.baseRef,
		Title: f.title, Author: "bob", Head: f.head, Base: f.base, Manual: manual,
		Priority: events.PriorityNormal, Owner: owner,
		Settings: events.Settings{Target: p.world.scenario.Target, Debounce: p.world.scenario.Debounce.Milliseconds()},
	}
	if !p.world.scenario.Local {
		look.Facts = f.facts()
	}
	return look
}

// operate is the way of a command line: it appends its message to an inbox of
// its own, and the daemon does the rest.
func (w *World) operate(target events.StreamName, cmd events.Command) {
	w.count("operate " + cmd.Name())
	fields, err := json.Marshal(cmd)
	if err != nil {
		w.check.fail(events.Ref{Stream: target}, "encode %s: %v", cmd.Name(), err)
		return
	}
	w.inboxes++
	inbox := events.InboxStream(fmt.Sprintf("%08d", w.inboxes))
	cli := w.start(false, operator)
	var ask func(tries int)
	ask = func(tries int) {
		cli.ask(inbox, shell.Ask{Command: actors.Receive{CommandReceived: events.CommandReceived{
			Target: target, Command: cmd.Name(), Fields: events.JSON(fields),
		}}}, func(a shell.Answer) {
			if a.Err != nil && tries < 5 {
				cli.later(time.Second, func() { ask(tries + 1) })
				return
			}
			cli.die()
		})
	}
	ask(0)
}

func (w *World) pause() {
	scope := [...]string{"", string(w.somePull().repo), string(w.somePull().stream)}[w.luck.IntN(3)]
	w.operate(events.FleetStream, fleet.Pause{Scope: scope})
	w.at(w.between(time.Minute, time.Hour), func() { w.operate(events.FleetStream, fleet.Resume{Scope: scope}) })
}

// review is `review` in a terminal: a boot that lives for one run, or until its
// user has had enough.
func (w *World) review(f *pull) {
	w.count("review")
	p := w.start(false, operator)
	p.begin(func() {
		look := p.look(f, true, p.boot)
		if w.luck.Float64() < w.scenario.Forge.Printed {
			look.Settings.Target = events.TargetNone
		}
		p.ask(f.stream, shell.Ask{Command: look}, func(a shell.Answer) {
			if a.Err != nil {
				p.die()
				return
			}
			p.await(f, 0)
		})
	})
}

// await looks now and then whether the review is over, and leaves when all that
// it minds is delivered.
func (p *process) await(f *pull, looks int) {
	busy := p.node.Router.Backlog() > 0
	for _, d := range p.world.waiting.list() {
		busy = busy || d.Owner == p.boot
	}
	if !busy || looks > 120 {
		p.die()
		return
	}
	p.later(p.world.between(30*time.Second, 2*time.Minute), func() { p.await(f, looks+1) })
}

func (w *World) configure(stream events.StreamName, cmd events.Command) {
	d := w.daemon()
	if d == nil {
		return
	}
	d.ask(stream, shell.Ask{Command: cmd}, func(a shell.Answer) {
		if a.Err != nil {
			w.at(time.Second, func() { w.configure(stream, cmd) })
		}
	})
}

func (w *World) limit(session int64) {
	told := map[events.AccountName]bool{events.AccountUnmetered: true}
	for i := range w.scenario.Engines {
		if name := w.scenario.Engines[i].Rules.Account; !told[name] {
			told[name] = true
			w.configure(events.AccountStream(name), account.Configure{SessionTokens: session, WeeklyTokens: 4 * session})
		}
	}
}

// jump sets the clock on the wall forward or back.
func (w *World) jump() {
	w.count("jump")
	w.skew += w.between(-40*time.Minute, 80*time.Minute)
	for _, p := range w.processes {
		if p.alive && p.node != nil {
			p.armed = time.Time{}
			p.arm()
		}
	}
}

// drain stops a daemon in order: its engines are killed and say so, and once all
// is delivered it goes.
func (w *World) drain() {
	d := w.daemon()
	if d == nil || d.node == nil {
		return
	}
	w.count("drain")
	for _, s := range w.sessions.open {
		if s.process == d {
			(&engine{d}).Stop(s.job.Key)
		}
	}
	d.later(w.between(5*time.Second, 20*time.Second), d.die)
}
