package events

import (
	"encoding/json"
	"os"
	"testing"
)

// The golden file was written by Python itself, whose str.lower, str.strip and \w
// the public comments of RSYS were made with. To write it again, from the root of
// the repository:
//
//	import hashlib, json, re
//
//	def finding_hash(file, category, title):
//	    return hashlib.sha256((file + ":" + category + ":" + title.lower().strip()).encode()).hexdigest()[:12]
//
//	def norm(text):
//	    return " ".join(re.sub(r"[^\w\s]", " ", text.lower()).replace("_", " ").split())
//
//	def dedupe_key(file, category, title, body):
//	    parts = [file.strip().lower(), (category or "general").strip().lower(), norm(title), norm(body)]
//	    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
//
//	path = "testdata/engines/finding_hash.json"
//	rows = json.load(open(path))
//	for r in rows:
//	    r["finding_hash"] = finding_hash(r["file"], r["category"], r["title"])
//	    r["dedupe_key"] = dedupe_key(r["file"], r["category"], r["title"], r["body"])
//	json.dump(rows, open(path, "w"), indent=1)
type goldenHash struct {
	File        string      `json:"file"`
	Category    string      `json:"category"`
	Title       string      `json:"title"`
	Body        string      `json:"body"`
	FindingHash Fingerprint `json:"finding_hash"`
	DedupeKey   string      `json:"dedupe_key"`
}

func TestFindingHashesAreThoseOfPython(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../testdata/engines/finding_hash.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []goldenHash
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 50 {
		t.Fatalf("%d rows, want the whole corpus", len(rows))
	}
	for _, row := range rows {
		f := Finding{File: row.File, Category: row.Category, Title: row.Title, Body: row.Body}
		f.Identify()
		if f.Fingerprint != row.FindingHash {
			t.Errorf("finding_hash of %q, %q, %q = %s, want %s", row.File, row.Category, row.Title, f.Fingerprint, row.FindingHash)
		}
		if f.Dedupe != row.DedupeKey {
			t.Errorf("dedupe_key of %q, %q, %q, %q = %s, want %s", row.File, row.Category, row.Title, row.Body, f.Dedupe, row.DedupeKey)
		}
	}
}

func TestPythonLower(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                         "",
		"ABC":                      "abc",
		"\u0130stanbul":            "i\u0307stanbul",
		"\u039f\u0394\u039f\u03a3": "\u03bf\u03b4\u03bf\u03c2",
		"\u03a3":                   "\u03c3",
		"A\u03a3B":                 "a\u03c3b",
		"A\u03a3.":                 "a\u03c2.",
		"A\u03a3.B":                "a\u03c3.b",
		"A.\u03a3":                 "a.\u03c2",
		"A \u03a3":                 "a \u03c3",
		"A\u03a31":                 "a\u03c21",
	} {
		if got := pythonLower(in); got != want {
			t.Errorf("pythonLower(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestUsagePlus(t *testing.T) {
	t.Parallel()
	surest := []Confidence{"", ConfidenceExact, ConfidenceEstimate, ConfidenceUnknown}
	for i, one := range surest {
		for k, other := range surest {
			sum := Usage{InputTokens: 1, OutputTokens: 2, CostUSD: 0.5, Confidence: one}.
				Plus(Usage{InputTokens: 10, OutputTokens: 20, CostUSD: 1, Confidence: other})
			if want := (Usage{InputTokens: 11, OutputTokens: 22, CostUSD: 1.5, Confidence: surest[max(i, k)]}); sum != want {
				t.Errorf("%q and %q are %+v, want %+v", one, other, sum, want)
			}
		}
	}
}
