package reviewctl

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The specification's faults that people met in practice (cases.md): of diffs and
// inline comments (D), of GitHub (G), of the git workspace (W) and of engines (E). A test names
// the ones that it is about, in a comment or in its name: "case W05", or
// "cases D09, D12 and D13".
var faults = strings.Fields(`
	D01 D02 D04 D05 D06 D09 D12 D13 D14 D15 D17 D18 D22 D23 D27 D30 D31 D32 D33 D35 D36 D37 D40 D42
	G02 G03 G04 G05 G06 G09 G10 G11 G12 G13 G14 G16 G18 G19 G23 G24 G26 G27 G29 G30 G31 G33 G34 G35 G38 G39 G40 G41
	G43 G44 G45 G46 G47 G51 G53 G54 G55 G58
	W01 W02 W03 W05 W06 W08 W09 W14 W16 W17 W18 W19 W20 W21 W22 W23 W24 W25 W27 W28 W30
	E02 E06 E07 E08 E09 E10 E11 E12 E16 E17 E18 E19 E22 E23 E24 E25 E26 E28 E29`)

// later are those that nothing which is built can meet, each with what will.
var later = map[string]string{
	"G18": "threads that are resolved: the answers in threads",
	"G19": "GraphQL: the answers in threads",
	"G23": "replies: the answers in threads",
	"G30": "the merge queue: webhooks and checks",
	"G38": "annotations: checks",
	"G39": "the checks of others: watching CI",
	"G40": "check runs: checks",
	"G45": "commands in comments: the answers in threads",
	"G46": "webhooks",
	"G47": "webhooks",
	"G51": "notifications: the answers in threads",
	"E10": "limits in a model's words: the engines on models",
	"E11": "Codex' own errors: the engine on it",
	"E12": "Gemini's own errors: the engine on it",
	"E22": "sessions that are resumed: the engines on models",
}

// caseNames finds "case W05" and "cases D09, D12 and D13".
var caseNames = regexp.MustCompile(`\bcases? ((?:[A-Z][0-9]{2}(?:, and |, | and |-)?)+)`)

var caseID = regexp.MustCompile(`[A-Z][0-9]{2}`)

// TestEveryFaultIsATest: each case is named by a test, or it is said what will meet
// it. (issue 3, "Done when")
func TestEveryFaultIsATest(t *testing.T) {
	t.Parallel()
	named := map[string][]string{}
	note := func(file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range caseNames.FindAllStringSubmatch(string(text), -1) {
			for _, id := range caseID.FindAllString(m[1], -1) {
				named[id] = append(named[id], file)
			}
		}
	}
	walk(t, func(file string) {
		if strings.HasSuffix(file, "_test.go") && file != "cases_test.go" {
			note(file)
		}
	})
	scripts, err := os.ReadDir("testdata/scripts")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		note("testdata/scripts/" + script.Name())
	}
	for _, id := range faults {
		switch why := later[id]; {
		case named[id] == nil && why == "":
			t.Errorf("case %s is named by no test", id)
		case named[id] != nil && why != "":
			t.Errorf("case %s is left for %s, and is named by %v: take it off that list", id, why, named[id])
		}
	}
	for id := range later {
		if !slices.Contains(faults, id) {
			t.Errorf("there is no case %s", id)
		}
	}
}
