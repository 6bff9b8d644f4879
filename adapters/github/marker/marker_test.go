package marker

import (
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

const (
	headA = events.Commit("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	headB = events.Commit("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")
)

func review() Marker {
	return Marker{
		Key:  Key{Repo: 81, Number: 7, Head: headA, Kind: KindReview},
		Base: headB, Run: "00112233445566ff", Verdict: events.VerdictRequestChanges,
	}
}

func comment() Marker {
	return Marker{Key: Key{Repo: 81, Number: 7, Head: headA, Kind: KindComment}, Finding: "0123456789ab", Dedupe: "0123456789abcdef"}
}

func TestMarkersAsTheyStand(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]Marker{
		"<!-- reviewctl review v1 repo=81 pr=7 head=" + string(headA) + " base=" + string(headB) +
			" run=00112233445566ff verdict=REQUEST_CHANGES -->": review(),
		"<!-- reviewctl comment v1 repo=81 pr=7 head=" + string(headA) + " finding=0123456789ab dedupe=0123456789abcdef -->": comment(),
	} {
		if m.String() != want {
			t.Errorf("%+v is\n%s, want\n%s", m, m, want)
		}
		for _, body := range []string{want, want + "\nmore", want + "\r\nmore", want + "\n" + want} {
			if got, ok := Find(body); !ok || got != m {
				t.Errorf("in %q: %v %+v", body, ok, got)
			}
		}
	}
}

// case D42: a marker counts at its place and in its form, and nowhere else.
func TestNoMarker(t *testing.T) {
	t.Parallel()
	m := review().String()
	with := func(old, new string) string { return strings.Replace(m, old, new, 1) }
	for name, body := range map[string]string{
		"empty":              "",
		"second line":        "text\n" + m,
		"after a space":      " " + m,
		"quoted":             "> " + m,
		"text behind it":     m + " text",
		"cut":                strings.TrimSuffix(m, "-->"),
		"no version":         with(" v1 ", " "),
		"another version":    with(" v1 ", " v2 "),
		"no kind":            with("review v1", "v1"),
		"a kind with a sign": with("review v1", "re=view v1"),
		"two spaces":         with(" pr=", "  pr="),
		"a key twice":        with(" pr=7", " pr=7 pr=7"),
		"no repository":      with(" repo=81", ""),
		"no number":          with(" pr=7", ""),
		"no head":            with(" head="+string(headA), ""),
		"a short head":       with(string(headA), "aaaaaaa"),
		"no value":           with(" pr=7", " pr="),
		"no sign":            with(" pr=7", " pr=7 x"),
		"a number by name":   with("repo=81", "repo=octo/town"),
		"a number with zero": with("pr=7", "pr=07"),
		"a negative one":     with("pr=7", "pr=-7"),
		"a raw sign":         with("run=", "run=a>b"),
		"half an escape":     with("run=", "run=%3"),
		"a needless escape":  with("run=", "run=%61"),
		"capitals in it":     with("run=", "run=%3E"),
	} {
		if got, ok := Find(body); ok {
			t.Errorf("%s: found %+v", name, got)
		}
	}
}

func TestKeysOfANewerProgramAreNoObstacle(t *testing.T) {
	t.Parallel()
	body := strings.Replace(review().String(), " run=", " payload=%3Cx%3E", 1)
	if _, ok := Find(body); ok {
		t.Error("capitals in an escape")
	}
	body = strings.Replace(review().String(), " run=", " payload=%3cx%3e run=", 1)
	if got, ok := Find(body); !ok || got != review() {
		t.Errorf("%v %+v", ok, got)
	}
}

// Key equality is of repository, number, head and kind: a rename changes nothing.
func TestMatches(t *testing.T) {
	t.Parallel()
	body := review().String() + "\nbody"
	if key := review().Key; !Matches(body, key) {
		t.Error("not found")
	}
	for name, change := range map[string]func(*Key){
		"repository": func(k *Key) { k.Repo++ },
		"number":     func(k *Key) { k.Number++ },
		"head":       func(k *Key) { k.Head = headB },
		"kind":       func(k *Key) { k.Kind = KindComment },
	} {
		key := review().Key
		if change(&key); Matches(body, key) {
			t.Errorf("another %s matches", name)
		}
	}
	if Count(body) != 1 || Count(body+body) != 2 || Count("<!-- other -->") != 0 {
		t.Error("not counted")
	}
}

func TestHostileValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"-->", "--!>", "a b", "x pr=9", "\n<!-- reviewctl review v1", "%", "--", "---", "é\xff", "\u202e"} {
		m := review()
		m.Run, m.Base, m.Verdict = events.RunID(value), events.Commit(value), events.Verdict(value)
		line := m.String()
		if strings.Count(line, "-->") != 1 || strings.Contains(line, "\n") || strings.Count(line, "<") != 1 {
			t.Errorf("%q is %q", value, line)
		}
		if got, ok := Find(line); !ok || got != m {
			t.Errorf("%q: %v %+v", value, ok, got)
		}
	}
}

