package events

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite the schemas, and append to the golden lists")

func schemaFile(t Type) string { return filepath.Join("..", "schemas", "events", string(t)+".json") }
func exampleFile(t Type) string {
	return filepath.Join("..", "testdata", "golden", "events", string(t)+".json")
}

// TestSchemasAreTheStructs: the committed schemas are what the structs say.
func TestSchemasAreTheStructs(t *testing.T) {
	if !*update { // the other tests read what this one writes
		t.Parallel()
	}
	src := readSource(t)
	for _, p := range catalogue {
		node, err := src.schemaOf(p)
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := node.text()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			writeFile(t, schemaFile(p.Type()), want)
		}
		got, err := os.ReadFile(schemaFile(p.Type()))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("the schema of %s is not what its struct says (run `make schemas-update`): %v", p.Type(), err)
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "schemas", "events", "*.json"))
	if err != nil || len(files) != len(catalogue) {
		t.Errorf("%d schemas for %d types: %v", len(files), len(catalogue), err)
	}
}

// TestSchemasAndStructsHaveTheSameFields holds the committed files against the
// structs without the generator.
func TestSchemasAndStructsHaveTheSameFields(t *testing.T) {
	t.Parallel()
	for _, p := range catalogue {
		var file struct {
			Properties map[string]struct {
				Description string `json:"description"`
			} `json:"properties"`
			Required []string `json:"required"`
		}
		readJSON(t, schemaFile(p.Type()), &file)
		var required []string
		typ := reflect.TypeOf(p)
		for i := range typ.NumField() {
			name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			property, ok := file.Properties[name]
			if !ok || property.Description == "" {
				t.Errorf("%s: the schema does not describe %s", p.Type(), name)
			}
			delete(file.Properties, name)
			if options == "" {
				required = append(required, name)
			}
		}
		for name := range file.Properties {
			t.Errorf("%s: the schema has %s, the struct does not", p.Type(), name)
		}
		if !slices.Equal(required, file.Required) {
			t.Errorf("%s: required is %v, the struct always writes %v", p.Type(), file.Required, required)
		}
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func compile(t *testing.T, p Payload) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(schemaFile(p.Type()))
	if err != nil {
		t.Fatalf("%s: %v", p.Type(), err)
	}
	return schema
}

func jsonValue(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestExamples: every type has an example that its schema takes, that decodes
// and encodes to the same value, and in which something unknown does no harm.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, p := range catalogue {
		t.Run(string(p.Type()), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(exampleFile(p.Type()))
			if err != nil {
				t.Fatal(err)
			}
			value, schema := jsonValue(t, text), compile(t, p)
			if err := schema.Validate(value); err != nil {
				t.Errorf("the schema refuses the example: %v", err)
			}
			decoded, err := Decode(&Event{Type: p.Type(), Revision: Revision, Payload: JSON(text)})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Encode(decoded)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(jsonValue(t, []byte(again)), value) {
				t.Errorf("decoding and encoding changed the example:\n%s\n%s", text, again)
			}
			wider := `{"a property of a later version":{"deep":[1,null]},` + strings.TrimPrefix(strings.TrimSpace(string(text)), "{")
			tolerant, err := Decode(&Event{Type: p.Type(), Revision: Revision, Payload: JSON(wider)})
			if err != nil || !reflect.DeepEqual(tolerant, decoded) {
				t.Errorf("an unknown property changed the event: %v", err)
			}
			if err := schema.Validate(jsonValue(t, []byte(wider))); err != nil {
				t.Errorf("the schema refuses an unknown property: %v", err)
			}
			for _, name := range optionalFields(p) {
				if _, ok := value.(map[string]any)[name]; !ok {
					t.Errorf("the example leaves out %s", name)
				}
			}
		})
	}
}

func optionalFields(p Payload) []string {
	var names []string
	typ := reflect.TypeOf(p)
	for i := range typ.NumField() {
		if name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); options != "" {
			names = append(names, name)
		}
	}
	return names
}

// TestSchemasAreStrict: what the struct cannot hold, or a value that no constant
// names, is refused.
func TestSchemasAreStrict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		payload       Payload
		field, forged string
	}{
		{HeadQueued{}, "priority", `7`},
		{HeadQueued{}, "trigger", `"nonsense"`},
		{HeadQueued{}, "queued_at", `"yesterday"`},
		{LogSealed{}, "heads", `[{"stream":"run-1","version":0,"hash":"short"}]`},
		{RunEnded{}, "outcome", `"nonsense"`},
		{VerdictReached{}, "verdict", `"LGTM"`},
		{VerdictReached{}, "why", `{"rule":"r","text":"t","outcome":"o","children":[{"rule":1}]}`},
	} {
		var example map[string]json.RawMessage
		readJSON(t, exampleFile(c.payload.Type()), &example)
		example[c.field] = json.RawMessage(c.forged)
		text, err := json.Marshal(example)
		if err != nil {
			t.Fatal(err)
		}
		if compile(t, c.payload).Validate(jsonValue(t, text)) == nil {
			t.Errorf("%s: %s = %s was taken", c.payload.Type(), c.field, c.forged)
		}
		delete(example, c.field)
		if text, err = json.Marshal(example); err != nil {
			t.Fatal(err)
		}
		if compile(t, c.payload).Validate(jsonValue(t, text)) == nil {
			t.Errorf("%s without %s was taken", c.payload.Type(), c.field)
		}
	}
}

// TestEnumsAreTheConstants: the lists that code walks hold every constant that
// the schemas name.
func TestEnumsAreTheConstants(t *testing.T) {
	t.Parallel()
	src := readSource(t)
	check := func(name string, listed ...any) {
		if !reflect.DeepEqual(src.values[name], listed) {
			t.Errorf("%s: constants %v, list %v", name, src.values[name], listed)
		}
	}
	check("Severity", anyOf(AllSeverities())...)
	check("Outcome", anyOf(AllOutcomes())...)
	check("FailureKind", anyOf(AllFailureKinds())...)
}

func anyOf[T ~string](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = string(v)
	}
	return values
}
