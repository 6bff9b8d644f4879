package poll

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

const someCommit = events.Commit("0123456789abcdef0123456789abcdef01234567")

// What people call their things is bounded and harmless; what git is asked for is
// taken as it is, or not at all.
func TestSights(t *testing.T) {
	t.Parallel()
	usual := newTerms(SkipLabelsDefault(), IgnoredDefault())
	cases := []struct {
		name  string
		pull  api.Pull
		terms terms
		want  sight
	}{
		{name: "usual", terms: usual, pull: api.Pull{Title: "Add it", Author: api.User{ID: 7, Login: "Ann"}},
			want: sight{title: "Add it", author: "Ann", authorID: "7"}},
		{name: "a deleted account (case G31)", terms: usual, pull: api.Pull{}, want: sight{author: ghost}},
		{name: "hostile words", terms: usual,
			pull: api.Pull{Title: " a\x1b[31m\nb\u202e\xff\u2028c\x00 ", Author: api.User{ID: 1, Login: "x\u200b\ty"}},
			want: sight{title: "a [31m b\uFFFD c", author: "x y", authorID: "1"}},
		{name: "long words", terms: usual, pull: api.Pull{Title: strings.Repeat("ü", 300), Author: api.User{Login: strings.Repeat("a", 300)}},
			want: sight{title: strings.Repeat("ü", titleMax), author: strings.Repeat("a", loginMax)}},
		{name: "a label in other letters", terms: usual, pull: api.Pull{Labels: []string{"bug", "Tag:Skip-Review"}},
			want: sight{place: place{label: "Tag:Skip-Review"}, author: ghost}},
		{name: "no labels skip", terms: newTerms([]string{}, nil), pull: api.Pull{Labels: []string{"tag:skip-review"}}, want: sight{author: ghost}},
		{name: "a bot that is ignored (case G43)", terms: usual, pull: api.Pull{Author: api.User{Login: "Dependabot[bot]", Bot: true}},
			want: sight{author: "Dependabot[bot]", ignored: true}},
		{name: "no other bot is, whatever its name (case G44)", terms: usual, pull: api.Pull{Author: api.User{Login: "evil-app[bot]", Bot: true}},
			want: sight{author: "evil-app[bot]"}},
		{name: "an author of one's own choice", terms: newTerms(nil, []string{"Ann"}), pull: api.Pull{Author: api.User{Login: "ann"}},
			want: sight{author: "ann", ignored: true}},
	}
	for _, c := range cases {
		if got := c.terms.see("", &c.pull); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	good := api.Pull{Number: 1, Head: someCommit, Base: someCommit, BaseRef: "main"}
	for want, change := range map[string]func(*api.Pull){
		"":                                 func(*api.Pull) {},
		"no number":                        func(p *api.Pull) { p.Number = 0 },
		`head "HEAD" is no commit`:         func(p *api.Pull) { p.Head = "HEAD" },
		`base "main~" is no commit`:        func(p *api.Pull) { p.Base = "main~" },
		`name "" cannot be used`:           func(p *api.Pull) { p.BaseRef = "" },
		`name "--upload-pack=x" cannot`:    func(p *api.Pull) { p.BaseRef = "--upload-pack=x" },
		`name "a\x1b" cannot be used`:      func(p *api.Pull) { p.BaseRef = "a\x1b" },
		`name "\xff" cannot be used`:       func(p *api.Pull) { p.BaseRef = "\xff" },
		"name \"" + strings.Repeat("b", 9): func(p *api.Pull) { p.BaseRef = strings.Repeat("b", refMax+1) },
	} {
		pull := good
		change(&pull)
		if got := unusable(&pull); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
