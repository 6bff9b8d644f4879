package answer

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

// FuzzParse: whatever an engine prints is an answer that holds to its contract,
// or one of the two errors; and half of a good answer is never a good answer.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "null", "\uFEFF{}", "```json\n{\"findings\":[]}\n```", "x {\"findings\":[]} y",
		one(`"title":"t","severity":"p1","line_start":1,"line_end":2,"confidence":0.5,"suggestion":"x"`),
		`{"findings":[{"title":"a"},{"title":"b","bo`, `{"findings":[],"findings":[]}`,
		`{"is_error":true,"api_error_status":429,"result":"limit"}`,
		whole(`"findings":[],"usage":{"input_tokens":1,"output_tokens":2,"cost_usd":0.1,"confidence":"exact"}`),
		"{\"findings\":[{\"title\":\"\\ud800\",\"file\":\"\xff\"}]}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Parse(text, want)
		if err != nil {
			var broken *BrokenError
			var failed *EngineError
			if !errors.As(err, &broken) && !errors.As(err, &failed) {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		for _, found := range got.Findings {
			if found.Title == "" || found.Severity.Weight() == 0 || found.Category == "" ||
				found.LineStart < 0 || found.LineEnd < found.LineStart || !utf8.ValidString(found.File) {
				t.Fatalf("finding %+v", found)
			}
		}
		if got.Usage.Total() < 0 || got.Usage.Confidence == "" {
			t.Fatalf("usage %+v", got.Usage)
		}
		whole, err := json.Marshal(got.Findings)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Findings) > 0 {
			half := `{"findings":` + string(whole[:len(whole)-1])
			if again, err := Parse(half, want); err == nil {
				t.Fatalf("half an answer was taken: %+v", again)
			}
		}
	})
}
