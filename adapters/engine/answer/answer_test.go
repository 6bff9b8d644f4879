package answer

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

var want = Expected{Phase: "final", Head: "0123456789abcdef0123456789abcdef01234567"}

// whole puts fields into an answer that is right otherwise.
func whole(fields string) string {
	return `{"review_phase":"final","head_sha":"` + string(want.Head) + `",` + fields + `}`
}

func one(fields string) string { return whole(`"findings":[{` + fields + `}]`) }

func TestGoodAnswers(t *testing.T) {
	t.Parallel()
	nit := events.Finding{Title: "t", Category: "general", Severity: events.SeverityNitpick}
	with := func(change func(*events.Finding)) []events.Finding {
		f := nit
		change(&f)
		return []events.Finding{f}
	}
	half := 0.5
	for name, c := range map[string]struct {
		text     string
		findings []events.Finding
		notes    int
	}{
		"aliases of severities":    {one(`"title":" t ","severity":" P1 "`), with(func(f *events.Finding) { f.Severity = events.SeverityBlocking }), 0},
		"a blank suggestion":       {one(`"title":"t","suggestion":" \n"`), with(func(*events.Finding) {}), 0},
		"a suggestion's indents":   {one(`"title":"t","suggestion":"\tx\n"`), with(func(f *events.Finding) { f.Suggestion = "\tx" }), 0},
		"confidence":               {one(`"title":"t","confidence":0.5`), with(func(f *events.Finding) { f.Confidence = &half }), 0},
		"line":                     {one(`"title":"t","line":4`), with(func(f *events.Finding) { f.LineStart, f.LineEnd = 4, 4 }), 0},
		"nothing":                  {whole(`"findings":[]`), []events.Finding{}, 0},
		"nulls":                    {one(`"title":"t","severity":null,"line_start":null,"line_end":null,"confidence":null,"suggestion":null,"finding_hash":null`), with(func(*events.Finding) {}), 0},
		"unknown keys":             {one(`"title":"t","extra":{"a":[1]}`), with(func(*events.Finding) {}), 0},
		"words around the object":  {"Here it is:\n" + one(`"title":"t"`) + "\nDone.", with(func(*events.Finding) {}), 0},
		"a fence":                  {"```json\n" + one(`"title":"t"`) + "\n```\nand {braces}", with(func(*events.Finding) {}), 0},
		"a fence of other content": {"```sh\nls\n```\n```\n" + one(`"title":"t"`) + "\n```", with(func(*events.Finding) {}), 0},
		"a byte order mark":        {"\uFEFF" + one(`"title":"t"`), with(func(*events.Finding) {}), 0},
		"bytes that are not UTF-8": {one("\"title\":\"t\",\"body\":\"\xff\""), with(func(f *events.Finding) { f.Body = "\uFFFD" }), 0},
		"no echo":                  {`{"findings":[]}`, []events.Finding{}, 2},
		"another phase":            {`{"review_phase":"in_progress","head_sha":null,"findings":[]}`, []events.Finding{}, 2},
		"a head's prefix":          {`{"review_phase":"final","head_sha":"0123456","findings":[]}`, []events.Finding{}, 1},
		"a head in capitals":       {`{"review_phase":"final","head_sha":" ` + strings.ToUpper(string(want.Head)) + `","findings":[]}`, []events.Finding{}, 0},
		"a review about limits":    {one(`"title":"t","body":"You've hit your limit"`), with(func(f *events.Finding) { f.Body = "You've hit your limit" }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(c.text, want)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Findings, c.findings) || len(got.Notes) != c.notes {
				t.Errorf("findings %+v, notes %q", got.Findings, got.Notes)
			}
		})
	}
}

