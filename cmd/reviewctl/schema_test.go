package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/schemas"
)

// document is one of the schemas as it stands.
type document struct {
	Type                 any                 `json:"type"`
	Description          string              `json:"description"`
	Properties           map[string]document `json:"properties"`
	Required             []string            `json:"required"`
	Enum                 []any               `json:"enum"`
	Items                *document           `json:"items"`
	AnyOf                []document          `json:"anyOf"`
	AdditionalProperties json.RawMessage     `json:"additionalProperties"`
	Default              any                 `json:"default"`
}

// statusSamples are a full overview and an empty one.
func statusSamples(rows []json.RawMessage, ref events.Ref) []any {
	full := &StatusAnswer{
		Heads: map[string]int{"queued": 2}, Runs: rows, Pools: rows, Accounts: rows, Counters: &DaemonCounters{},
		Fleet: FleetState{MaxRuns: 1, Paused: []PauseState{{Scope: "a/b", Event: ref}}}, Config: &ConfigState{OnDisk: OnDiskBroken, Event: ref},
	}
	empty := &StatusAnswer{Heads: map[string]int{}}
	full.normalise()
	empty.normalise()
	return []any{full, empty}
}

func readDocument(t *testing.T, file string) document {
	t.Helper()
	text, err := schemas.JSON.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return doc
}

