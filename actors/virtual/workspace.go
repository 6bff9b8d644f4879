package virtual

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// workspace is the Workspace port of one process.
type workspace struct{ process *process }

// Prepare draws how preparing goes; now and then nobody answers.
func (v *workspace) Prepare(job actors.WorkspaceJob, answer actors.Answer) {
	w := v.process.world
	luck, odds := w.luck.Float64(), w.scenario.Workspace
	silent := !w.calm && luck < odds.Silent
	if silent {
		w.count("workspace.silent")
		return
	}
	v.process.later(w.between(time.Second, 20*time.Second), func() {
		luck -= odds.Silent
		switch {
		case !w.calm && luck < odds.Trouble:
			answer(run.NoteWorkspaceTrouble{Try: job.Try, Reason: "the mirror is busy"})
		case !w.calm && luck < odds.Trouble+odds.Failure:
			answer(run.NoteWorkspaceFailure{Try: job.Try, Kind: events.FailureInfra, Message: "the disk is full"})
		case luck < odds.Trouble+odds.Failure+odds.Empty:
			answer(run.NoteWorkspace{Ready: v.ready(job, 0)})
		default:
			answer(v.listed(job, 1+w.luck.IntN(3), w.luck.Float64() < odds.Large)...)
		}
	})
}

// listed is a change whose list comes in pages, or, when it is not large, in one
// piece.
func (v *workspace) listed(job actors.WorkspaceJob, files int, large bool) []events.Command {
	ready := v.ready(job, files)
	if !large {
		return []events.Command{run.NoteWorkspace{Ready: ready}}
	}
	v.process.world.count("workspace.large")
	var cmds []events.Command
	for range files {
		ready.Pages++
		page := run.NoteFiles{Try: job.Try, Page: ready.Pages}
		for i := range run.MaxFilesDefault {
			page.Files = append(page.Files, events.ChangedFile{Path: fmt.Sprintf("page%d/%d.go", ready.Pages, i), Status: "A", Added: 9})
		}
		ready.Lines += 9 * len(page.Files)
		ready.Listed += len(page.Files)
		cmds = append(cmds, page)
	}
	return append(cmds, run.NoteWorkspace{Ready: ready})
}

func (v *workspace) ready(job actors.WorkspaceJob, files int) events.WorkspaceReady {
	ready := events.WorkspaceReady{Try: job.Try, MergeBase: job.Base, Files: []events.ChangedFile{}, DiffPrint: events.Digest(v.process.world.hex(64))}
	for i := range files {
		ready.Files = append(ready.Files, events.ChangedFile{Path: "file" + string(rune('0'+i)) + ".go", Status: "M", Added: 3, Deleted: 1})
		ready.Lines += 4
	}
	return ready
}

// Open is for engines, and the engines here read nothing.
func (v *workspace) Open(context.Context, actors.WorkspaceJob) (*actors.Change, error) {
	return nil, errors.New("there is no code in a virtual workspace")
}

// Release forgets nothing, for nothing was kept.
func (v *workspace) Release(events.RunID) {}
