package events

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The golden lists of what is stored: each event's name, and each field of each
// payload with its shape. Stored logs hold them for ever, so a line is never
// taken out or changed; -update only appends. (ARCHITECTURE, rule 9)

var (
	goldenNames  = filepath.Join("..", "testdata", "golden", "events.txt")
	goldenFields = filepath.Join("..", "testdata", "golden", "events-fields.txt")
)

func TestStoredNamesAreForEver(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(catalogue))
	for _, p := range AllTypes() {
		names = append(names, string(p))
	}
	appendOnly(t, goldenNames, names)
}

func TestStoredFieldsAreForEver(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, p := range catalogue {
		lines = append(lines, storedFields(string(p.Type()), reflect.TypeOf(p), nil)...)
	}
	appendOnly(t, goldenFields, lines)
}

// storedFields lists "event path shape" for each field below a struct.
func storedFields(path string, typ reflect.Type, above []reflect.Type) []string {
	if slices.Contains(above, typ) {
		return nil // a Reason holds Reasons
	}
	above = append(above, typ)
	var lines []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		here, shape, elem := path+" "+name, "", f.Type
		if strings.Contains(path, " ") {
			here = path + "." + name
		}
		for elem.Kind() == reflect.Slice || elem.Kind() == reflect.Pointer {
			if elem.Kind() == reflect.Slice {
				shape += "[]"
			}
			elem = elem.Elem()
		}
		switch elem {
		case timeType, jsonType, refType, hashType:
			lines = append(lines, here+" "+shape+strings.ToLower(elem.Name()))
			continue
		}
		if elem.Kind() == reflect.Struct {
			lines = append(lines, here+" "+shape+"object")
			lines = append(lines, storedFields(here, elem, above)...)
			continue
		}
		lines = append(lines, here+" "+shape+strings.TrimSuffix(elem.Kind().String(), "64"))
	}
	return lines
}

// appendOnly holds what is there now against the list of what was ever stored.
func appendOnly(t *testing.T, file string, now []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	ever := strings.Fields(strings.ReplaceAll(string(text), " ", "\x00"))
	for i := range ever {
		ever[i] = strings.ReplaceAll(ever[i], "\x00", " ")
	}
	for _, line := range ever {
		if !slices.Contains(now, line) {
			t.Errorf("%q was stored once and is gone: stored names are for ever (add a new one beside it)", line)
		}
	}
	var added []string
	for _, line := range now {
		if !slices.Contains(ever, line) {
			added = append(added, line)
		}
	}
	if len(added) == 0 {
		return
	}
	if !*update {
		t.Errorf("not in %s yet (run `make schemas-update`): %s", file, strings.Join(added, ", "))
		return
	}
	all := append(ever, added...)
	writeFile(t, file, []byte(strings.Join(all, "\n")+"\n"))
}

// TestGoldenListsNoticeARemoval: the guard itself.
func TestGoldenListsNoticeARemoval(t *testing.T) {
	t.Parallel()
	lines := storedFields("head.queued", reflect.TypeFor[HeadQueued](), nil)
	for _, want := range []string{"head.queued head string", "head.queued settings object", "head.queued settings.engines []string", "head.queued queued_at time", "head.queued priority int"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is not among %v", want, lines)
		}
	}
	if got := storedFields("verdict.reached", reflect.TypeFor[VerdictReached](), nil); !slices.Contains(got, "verdict.reached why.children []object") {
		t.Error(fmt.Sprint("the tree of reasons is not listed: ", got))
	}
}
