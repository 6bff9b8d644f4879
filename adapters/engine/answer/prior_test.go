package answer

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/session"
)

// TestPriorFindings: case E28. Spelling is put right; what is ambiguous is never
// guessed; all faults are told at once.
func TestPriorFindings(t *testing.T) {
	t.Parallel()
	told := want
	told.Prior = []session.Prior{
		{Fingerprint: "aaaaaaa11111", Title: "First", Category: "bug"},
		{Fingerprint: "aaaaaaa22222", Title: "Second", Category: "style"},
		{Fingerprint: "bbbbbbb33333", Title: "Third", Category: "bug"},
	}
	row := func(hash, status string) string { return `{"finding_hash":"` + hash + `","status":"` + status + `"}` }
	rows := func(all ...string) string { return `"prior_finding_reconciliation":[` + strings.Join(all, ",") + `]` }
	gone := []string{row("aaaaaaa11111", "FIXED"), row("aaaaaaa22222", "WITHDRAWN")}
	for name, c := range map[string]struct {
		fields string
		faults []string // none: an answer
		title  string   // of its one finding
		notes  int
	}{
		"nothing said":             {`"findings":[]`, nil, "", 0},
		"a new finding":            {`"findings":[{"title":"New"}]`, nil, "New", 0},
		"all gone":                 {`"findings":[],` + rows(append(gone, row("bbbbbbb33333", "OUTDATED"))...), nil, "", 0},
		"one still there":          {`"findings":[{"title":"Third","finding_hash":"bbbbbbb33333"}],` + rows(append(gone, row("bbbbbbb33333", "STILL_VALID"))...), nil, "Third", 0},
		"in other words":           {`"findings":[{"title":"Third (carried forward)","finding_hash":"bbbbbbb33333"}]`, nil, "Third", 1},
		"abbreviated":              {`"findings":[{"title":"Third","finding_hash":"bbbbbbb"}],` + rows(append(gone, row("BBBBBBB3", "still valid"))...), nil, "Third", 2},
		"longer than it is":        {`"findings":[{"title":"Third","finding_hash":"bbbbbbb333330000"}]`, nil, "Third", 1},
		"under the older key":      {`"findings":[],` + rows(append(gone, `{"hash":"bbbbbbb33333","status":"FIXED"}`)...), nil, "", 0},
		"a beginning of two":       {`"findings":[{"title":"t","finding_hash":"aaaaaaa"}]`, []string{"the beginning of more than one"}, "", 0},
		"too short":                {`"findings":[{"title":"t","finding_hash":"bbbbbb"}]`, []string{"is not a prior finding"}, "", 0},
		"another's":                {`"findings":[{"title":"t","finding_hash":"cccccccccccc"}]`, []string{"is not a prior finding"}, "", 0},
		"carried twice":            {`"findings":[{"title":"t","finding_hash":"bbbbbbb33333"},{"title":"t","finding_hash":"bbbbbbb"}]`, []string{"is carried twice"}, "", 0},
		"a word of its own":        {`"findings":[],` + rows(append(gone, row("bbbbbbb33333", "REFUTED"))...), []string{`status "REFUTED" must be one of`}, "", 0},
		"valid and not there":      {`"findings":[],` + rows(append(gone, row("bbbbbbb33333", "STILL_VALID"))...), []string{"no finding has it as finding_hash"}, "", 0},
		"fixed and there":          {`"findings":[{"title":"t","finding_hash":"bbbbbbb33333"}],` + rows(append(gone, row("bbbbbbb33333", "FIXED"))...), []string{"is FIXED, and a finding has it"}, "", 0},
		"everything wrong at once": {`"findings":[],` + rows(row("aaaaaaa", "FIXED"), row("bbbbbbb33333", "DONE"), row("bbbbbbb33333", "FIXED")), []string{"more than one", `"DONE"`, "has a row already", "aaaaaaa11111 has no row", "aaaaaaa22222 has no row"}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(whole(c.fields), told)
			if c.faults != nil {
				for _, fault := range c.faults {
					if err == nil || !strings.Contains(err.Error(), fault) {
						t.Errorf("answer %+v, error %v, want %q", got, err, fault)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Notes) != c.notes {
				t.Errorf("notes %q", got.Notes)
			}
			if c.title != "" && (len(got.Findings) != 1 || got.Findings[0].Title != c.title) {
				t.Errorf("findings %+v", got.Findings)
			}
		})
	}
}
