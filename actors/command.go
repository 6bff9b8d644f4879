package actors

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// catalogue lists every command that a decision on record may name.
var catalogue = []events.Command{
	pr.Observe{}, pr.Close{}, pr.Enqueue{}, pr.Cancel{}, pr.Retry{}, pr.Due{}, pr.BootGone{},
	pr.NoteAdmitted{}, pr.Dismiss{}, pr.Reopen{}, pr.NumberFindings{}, pr.AdoptVerdict{}, pr.NoteRunEnd{}, pr.NotePublished{},
	pr.NotePublishFailed{}, pr.NotePublishUnknown{}, pr.NotePublishAbandoned{}, pr.NoteLabelSynced{}, pr.NoteLabelFailed{},
	run.Start{}, run.Cancel{}, run.NoteFiles{}, run.NoteWorkspace{}, run.NoteWorkspaceTrouble{},
	run.NoteWorkspaceFailure{}, run.NoteWait{}, run.BeginLane{}, run.RaiseFindings{},
	run.CompleteLane{}, run.FailLane{}, run.NoteLaneStopped{}, run.DeferLane{}, run.ReachVerdict{},
	run.Due{}, run.BootGone{},
	pool.Configure{}, pool.Request{}, pool.Release{}, pool.Due{},
	account.Configure{}, account.Reserve{}, account.Settle{}, account.Due{},
	repo.Configure{}, repo.Rename{}, repo.NumberBranch{}, repo.NoteUnreachable{}, repo.NoteReachable{},
	fleet.Configure{}, fleet.Admit{}, fleet.Lift{}, fleet.Free{}, fleet.Pause{}, fleet.Resume{}, fleet.Due{},
	fleet.LoadConfig{}, fleet.RejectConfig{},
}

// operable are the commands that an operator's message may name.
var operable = []string{
	pr.Enqueue{}.Name(), pr.Cancel{}.Name(), pr.Retry{}.Name(), pr.Dismiss{}.Name(), pr.Reopen{}.Name(),
	fleet.Pause{}.Name(), fleet.Resume{}.Name(),
}

var commandTypes = func() map[string]reflect.Type {
	m := make(map[string]reflect.Type, len(catalogue))
	for _, c := range catalogue {
		m[c.Name()] = reflect.TypeOf(c)
	}
	return m
}()

// AllCommands lists the stored names of all commands.
func AllCommands() []string {
	names := make([]string, len(catalogue))
	for i, c := range catalogue {
		names[i] = c.Name()
	}
	return names
}

// ReadCommand makes a command of its stored name and fields.
func ReadCommand(name string, fields events.JSON) (events.Command, error) {
	t, ok := commandTypes[name]
	if !ok {
		return nil, fmt.Errorf("command %q is not known here", name)
	}
	v := reflect.New(t)
	if fields != "" {
		if err := json.Unmarshal([]byte(fields), v.Interface()); err != nil {
			return nil, fmt.Errorf("read command %s: %w", name, err)
		}
	}
	return v.Elem().Interface().(events.Command), nil
}

// readMessage makes a command of an operator's message, which may name only what
// an operator may do, to an actor that takes it.
func readMessage(m *events.CommandReceived) (events.Command, error) {
	if !slices.Contains(operable, m.Command) { // guard: an operator may send any command
		return nil, &events.Refusal{Reason: fmt.Sprintf("%q is not a command for operators", m.Command)}
	}
	if _, err := KindOf(m.Target); err != nil {
		return nil, &events.Refusal{Reason: err.Error()}
	}
	if category, _, _ := strings.Cut(m.Command, "."); category != m.Target.Category() {
		return nil, &events.Refusal{Reason: fmt.Sprintf("%q does not go to %s", m.Command, m.Target)}
	}
	cmd, err := ReadCommand(m.Command, m.Fields)
	if err != nil {
		return nil, &events.Refusal{Reason: err.Error()}
	}
	return cmd, nil
}
