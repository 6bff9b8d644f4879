package virtual

import (
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// verdicts are those that have a label.
var verdicts = []events.Verdict{events.VerdictApprove, events.VerdictComment, events.VerdictRequestChanges}

// labelling is one try to make a pull request carry one label, and no other: it
// reads, then takes off what is wrong, then puts on what is missing. Nothing holds
// off another process that does the same. (semantics 17)
type labelling struct {
	process *process
	job     actors.LabelJob
	pull    *pull
	answer  actors.Answer
	wrong   []events.Verdict
	missing bool
}

// Label begins a try.
func (v *publisher) Label(job actors.LabelJob, answer actors.Answer) {
	w := v.process.world
	w.count("label.try")
	l := &labelling{process: v.process, job: job, pull: w.forge.find(job.PR), answer: answer}
	l.next(l.read)
}

// next does a step a little later, or, frozen, much later. A process looks at its
// deadline right before each request.
func (l *labelling) next(step func()) {
	w := l.process.world
	delay := w.between(100*time.Millisecond, 3*time.Second)
	if w.lucky(w.scenario.Faults.Freeze) {
		w.count("label.frozen")
		delay = w.between(time.Minute, 20*time.Minute)
	}
	l.process.later(delay, func() {
		switch {
		case !w.wall().Before(l.job.Until):
			l.failed(events.FailureTimeout, "its time was up")
		case w.lucky(w.scenario.Forge.LabelFails):
			l.failed(events.FailureInfra, "the forge answered 502 and stored nothing")
		case w.lucky(w.scenario.Forge.LabelForbidden):
			w.count("label.forbidden")
			l.failed(events.FailureFatal, "the forge answered 403")
		default:
			step()
		}
	})
}

func (l *labelling) failed(kind events.FailureKind, why string) {
	l.answer(pr.NoteLabelFailed{Try: l.job.Try, Verdict: l.job.Verdict, Kind: kind, Message: why})
}

func (l *labelling) read() {
	if l.process.world.scenario.Forge.NoLabels {
		l.answer(pr.NoteLabelSynced{Try: l.job.Try, Verdict: l.job.Verdict, Skipped: "the repository has no such labels"})
		return
	}
	l.missing = l.job.Verdict != "" && !slices.Contains(l.pull.labels, l.job.Verdict)
	for _, v := range verdicts {
		if v != l.job.Verdict && slices.Contains(l.pull.labels, v) {
			l.wrong = append(l.wrong, v)
		}
	}
	l.write()
}

// write does what is left to do, one request at a time.
func (l *labelling) write() {
	w := l.process.world
	stored := func(labels []events.Verdict) {
		l.pull.labels = labels
		w.count("label.written")
		if w.lucky(w.scenario.Forge.LabelLost) {
			l.failed(events.FailureInfra, "no answer to the label")
			return
		}
		l.write()
	}
	switch {
	case len(l.wrong) > 0:
		wrong := l.wrong[0]
		l.wrong = l.wrong[1:]
		l.next(func() {
			stored(slices.DeleteFunc(slices.Clone(l.pull.labels), func(v events.Verdict) bool { return v == wrong }))
		})
	case l.missing:
		l.missing = false
		l.next(func() {
			if slices.Contains(l.pull.labels, l.job.Verdict) {
				stored(l.pull.labels)
				return
			}
			stored(append(slices.Clone(l.pull.labels), l.job.Verdict))
		})
	default:
		l.answer(pr.NoteLabelSynced{Try: l.job.Try, Verdict: l.job.Verdict})
	}
}
