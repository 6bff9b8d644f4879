package localgit

import (
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	branches := func(pairs ...string) []git.Branch {
		var list []git.Branch
		for _, p := range pairs {
			name, head, _ := strings.Cut(p, "=")
			list = append(list, git.Branch{Name: name, Head: events.Commit(head)})
		}
		return list
	}
	cases := []struct {
		name     string
		here     []git.Branch
		told     memory
		numbered []string
		want     []string // "+ref" observed, "-ref" closed
	}{
		{name: "all new, in order", here: branches("a=1", "b=2"), want: []string{"+a", "+b"}},
		{name: "nothing changed", here: branches("a=1", "b=2"), told: memory{"a": "1", "b": "2"}},
		{name: "base is no pull request", here: branches("a=1", "main=9"), want: []string{"+a"}},
		{name: "branch came back", here: branches("a=1"), told: memory{"a": ""}, want: []string{"+a"}},
		{name: "branch gone", told: memory{"a": "1"}, want: []string{"-a"}},
		{name: "closing not done yet", told: memory{"a": ""}, want: []string{"-a"}},
		{name: "gone while away", here: branches("b=2"), numbered: []string{"a", "b"}, want: []string{"-a", "+b"}},
		{name: "gone while away, of other patterns", numbered: []string{"other/a"}},
		{name: "head moved", here: branches("a=2", "b=2"), told: memory{"a": "1", "b": "2"}, want: []string{"+a"}},
		{name: "name is not UTF-8", here: branches("\xff=1")},
		{name: "number of a commit by hand", numbered: []string{"0123456789ab", "0123456789abcdef0123456789abcdef01234567"}},
		{name: "number of the base", numbered: []string{"main"}},
		{name: "renamed", here: branches("b=1"), told: memory{"a": "1"}, want: []string{"-a", "+b"}},
		{name: "several gone, in order", told: memory{"c": "1", "a": "1", "b": "1"}, want: []string{"-a", "-b", "-c"}},
	}
	for _, c := range cases {
		now := view{base: "main", tip: "9", branches: c.here}
		var got []string
		for _, s := range decide(now, c.told, c.numbered, func(ref string) bool { return !strings.Contains(ref, "/") }) {
			if s.branch == nil {
				got = append(got, "-"+s.ref)
				continue
			}
			got = append(got, "+"+s.ref)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