func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, fault string }{
		"a list":                  {`[{"title":"a"}]`, "must be one JSON object"},
		"a severity of its own":   {one(`"title":"t","severity":"CRITICAL"`), `severity "CRITICAL"`},
		"a severity as a number":  {one(`"title":"t","severity":1`), "severity must be a string"},
		"another commit":          {`{"head_sha":"9999999999999999999999999999999999999999","findings":[]}`, "is not the commit to review"},
		"a commit too short":      {`{"head_sha":"012345","findings":[]}`, "is not the commit to review"},
		"a name of a commit":      {`{"head_sha":"HEAD","findings":[]}`, "is not the commit to review"},
		"a commit as a number":    {`{"head_sha":1,"findings":[]}`, "head_sha must be the string"},
		"confidence above one":    {one(`"title":"t","confidence":2`), "confidence must lie"},
		"empty":                   {" \n", "the answer is empty"},
		"findings that are null":  {whole(`"findings":null`), "findings must be a list"},
		"findings in an object":   {whole(`"findings":{"0":{}}`), "findings must be a list"},
		"a finding that is text":  {whole(`"findings":["x"]`), "findings[0] must be an object"},
		"no title":                {one(`"body":"x"`), "title must not be empty"},
		"no object":               {"I found nothing.", "not one complete JSON object"},
		"prior findings":          {whole(`"findings":[],"prior_finding_reconciliation":[{"hash":"x"}]`), "must be empty"},
		"a prior finding's hash":  {one(`"title":"t","finding_hash":"0123456789ab"`), "finding_hash must be absent"},
		"a key twice":             {`{"findings":[],"findings":[{"title":"t"}]}`, "occurs twice"},
		"a key twice further in":  {one(`"title":"t","title":"u"`), "occurs twice"},
		"cut off":                 {`{"findings":[{"title":"a"},{"title":"b","bo`, "not one complete JSON object"},
		"cut off in a fence":      {"```json\n" + `{"findings":[{"title":"a"},{"title":"b","bo`, "not one complete JSON object"},
		"cut off behind an array": {`{"findings":[{"title":"a"}]`, "not one complete JSON object"},
		"two objects":             {`{"findings":[]}{"findings":[]}`, "not one complete JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(c.text, want)
			var broken *BrokenError
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("answer %+v, error %v, want %q", got, err, c.fault)
			}
		})
	}
}

func TestAllFaultsAreToldAtOnceUpToABound(t *testing.T) {
	t.Parallel()
	_, err := Parse(`{"head_sha":"HEAD","findings":[{"severity":"x"},{"title":1}]}`, want)
	if got := len(err.(*BrokenError).Faults); got != 5 {
		t.Errorf("%d faults: %v", got, err)
	}
	_, err = Parse(whole(`"findings":[`+strings.Repeat(`{},`, 50)+`{}]`), want)
	faults := err.(*BrokenError).Faults
	if len(faults) != faultsMax+1 || faults[faultsMax] != "and 31 more" {
		t.Errorf("faults %q", faults)
	}
}

func TestErrorsInTheShapeOfAResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		limit bool
	}{
		"an error of the provider": {`{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}`, false},
		"a status":                 {`{"is_error":true,"api_error_status":429,"result":"API Error: Rate limit reached"}`, true},
		"a limit in words":         {`{"is_error":true,"result":"You've hit your limit · resets 1pm (Europe/Lisbon)"}`, true},
		"without words":            {`{"is_error":true}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(c.text, want)
			var failed *EngineError
			if !errors.As(err, &failed) || failed.Limit != c.limit || failed.Message == "" {
				t.Errorf("error %#v", err)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	unknown := events.Usage{Confidence: events.ConfidenceUnknown}
	for text, usage := range map[string]events.Usage{
		`null`:                                   unknown,
		`{}`:                                     unknown,
		`[1]`:                                    unknown,
		`{"input_tokens":-1}`:                    unknown,
		`{"input_tokens":1e300}`:                 unknown,
		`{"input_tokens":1,"confidence":"sure"}`: unknown,
		`{"input_tokens":5,"output_tokens":2}`:   {InputTokens: 5, OutputTokens: 2, Confidence: events.ConfidenceEstimate},
		`{"cost_usd":0.5,"confidence":"exact"}`:  {CostUSD: 0.5, Confidence: events.ConfidenceExact},
		`{"input_tokens":7,"confidence":"exact"}`: {InputTokens: 7, Confidence: events.ConfidenceExact},
	} {
		got, err := Parse(whole(`"findings":[],"usage":`+text), want)
		if err != nil || got.Usage != usage {
			t.Errorf("usage %s = %+v, %v, want %+v", text, got, err, usage)
		}
	}
	if got, err := Parse(whole(`"findings":[]`), want); err != nil || got.Usage != unknown {
		t.Errorf("no usage = %+v, %v", got, err)
	}
}
