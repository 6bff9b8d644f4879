package run

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// The defaults of the limits of a change, for lanes that spend. (semantics 30.1)
const (
	MaxFilesDefault = 100
	MaxLinesDefault = 5000
)

// Size is what a change amounts to. The files themselves stay in the log: there
// may be thousands of them.
type Size struct {
	Files   int `json:"files,omitempty"`
	Left    int `json:"left,omitempty"`    // not excluded
	Lines   int `json:"lines,omitempty"`   // of those, added and deleted
	Guarded int `json:"guarded,omitempty"` // excluded, and given to the embedded engine all the same
	Lacking int `json:"lacking,omitempty"` // of Left: nobody can look at all of them
}

// plus counts files.
func (s Size) plus(files []events.ChangedFile) Size {
	for i := range files {
		f := &files[i]
		s.Files++
		switch {
		case f.Excluded == events.ExcludedConfigured:
		case f.Excluded != "":
			s.Guarded++
		default:
			s.Left++
			s.Lines += f.Added + f.Deleted
			if f.TooLarge != "" || f.Unwritten != "" {
				s.Lacking++
			}
		}
	}
	return s
}

// unwanted says why a lane is not asked for, or "". The limits bound what is
// spent: an engine that runs for nothing has its own bounds of bytes, and looks.
// (semantics 30.1)
func (d *draft) unwanted(plan events.PlannedLane) (events.SkipCause, string) {
	size := d.s.Workspace.Size
	given := size.Left
	if plan.Kind == string(StaticEngine) {
		given += size.Guarded
	}
	switch {
	case given == 0: // guard: a lane is asked for and has nothing to look at
		return events.SkippedEmpty, WhyEmpty + ": " + counted(size.Files, "changed file") + ", all of them excluded"
	case plan.Bounded:
		if why := tooLarge(d.s.Started, size); why != "" { // guard: a change over the limits is paid for
			return events.SkippedSize, why
		}
	}
	return "", ""
}

// tooLarge is the sentence for a change that is over the run's limits, or "".
func tooLarge(r *events.RunStarted, size Size) string {
	var over []string
	if r.MaxFiles > 0 && size.Left > r.MaxFiles {
		over = append(over, "max_changed_files "+grouped(r.MaxFiles))
	}
	if r.MaxLines > 0 && size.Lines > r.MaxLines {
		over = append(over, "max_changed_lines "+grouped(r.MaxLines))
	}
	if len(over) == 0 {
		return ""
	}
	return fmt.Sprintf("%s and %s are more than %s: review a smaller range, exclude paths, or raise the limits",
		counted(size.Left, "file"), counted(size.Lines, "line"), strings.Join(over, " and "))
}

// skip records that a lane is not asked for.
func (d *draft) skip(plan events.PlannedLane, step int, cause events.SkipCause, why string) {
	at := d.s.Started.Steps[step]
	d.emit(&events.LaneSkipped{
		Lane: plan.Lane, Step: at.Step, Phase: at.Phase, Role: plan.Role, Kind: plan.Kind, Engine: plan.Engine,
		Model: plan.Model, Cause: cause, Reason: why,
	})
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped writes a number with a comma before each group of three digits.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
