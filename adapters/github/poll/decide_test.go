package poll

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// at reads "HEAD", "HEAD draft", "HEAD label", "HEAD on=BRANCH" or "HEAD title=T".
func at(text string) sight {
	s := sight{place: place{base: "main"}}
	for i, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case i == 0:
			s.head = events.Commit(word)
		case key == "draft":
			s.draft = true
		case key == "label":
			s.label = "tag:skip-review"
		case key == "on":
			s.base = value
		case key == "title":
			s.title = value
		case key == "name":
			s.name = events.RepoName(value)
		case key == "author":
			s.author = value
		}
	}
	return s
}

func scanOf(texts ...string) []listed {
	var scan []listed
	for _, text := range texts {
		var number int
		what := ""
		if _, err := fmt.Sscanf(text, "%d=%s", &number, &what); err != nil {
			panic(err)
		}
		_, what, _ = strings.Cut(text, "=")
		bad := strings.HasPrefix(what, "bad")
		scan = append(scan, listed{sight: at(what), pull: &api.Pull{Number: number}, bad: bad})
	}
	return scan
}

func TestDecide(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		open   []int    // on record at the start
		told   []string // one after another
		closed []int
		scan   []string
		want   []string // "N HEAD" told, "N?" confirmed
	}{
		{name: "all new, by number", scan: []string{"7=a", "2=b"}, want: []string{"2 b", "7 a"}},
		{name: "nothing changed", told: []string{"1=a", "2=b"}, scan: []string{"1=a", "2=b"}},
		{name: "a page that shifted shows one twice (case G04)", scan: []string{"1=a", "1=a"}, want: []string{"1 a"}},
		{name: "its head moved", told: []string{"1=a"}, scan: []string{"1=b"}, want: []string{"1 b"}},
		{name: "its base changed under the same head", told: []string{"1=a"}, scan: []string{"1=a on=next"}, want: []string{"1 a"}},
		{name: "its label came", told: []string{"1=a"}, scan: []string{"1=a label"}, want: []string{"1 a"}},
		{name: "its title changed", told: []string{"1=a"}, scan: []string{"1=a title=t"}, want: []string{"1 a"}},
		{name: "its title changed back", told: []string{"1=a", "1=a title=t"}, scan: []string{"1=a"}, want: []string{"1 a"}},
		{name: "its repository was renamed", told: []string{"1=a"}, scan: []string{"1=a name=o/new"}, want: []string{"1 a"}},
		{name: "its author was deleted", told: []string{"1=a"}, scan: []string{"1=a author=ghost"}, want: []string{"1 a"}},

		{name: "first seen as a draft", scan: []string{"1=a draft"}, want: []string{"1 a"}},
		{name: "became a draft (case G29)", told: []string{"1=a"}, scan: []string{"1=a draft"}, want: []string{"1?"}},
		{name: "became ready (case G29)", told: []string{"1=a draft"}, scan: []string{"1=a"}, want: []string{"1?"}},
		{name: "back to a head that it left", told: []string{"1=a", "1=b"}, scan: []string{"1=a"}, want: []string{"1?"}},
		{name: "back to a head that it left long before", scan: []string{"1=a"}, want: []string{"1 a"},
			told: []string{"1=a", "1=b", "1=c", "1=d", "1=e", "1=f", "1=g", "1=h", "1=i", "1=j"}},
		{name: "back to a base that it left", told: []string{"1=a", "1=a on=next"}, scan: []string{"1=a"}, want: []string{"1?"}},
		{name: "back to the label that it had", told: []string{"1=a label", "1=a"}, scan: []string{"1=a label"}, want: []string{"1?"}},

		{name: "absent (case G53)", told: []string{"1=a", "2=b"}, scan: []string{"2=b"}, want: []string{"1?"}},
		{name: "closed while we were down", open: []int{3, 1, 2}, scan: []string{"2=b"}, want: []string{"1?", "3?", "2 b"}},
		{name: "on record and told", open: []int{1}, told: []string{"1=a"}, want: []string{"1?"}},
		{name: "absent ones first", told: []string{"9=a"}, scan: []string{"1=b"}, want: []string{"9?", "1 b"}},
		{name: "opened again, or a stale list", closed: []int{1}, scan: []string{"1=a"}, want: []string{"1?"}},
		{name: "opened again and told", closed: []int{1}, told: []string{"1=a"}, scan: []string{"1=b"}, want: []string{"1 b"}},

		{name: "nobody can be told of it", scan: []string{"1=bad"}},
		{name: "and it is not absent", told: []string{"1=a"}, scan: []string{"1=bad"}},
	}
	for _, c := range cases {
		m := newMemory(c.open)
		for _, number := range c.closed {
			m.close(number)
		}
		for _, l := range scanOf(c.told...) {
			m.tell(l.pull.Number, l.sight)
		}
		var got []string
		for _, s := range decide(scanOf(c.scan...), m) {
			if s.confirm {
				got = append(got, fmt.Sprintf("%d?", s.number))
				continue
			}
			got = append(got, fmt.Sprintf("%d %s", s.number, s.scanned.head))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The memory of the past is bounded.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory(nil)
	for i := range 3 * closedMax {
		m.tell(1, at(fmt.Sprint("h", i)))
		m.close(i + 2)
	}
	if len(m.left[1]) != leftMax || len(m.closed) != closedMax {
		t.Errorf("%d places and %d closed ones are remembered", len(m.left[1]), len(m.closed))
	}
	if m.close(1); len(m.told)+len(m.left) != 0 {
		t.Errorf("%d sights and %d places stay", len(m.told), len(m.left))
	}
}
