package actors_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// TestStoredNames: the names of commands stand in logs and are only ever added to.
func TestStoredNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.Fields(string(text))
	names := actors.AllCommands()
	known := map[string]bool{}
	for _, name := range names {
		if known[name] {
			t.Errorf("two commands are stored as %s", name)
		}
		known[name] = true
	}
	for _, name := range golden {
		if !known[name] {
			t.Errorf("%s stands in logs and is no command any more", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("%s is not in testdata/commands.txt: append it, for ever", name)
	}
}

// fill sets every field of a value to something that is not zero.
func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 3, 1, 12, 0, 0, 7, time.UTC)))
		return
	case events.Ref:
		v.Set(reflect.ValueOf(events.Ref{Stream: "run-1", Version: 3}))
		return
	case events.JSON:
		v.SetString(`{"a":1}`)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		panic("a command holds a " + v.Type().String())
	}
}

// TestCommandsComeBack: an audit reads the very command that was decided.
func TestCommandsComeBack(t *testing.T) {
	t.Parallel()
	for _, name := range actors.AllCommands() {
		empty, err := actors.ReadCommand(name, "")
		if err != nil {
			t.Fatal(err)
		}
		full := reflect.New(reflect.TypeOf(empty))
		fill(full.Elem())
		for _, c := range []events.Command{empty, full.Elem().Interface().(events.Command)} {
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			back, err := actors.ReadCommand(name, events.JSON(text))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, c) || back.Name() != name {
				t.Errorf("%s went as %s and came back as %+v", name, text, back)
			}
		}
	}
}

func TestReadCommandRefuses(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string]events.JSON{"run.explode": "", "": "{}", "pr.cancel": `{"reason":7}`, "pr.retry": "[]"} {
		if c, err := actors.ReadCommand(name, fields); err == nil {
			t.Errorf("%q with %s was read as %+v", name, fields, c)
		}
	}
}

// TestEndedRunTakesNothing: whatever comes after run.ended leaves no trace.
// (hard-parts §1)
func TestEndedRunTakesNothing(t *testing.T) {
	t.Parallel()
	x := newTown(t)
	x.push("a", nil)
	id := events.RunStream(last[events.RunRequested](x).Run)
	before := len(x.log)
	for _, name := range actors.AllCommands() {
		empty, err := actors.ReadCommand(name, "")
		if err != nil {
			t.Fatal(err)
		}
		full := reflect.New(reflect.TypeOf(empty))
		fill(full.Elem())
		lane := full.Elem()
		for field, value := range map[string]any{
			"Lane": events.LaneID("one"), "Attempt": 1, "Generation": int64(1), "Boot": daemon,
		} {
			if f := lane.FieldByName(field); f.IsValid() && f.Type() == reflect.TypeOf(value) {
				f.Set(reflect.ValueOf(value))
			}
		}
		x.ask(id, empty, events.Cause{}, false)
		x.ask(id, lane.Interface().(events.Command), events.Cause{}, false)
	}
	x.ask(id, run.Due{PR: prStream}, events.Cause{}, false)
	if len(x.log) != before {
		t.Errorf("%s was written after the end", x.log[before].Type)
	}
}

func TestRulesComeBack(t *testing.T) {
	t.Parallel()
	r := actors.DefaultRules()
	sealed, err := r.Seal()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := actors.ReadRules(events.JSON(text))
	if err != nil || back.Digest != sealed.Digest || !reflect.DeepEqual(back.Value, sealed.Value) {
		t.Errorf("the rules came back as %+v (%v)", back, err)
	}
	r.PR.PublishTries++
	if other, err := r.Seal(); err != nil || other.Digest == sealed.Digest {
		t.Errorf("other rules have the same digest (%v)", err)
	}
	if _, err := actors.ReadRules("{"); err == nil {
		t.Error("broken rules were read")
	}
}