func compiler(t *testing.T) *jsonschema.Compiler {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, file := range []string{"config.schema.json", "policy.schema.json"} {
		text, err := schemas.JSON.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("urn:reviewctl:"+strings.TrimSuffix(file, ".schema.json"), doc); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func compile(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	text, err := schemas.JSON.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := compiler(t)
	if err := c.AddResource("file.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("file.json")
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// TestAnswersMeetTheirSchemas: every answer, full and empty, is what its schema
// says, and schema and struct have the same fields.
func TestAnswersMeetTheirSchemas(t *testing.T) {
	t.Parallel()
	number := int64(3)
	yes, at, cursor := true, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), "x"
	ref := events.Ref{Stream: "run-1", Version: 3}
	rows := []json.RawMessage{json.RawMessage(`{"run":"0a"}`)}
	full, empty := reportSample(), &ReviewReport{Outcome: events.OutcomeNotRun, Reason: "empty"}
	full.normalise()
	empty.normalise()
	why := WhyNode{Rule: "r", Text: "t", Outcome: "o", Event: ref, Children: []WhyNode{{Rule: "s", Children: []WhyNode{}}}}
	answers := map[string][]any{
		"audit":          {&AuditAnswer{Checked: 2, Identical: 1, Mismatched: []AuditMismatch{{Event: ref, Kind: "payload", Recorded: 1, Recomputed: rows[0]}}, Chain: "broken at run-1@3"}, &AuditAnswer{Mismatched: []AuditMismatch{}, Chain: ChainIntact}},
		"command":        {&CommandAnswer{Command: "pr.enqueue", Accepted: &yes, Events: []events.Ref{ref}}, &CommandAnswer{Events: []events.Ref{}}},
		"error":          {ErrorAnswer{ErrorBody{Code: CodeUsage, Message: "m", Remedy: "r"}}},
		"event":          {&events.Event{ID: "e", Stream: "run-1", Type: "run.freed", Revision: 1, Cause: events.Cause{Stream: "pr-1", Row: "r"}, Decided: "{}", Payload: "{}", Chain: 1}, &events.Event{Revision: 1, Payload: "{}", Chain: 1}},
		"ledger":         {&LedgerAnswer{Items: []LedgerItem{{Limit: &number, Left: &number, Until: &at}, {Account: "main"}}}, &LedgerAnswer{Items: []LedgerItem{}}},
		"doctor":         {&DoctorAnswer{Checks: []DoctorCheck{{Label: "git", OK: true}, {Remedy: "r"}}}, &DoctorAnswer{Checks: []DoctorCheck{}}},
		"init":           {&InitAnswer{File: "f", Linters: []string{"ruff"}}, &InitAnswer{Linters: []string{}}},
		"config_check":   {&ConfigCheckAnswer{Problems: []ConfigProblem{{At: "f:1:2"}}}, &ConfigCheckAnswer{OK: true, Problems: []ConfigProblem{}}},
		"config_explain": {&ConfigExplainAnswer{Key: "listen", Value: "x", Source: SourceFile, Default: "y", Keys: []ConfigKey{{Key: "k", Value: 1}}}, &ConfigExplainAnswer{Source: SourceDefault}},
		"projections": {
			&ProjectionsAnswer{Items: []ProjectionItem{{Name: "status", Event: ref, Updated: &at, Stopped: &ProjectionStop{Event: ref}}, {}}},
			&ProjectionsAnswer{Items: []ProjectionItem{}},
		},
		"explain": {&ExplainAnswer{Subject: "a/b#1", State: "queued", Why: why, NextAt: &at}, &ExplainAnswer{Why: WhyNode{Children: []WhyNode{}}}},
		"get":     {&GetAnswer{Items: rows, Next: &cursor}, &GetAnswer{Items: []json.RawMessage{}}},
		"queue":   {&QueueAnswer{Items: []QueueItem{{Place: 1, Kind: "head", ETA: &at}, {Place: 2, Kind: "lane"}}}, &QueueAnswer{Items: []QueueItem{}}},
		"review":  {full, empty},
		"status":  statusSamples(rows, ref),
		"verify":  {&VerifyAnswer{Chain: ChainBroken, At: ref, SealedTo: ref}, &VerifyAnswer{Chain: ChainIntact}},
		"version": {currentVersion()},
	}
	files, err := schemas.JSON.ReadDir("cli")
	if err != nil || len(files) != len(answers) {
		t.Errorf("%d schemas for %d answers: %v", len(files), len(answers), err)
	}
	for name, list := range answers {
		schema, doc := compile(t, path.Join("cli", name+".json")), readDocument(t, path.Join("cli", name+".json"))
		for _, answer := range list {
			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(t, schema, text); err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
			}
		}
		if name != "event" { // its fields are those of the line, which the schema has just refused to widen
			sameFields(t, name, reflect.TypeOf(list[0]), "json", doc)
		}
		describedThroughout(t, name, doc)
	}
}

// sameFields holds a struct against its schema, both ways.
func sameFields(t *testing.T, at string, typ reflect.Type, tag string, doc document) {
	t.Helper()
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		if typ.Kind() == reflect.Slice {
			if doc.Items == nil {
				return
			}
			doc = *doc.Items
		}
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || len(doc.Properties) == 0 {
		return
	}
	var names []string
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get(tag), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(names, name)
		property, ok := doc.Properties[name]
		if !ok {
			t.Errorf("%s: the schema does not have %s", at, name)
		}
		if tag == "json" && slices.Contains(doc.Required, name) == (options != "") {
			t.Errorf("%s: whether %s is always there differs", at, name)
		}
		sameFields(t, at+"."+name, typ.Field(i).Type, tag, property)
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		if !slices.Contains(names, name) {
			t.Errorf("%s: the schema has %s, the struct does not", at, name)
		}
	}
	if string(doc.AdditionalProperties) != "false" {
		t.Errorf("%s: the schema takes unknown members", at)
	}
}

func describedThroughout(t *testing.T, at string, doc document) {
	t.Helper()
	for name, property := range doc.Properties {
		if property.Description == "" && name != "why" { // a reference has its words at its definition
			t.Errorf("%s.%s has no description", at, name)
		}
		describedThroughout(t, at+"."+name, property)
	}
	if doc.Items != nil {
		describedThroughout(t, at+"[]", *doc.Items)
	}
}

func TestSchemaEnumsAreTheConstants(t *testing.T) {
	t.Parallel()
	review, failure := readDocument(t, "cli/review.json"), readDocument(t, "cli/error.json")
	same := func(name string, got []any, want any) {
		list := reflect.ValueOf(want)
		values := make([]any, list.Len())
		for i := range values {
			values[i] = list.Index(i).String()
		}
		if !reflect.DeepEqual(got, values) {
			t.Errorf("%s: the schema has %v, the constants are %v", name, got, values)
		}
	}
	same("outcome", review.Properties["outcome"].Enum, events.AllOutcomes())
	same("severity", review.Properties["findings"].Items.Properties["severity"].Enum, events.AllSeverities())
	same("coverage", review.Properties["coverage"].Items.Properties["status"].Enum, AllCoverages())
	same("code", failure.Properties["error"].Properties["code"].Enum, AllCodes())
}

// TestConfigurationSchema: the schema has the parser's keys, takes what the
// parser takes, and names its defaults.
func TestConfigurationSchema(t *testing.T) {
	t.Parallel()
	doc := readDocument(t, "config.schema.json")
	describedThroughout(t, "config", doc)
	sameFields(t, "config", reflect.TypeFor[Config](), "yaml", doc)
	for name, typ := range map[string]reflect.Type{"engines": reflect.TypeFor[EngineConfig](), "accounts": reflect.TypeFor[AccountConfig]()} {
		var inner document
		if err := json.Unmarshal(doc.Properties[name].AdditionalProperties, &inner); err != nil {
			t.Fatal(err)
		}
		describedThroughout(t, name, inner)
		sameFields(t, name, typ, "yaml", inner)
	}
	policy := readDocument(t, "policy.schema.json")
	describedThroughout(t, "policy", policy)
	sameFields(t, "policy", reflect.TypeFor[Policy](), "yaml", policy)

	scheduling := doc.Properties["scheduling"].Properties
	for name, pair := range map[string][2]any{
		"listen":             {doc.Properties["listen"].Default, ListenDefault},
		"worktree_budget_gb": {doc.Properties["worktree_budget_gb"].Default, float64(WorktreeBudgetDefault)},
		"max_runs":           {scheduling["max_runs"].Default, float64(MaxRunsDefault)},
		"debounce":           {scheduling["debounce"].Default, "30m"},
		"poll_interval":      {scheduling["poll_interval"].Default, "180s"},
		"api_url":            {doc.Properties["github"].Properties["api_url"].Default, GitHubAPIDefault},
		"token_env":          {doc.Properties["github"].Properties["token_env"].Default, GitHubTokenDefault},
		"approve":            {policy.Properties["approve"].Default, false},
	} {
		if pair[0] != pair[1] {
			t.Errorf("default of %s: the schema says %v, the code %v", name, pair[0], pair[1])
		}
	}
}

func TestConfigurationSchemaAndParserAgree(t *testing.T) {
	t.Parallel()
	schema := compile(t, "config.schema.json")
	for _, c := range []struct {
		text string
		good bool
	}{
		{sample, true},
		{"{}", true},
		{"engines: { e: { kind: exec, command: [x], unknown: 1 } }", false},
		{"policy: { gate: {} }", false},
		{"policy: { phase1: { engine: [a, b] } }", true},
		{"pools: { gpt: 0 }", false},
		{"scheduling: { max_runs: 0 }", false},
		{"unknown: 1", false},
	} {
		config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
		if err != nil {
			t.Fatal(err)
		}
		parsed := ParseConfig(config, "f.yaml", []byte(c.text))
		text, err := yaml.YAMLToJSON([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		checked := validate(t, schema, text)
		if (parsed == nil) != c.good || (checked == nil) != c.good {
			t.Errorf("%s: the parser says %v, the schema %v", c.text, parsed, errors.Unwrap(checked))
		}
	}
}
