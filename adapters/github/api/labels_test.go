package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// oddLabels are names that a path does not hold as they are. (case G41)
var oddLabels = []string{"tag:skip-review", "area/x", "prio #1", "100%", "Ümlaut", "a?b=c&d", "%2e%2e", "plus+plus", "semi;colon", `quote"d`, "..x"}

// TestOddLabels: case G41. They are set and taken off as they are called, and nothing
// else is.
func TestOddLabels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		repo := s.Repo("octo/town")
		repo.Access("reviewer", githubtest.RoleTriage)
		repo.Labels(append([]string{"area", "prio", "prio ", "100"}, oddLabels...)...)
		repo.Push("feature", map[string]string{"a.txt": "one\n"})
		pull := repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "ann", Title: "x", Labels: []string{"area", "prio", "100"}})
		all, err := c.Labels(t.Context(), town)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range oddLabels {
			if !hasLabel(all, strings.ToLower(label)) {
				t.Errorf("%q is not in %q", label, all)
			}
			if err := c.AddLabel(t.Context(), town, pull.Number, label); err != nil {
				t.Fatal(label, err)
			}
			if !slices.Contains(pull.LabelNames(), label) {
				t.Errorf("%q is not in %q", label, pull.LabelNames())
			}
			for range 2 { // the second time it is off already
				if err := c.RemoveLabel(t.Context(), town, pull.Number, label); err != nil {
					t.Fatal(label, err)
				}
			}
			got := pull.LabelNames()
			if slices.Sort(got); !slices.Equal(got, []string{"100", "area", "prio"}) {
				t.Fatalf("after %q: %q", label, got)
			}
		}
		s.Check(t)
	})
}

// TestLabelsThatWouldBePaths: without a name the call would take all labels off.
func TestLabelsThatWouldBePaths(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := 0
		c := client(t, func(*http.Request) (*http.Response, error) {
			asked++
			return reply(200, "[]"), nil
		})
		for _, label := range []string{"", " ", ".", ".."} {
			if f := faultIn(t, c.RemoveLabel(t.Context(), town, 1, label)); f.Kind != KindValidation || asked != 0 {
				t.Errorf("%q: %v", label, f)
			}
		}
	})
}

// TestALabelOffAlready: a 404 is that, or a pull request that is hidden. (cases G34
// and G41)
func TestALabelOffAlready(t *testing.T) {
	for _, c := range []struct {
		name, said string
		pull       canned
		ok         bool
		asked      int
	}{
		{"GitHub says so", "Label does not exist", canned{}, true, 1},
		{"it is not there", "Not Found", says(200, pullBody("")), true, 2},
		{"it is there", "Not Found", says(200, pullBody(`,"labels":[{"name":"X"}]`)), false, 2},
		{"the pull request is hidden", "Not Found", says(404, `{"message":"Not Found"}`), false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f, asked := script(says(404, `{"message":"`+c.said+`"}`), c.pull)
				err := client(t, f).RemoveLabel(t.Context(), town, 1, "x")
				if c.ok != (err == nil) || *asked != c.asked {
					t.Error(err, *asked)
				}
				if err != nil && faultIn(t, err).Kind != KindNotFound {
					t.Error(err)
				}
			})
		})
	}
}

// TestLabelsAreLookedAtAfterwards: an answer that does not show what was asked for is
// no success.
func TestLabelsAreLookedAtAfterwards(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, _ := script(says(200, labelsBody("other")))
		if f := faultIn(t, client(t, f).AddLabel(t.Context(), town, 1, "x")); !f.Unknown {
			t.Error(f)
		}
		f, _ = script(says(200, labelsBody("X")))
		if f := faultIn(t, client(t, f).RemoveLabel(t.Context(), town, 1, "x")); !f.Unknown {
			t.Error(f)
		}
		f, _ = script(says(200, labelsBody("X")))
		if err := client(t, f).AddLabel(t.Context(), town, 1, "x"); err != nil {
			t.Error(err)
		}
		f, _ = script(says(200, "[]"))
		if err := client(t, f).RemoveLabel(t.Context(), town, 1, "x"); err != nil {
			t.Error(err)
		}
	})
}