// semantics 36.3
func TestLegacyMarkers(t *testing.T) {
	t.Parallel()
	key := review().Key
	phase := "<!-- thepastaclaw-review-phase v1 phase=final sha=" + string(headA) + " policy=0123456789abcdef -->"
	for body, want := range map[string]bool{
		"<!-- thepastaclaw-review v1 -->\n" + phase + "\n## Title": true,
		"<!-- thepastaclaw-review v1 -->\r\n" + phase + "\r\n":     true,
		phase: true,
		strings.Replace(phase, "final", "preliminary", 1):       true,
		strings.Replace(phase, string(headA), string(headB), 1): false,
		"text\n" + phase: false,
		"<!-- thepastaclaw-review v1 -->\ntext\n" + phase:                                       false,
		"<!-- thepastaclaw-review v1 -->":                                                       false,
		"<!-- t27-bees:review:octo/town#7@" + string(headA) + " -->\nx":                         true,
		"<!-- t27-bees:review:old/name#7@" + string(headA) + " -->":                             true,
		"text\n<!-- t27-bees:review:octo/town#7@" + string(headA) + " -->\n":                    true,
		"text <!-- t27-bees:review:octo/town#7@" + string(headA) + " -->":                       false,
		"<!-- t27-bees:review:octo/town#8@" + string(headA) + " -->":                            false,
		"<!-- t27-bees:review:octo/town#7@" + string(headB) + " -->":                            false,
		"<!-- thepastaclaw-review v1 finding=0123456789ab dedupe=0123456789abcdef root=a-b -->": false,
		review().String(): false,
	} {
		if got := MatchesLegacy(body, key); got != want {
			t.Errorf("%q: %v", body, got)
		}
	}
	l, ok := FindLegacy("<!-- thepastaclaw-review v1 finding=0123456789ab dedupe=0123456789abcdef root=a-b -->\n**x**")
	if !ok || l.Finding != "0123456789ab" || l.Dedupe != "0123456789abcdef" {
		t.Errorf("%v %+v", ok, l)
	}
}

// FuzzFind: what is found is written back as it was read, but for keys that are
// not known.
func FuzzFind(f *testing.F) {
	f.Add(review().String() + "\nbody")
	f.Add(comment().String())
	f.Add(strings.Replace(review().String(), "81", "%381", 1))
	f.Fuzz(func(t *testing.T, body string) {
		m, ok := Find(body)
		if !ok {
			return
		}
		if again, ok := Find(m.String()); !ok || again != m {
			t.Fatalf("%q: %+v becomes %+v", body, m, again)
		}
	})
}

// FuzzValues: no value ends the comment or adds a key.
func FuzzValues(f *testing.F) {
	f.Add("00112233445566ff", "0123456789ab", "0123456789abcdef")
	f.Add("--> x=1", "--", "%2d")
	f.Fuzz(func(t *testing.T, run, finding, dedupe string) {
		m := review()
		m.Run, m.Finding, m.Dedupe = events.RunID(run), events.Fingerprint(finding), dedupe
		if got, ok := Find(m.String() + "\n" + run); !ok || got != m {
			t.Fatalf("%q is read as %+v", m.String(), got)
		}
	})
}
