package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/projections/findings"
	"github.com/reviewctl/reviewctl/projections/label"
	"github.com/reviewctl/reviewctl/projections/ledger"
	"github.com/reviewctl/reviewctl/projections/status"
)

// jsonNames are the members of a struct in their order.
func jsonNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			names = append(names, jsonNames(field.Type)...)
			continue
		}
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// TestItemsBeginWithTheirKey: each model's items begin with the model's own key,
// and the names of CLI.md are used by the models and described in the schema.
func TestItemsBeginWithTheirKey(t *testing.T) {
	t.Parallel()
	known := readDocument(t, "cli/get.json").Properties["items"].Items.Properties
	unused := maps.Clone(known)
	items := map[string]reflect.Type{
		"prs repo": reflect.TypeFor[PRDetail](), "heads head": reflect.TypeFor[status.Head](), "runs run": reflect.TypeFor[RunDetail](),
		"lanes lane": reflect.TypeFor[status.Lane](), "findings fingerprint": reflect.TypeFor[findings.Finding](),
		"pools pool": reflect.TypeFor[status.Pool](), "accounts account": reflect.TypeFor[status.Account](),
		"labels label": reflect.TypeFor[label.Row](), "ledger account": reflect.TypeFor[ledger.Entry](),
	}
	var listed []string
	for name, item := range items {
		model, key, _ := strings.Cut(name, " ")
		listed = append(listed, model)
		names := jsonNames(item)
		if names[0] != key {
			t.Errorf("an item of %s begins with %s, want %s", model, names[0], key)
		}
		for _, name := range names {
			delete(unused, name)
		}
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(models)); !slices.Equal(listed, want) {
		t.Errorf("tried %v, there are %v", listed, want)
	}
	if len(unused) > 0 {
		t.Errorf("no model has %v", slices.Sorted(maps.Keys(unused)))
	}
	for _, name := range strings.Fields("run repo number head base state outcome verdict lane kind role phase engine model pool account attempt status fingerprint severity file since updated") {
		if _, ok := known[name]; !ok {
			t.Errorf("the schema does not have %s", name)
		}
	}
}
