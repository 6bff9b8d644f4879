package exec

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/reviewctl/reviewctl/adapters/engine/answer"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../../schemas/engine/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decoded(t *testing.T, raw string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestRequestsMeetTheirSchema(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "request.json")
	b := setup(t, "", nil)
	first := newRequest(b.in, "/tmp/x/change.patch")
	second := first
	second.Correction = &Correction{Turn: 1, Of: 2, Errors: []string{"x"}, Previous: "\x00{"}
	b.in.Until, b.in.Job.Model = time.Time{}, "gpt-6"
	third := newRequest(b.in, "/tmp/x/change.patch")
	for _, r := range []Request{first, second, third} {
		raw, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(decoded(t, string(raw))); err != nil {
			t.Error(err)
		}
		if strings.ContainsAny(string(raw), "\x00") || strings.Contains(string(raw), `\u0000`) || !json.Valid(raw) {
			t.Errorf("request %q", raw)
		}
	}
}

// What the schema takes is taken, and what it refuses is refused but for the
// spellings that its description names.
func TestReviewersSchemaAndReaderAgree(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "reviewer.json")
	head := strings.Repeat("1", 40)
	for raw, want := range map[string]bool{
		`{"findings":[]}`: true,
		`{"findings":[{"title":"t","severity":"blocking","line_start":1,"line_end":2,"confidence":1,"suggestion":null}],"head_sha":"1111111","usage":{"input_tokens":1}}`: true,
		`{"findings":[{"title":"t","line":3,"file":null,"severity":null}],"head_sha":"` + head + `","review_phase":"final","summary":"s"}`:                                true,
		`{}`:                           false,
		`{"findings":null}`:            false,
		`{"findings":{"0":{}}}`:        false,
		`{"findings":[{"title":" "}]}`: false,
		`{"findings":[{"body":"b"}]}`:  false,
		`{"findings":[{"title":"t","severity":"CRITICAL"}]}`:  false,
		`{"findings":[{"title":"t","severity":1}]}`:           false,
		`{"findings":[{"title":"t","confidence":2}]}`:         false,
		`{"findings":[],"head_sha":"HEAD"}`:                   false,
		`{"findings":[],"head_sha":"111111"}`:                 false,
		`{"findings":[],"prior_finding_reconciliation":[{}]}`: false,
	} {
		_, readErr := answer.Parse(raw, answer.Expected{Phase: "final", Head: "1111111111111111111111111111111111111111"})
		schemaErr := schema.Validate(decoded(t, raw))
		if (readErr == nil) != want || (schemaErr == nil) != want {
			t.Errorf("%s: reader %v, schema %v, want %v", raw, readErr, schemaErr, want)
		}
	}
}
