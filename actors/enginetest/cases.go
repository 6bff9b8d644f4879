package enginetest

import (
	"reflect"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

func completesOnce(t *testing.T, b *bench) {
	job := b.job(b.Good)
	b.start(job)
	findings, end := b.answer(t, job)
	done, ok := end.(run.CompleteLane)
	if !ok || done.Engine == "" || done.Usage.Confidence == "" || len(findings) == 0 {
		t.Errorf("end %#v, findings %v", end, findings)
	}
	for _, raised := range findings {
		for _, f := range raised.Findings {
			if f.Fingerprint != events.FindingHash(f.File, f.Category, f.Title) || f.Dedupe == "" || f.Placement == "" {
				t.Errorf("finding %+v", f)
			}
		}
	}
}

func failsOnce(t *testing.T, b *bench) {
	job := b.job(b.Failing)
	b.start(job)
	findings, end := b.answer(t, job)
	failed, ok := end.(run.FailLane)
	if !ok || failed.Kind == "" || failed.Message == "" || len(findings) != 0 {
		t.Errorf("end %#v, findings %v", end, findings)
	}
}

func sameTwice(t *testing.T, b *bench) {
	var seen [2][]events.Finding
	for i := range seen {
		job := b.job(b.Good)
		b.start(job)
		findings, _ := b.answer(t, job)
		for _, raised := range findings {
			seen[i] = append(seen[i], raised.Findings...)
			for _, w := range raised.Withheld {
				seen[i] = append(seen[i], w.Finding)
			}
		}
	}
	if !reflect.DeepEqual(seen[0], seen[1]) {
		t.Errorf("first %+v, then %+v", seen[0], seen[1])
	}
}

func manyAtOnce(t *testing.T, b *bench) {
	var jobs []actors.LaneJob
	for range 6 {
		jobs = append(jobs, b.job(b.Good), b.job(b.Failing))
	}
	for _, job := range jobs {
		b.start(job)
	}
	for _, job := range jobs {
		b.answer(t, job)
	}
}

func startTwice(t *testing.T, b *bench) {
	job := b.job(b.Good)
	b.start(job)
	b.start(job)
	b.answer(t, job)
	b.start(job)
}

func stopBefore(t *testing.T, b *bench) {
	job := b.job(b.Good)
	b.Engine.Stop(job.Key)
	b.start(job)
	if _, end := b.answer(t, job); end.Name() != (run.CompleteLane{}).Name() {
		t.Errorf("end %#v", end)
	}
}

func stopAtOnce(t *testing.T, b *bench) {
	job := b.job(b.Hanging)
	b.start(job)
	b.Engine.Stop(job.Key)
	wantStopped(t, b, job)
}

func stopTwice(t *testing.T, b *bench) {
	job := b.job(b.Hanging)
	b.start(job)
	b.AtWork()
	b.Engine.Stop(job.Key)
	b.Engine.Stop(job.Key)
	wantStopped(t, b, job)
}

func wantStopped(t *testing.T, b *bench, job actors.LaneJob) {
	t.Helper()
	findings, end := b.answer(t, job)
	stopped, ok := end.(run.NoteLaneStopped)
	if !ok || stopped.Usage.Confidence == "" || len(findings) != 0 {
		t.Errorf("end %#v, findings %v", end, findings)
	}
}

func stopAfterEnd(t *testing.T, b *bench) {
	job := b.job(b.Good)
	b.start(job)
	b.answer(t, job)
	b.Engine.Stop(job.Key)
}

func deadline(t *testing.T, b *bench) {
	job := b.Hanging
	job.Deadline = b.clock.Now().Add(time.Minute)
	job = b.job(job)
	b.start(job)
	b.AtWork()
	b.clock.Advance(time.Minute)
	wantTimeout(t, b, job)
}

func deadlinePassed(t *testing.T, b *bench) {
	job := b.Hanging
	job.Deadline = b.clock.Now().Add(-time.Minute)
	job = b.job(job)
	b.start(job)
	wantTimeout(t, b, job)
}

func wantTimeout(t *testing.T, b *bench, job actors.LaneJob) {
	t.Helper()
	_, end := b.answer(t, job)
	if failed, ok := end.(run.FailLane); !ok || failed.Kind != events.FailureTimeout {
		t.Errorf("end %#v", end)
	}
}

func closeEnds(t *testing.T, b *bench) {
	job := b.job(b.Hanging)
	b.start(job)
	b.AtWork()
	b.Close()
	_, end := b.answer(t, job)
	if _, ok := end.(run.NoteLaneStopped); !ok {
		t.Errorf("end %#v", end)
	}
}

func closeTwice(_ *testing.T, b *bench) { b.Close() }

func startAfterClose(t *testing.T, b *bench) {
	b.Close()
	job := b.job(b.Good)
	b.start(job)
	_, end := b.answer(t, job)
	if stopped, ok := end.(run.NoteLaneStopped); !ok || stopped.Usage.Total() != 0 {
		t.Errorf("end %#v", end)
	}
}
