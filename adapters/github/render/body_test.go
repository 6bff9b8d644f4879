package render

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/marker"
	"github.com/reviewctl/reviewctl/events"
)

// TestEvents: a verdict becomes an approval or a request only where GitHub and the
// policy take it. (case G13)
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		verdict events.Verdict
		outcome events.Outcome
		approve bool
		own     bool
		want    api.Event
	}{
		{events.VerdictRequestChanges, events.OutcomeFindings, false, false, api.EventRequestChanges},
		{events.VerdictRequestChanges, events.OutcomePartial, false, false, api.EventRequestChanges},
		{events.VerdictRequestChanges, events.OutcomeFindings, true, true, api.EventComment},
		{events.VerdictComment, events.OutcomeFindings, true, false, api.EventComment},
		{events.VerdictApprove, events.OutcomeClean, true, false, api.EventApprove},
		{events.VerdictApprove, events.OutcomeClean, false, false, api.EventComment},
		{events.VerdictApprove, events.OutcomePartial, true, false, api.EventComment},
		{events.VerdictApprove, events.OutcomeClean, true, true, api.EventComment},
	} {
		r := sample()
		r.Verdict, r.Outcome, r.Approve, r.Own = test.verdict, test.outcome, test.approve, test.own
		out, err := Render(r)
		if err != nil {
			t.Fatal(err)
		}
		if out.Event != test.want {
			t.Errorf("%+v: %s", test, out.Event)
		}
		if said := strings.Contains(out.Body, "The verdict is `"+string(test.verdict)+"`"); said != test.own {
			t.Errorf("%+v: an own pull request is said to be: %v", test, said)
		}
		if approved := strings.Contains(out.Body, "Approved"); approved != (test.want == api.EventApprove) {
			t.Errorf("%+v says that it approves: %v", test, approved)
		}
	}
}

func TestMarkersOfTheParts(t *testing.T) {
	t.Parallel()
	r := with(finding(3, events.SeverityBlocking, "x", "cmd/main.go", 11, 12))
	out, err := Render(r)
	if err != nil {
		t.Fatal(err)
	}
	key := marker.Key{Repo: 81, Number: 7, Head: head, Kind: marker.KindReview}
	if m, ok := marker.Find(out.Body); !ok || m.Key != key || m.Run != r.Run || m.Base != r.Base || m.Verdict != r.Verdict {
		t.Errorf("%v %+v", ok, m)
	}
	key.Kind = marker.KindComment
	m, ok := marker.Find(out.Comments[0].Body)
	if f := r.Findings[0]; !ok || m.Key != key || m.Finding != f.Fingerprint || m.Dedupe != f.Dedupe || out.Inline[0] != f.Fingerprint {
		t.Errorf("%v %+v", ok, m)
	}
	if !strings.Contains(out.Body, string(head[:7])) {
		t.Error("the text does not name the head")
	}
}

func TestNothingToPost(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Review){
		"no repository": func(r *Review) { r.RepoID = 0 },
		"no number":     func(r *Review) { r.Number = 0 },
		"no head":       func(r *Review) { r.Head = "9fceb02" },
		"not run":       func(r *Review) { r.Outcome = events.OutcomeNotRun },
		"failed":        func(r *Review) { r.Outcome = events.OutcomeFailed },
		"no verdict":    func(r *Review) { r.Verdict = "" },
	} {
		r := sample()
		change(r)
		if out, err := Render(r); err == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// A body is never longer than it may be; what is cut is said, and the marker, the
// verdict of an own pull request and each finding's line stay.
func TestLimits(t *testing.T) {
	t.Parallel()
	for most := 10_000; most <= 70_000; most += 20_000 {
		r := many()
		r.Own, r.BodyMax = true, most
		out, err := Render(r)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, fmt.Sprintf("at most %d", most), out)
		if len(out.Body) > most {
			t.Errorf("at most %d: %d bytes", most, len(out.Body))
		}
		for _, want := range []string{
			"<!-- reviewctl review v1 repo=81", "The verdict is `REQUEST_CHANGES`", "is shortened or left out: findings not shown inline",
			"`reviewctl get findings octo/town#7`", "`reviewctl explain octo/town#7`",
		} {
			if !strings.Contains(out.Body, want) {
				t.Errorf("at most %d: no %q", most, want)
			}
		}
	}
}

// The longest single finding there can be.
func TestLongestFinding(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", "<b>", "`", "日", "~~~\n", "@a ", "``` `", "&lt;", "\\*"} {
		for _, placement := range []events.Placement{events.PlacementInline, events.PlacementBody} {
			long := strings.Repeat(text, 20_000/len(text))
			f := finding(1, events.SeverityBlocking, long[:2000/len(text)*len(text)], "cmd/main.go", 11, 12)
			f.Body, f.Suggestion, f.Placement, f.Rule = long, long, placement, f.Title
			f.PlacementReason, f.SuggestionReason = f.Title, f.Title
			for range 10 {
				f.Sources = append(f.Sources, f.Title)
			}
			out, err := Render(with(f))
			if err != nil {
				t.Fatal(err)
			}
			for _, posted := range append(out.Comments, api.Comment{Body: out.Body}) {
				if len(posted.Body) > bodyMax || marker.Count(posted.Body) != 1 {
					t.Errorf("%q %s: %d bytes, %d markers", text, placement, len(posted.Body), marker.Count(posted.Body))
				}
			}
		}
	}
}

// A clean review says no more than what was looked at.
func TestCleanIsHonest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Review)
		want   string
	}{
		"some":     {func(*Review) {}, "✅ Nothing to remark in 1 of 2 changed files. The others were not looked at"},
		"all":      {func(r *Review) { r.Coverage = r.Coverage[:1] }, "✅ Nothing to remark in 1 changed file. This is a comment and not an approval."},
		"none":     {func(r *Review) { r.Coverage = r.Coverage[1:] }, "No file was reviewed"},
		"in part":  {func(r *Review) { r.Outcome = events.OutcomePartial }, "Nothing to remark in what was reviewed."},
		"no count": {func(r *Review) { r.Coverage = nil }, "✅ Nothing to remark. This is a comment and not an approval."},
	} {
		r := sample()
		test.change(r)
		out, err := Render(r)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.Body, test.want) {
			t.Errorf("%s: no %q in\n%s", name, test.want, out.Body)
		}
		if partial := strings.Contains(out.Body, "Not everything was reviewed"); partial != (r.Outcome == events.OutcomePartial) {
			t.Errorf("%s is said to be partial: %v", name, partial)
		}
	}
}

// case E24: known values and what looks like a token are taken out everywhere.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	token := strings.Join([]string{"ghs", strings.Repeat("Zx9", 12)}, "_")
	plain := "correct horse battery staple"
	for name, secret := range map[string]string{
		"a known value":   plain,
		"the token":       token,
		"another's":       strings.Join([]string{"github", "pat", strings.Repeat("a1B2", 15)}, "_"),
		"aws":             "AKIA" + strings.Repeat("Q7", 8),
		"jwt":             "eyJ" + strings.Repeat("a", 20) + ".eyJ" + strings.Repeat("b", 20) + ".sig",
		"an address":      "https://ann:" + "hunter22" + "@example.org/x",
		"a key":           "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIabc\n-----END RSA PRIVATE " + "KEY-----",
		"parted by space": token[:20] + "\u200b" + token[20:],
	} {
		f := finding(1, events.SeverityBlocking, "leaks "+secret, "cmd/main.go", 11, 12)
		f.Body, f.Rule, f.Suggestion = "It is "+secret+" there", secret, secret
		body := f
		body.Placement, body.PlacementReason, body.File = events.PlacementBody, "why "+secret, secret+".go"
		r := with(f, body)
		r.Secrets = []string{token, plain, "", "short"}
		r.BaseNote, r.Reason, r.Lanes[0].Reason, r.Lanes[0].Model = secret, secret, secret, secret
		r.Withheld = []Withheld{{Title: secret, File: secret, Reason: secret}}
		r.Coverage[1].Reason, r.Coverage[1].File = secret, secret
		out, err := Render(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		core := strings.Trim(strings.ReplaceAll(secret, "\u200b", ""), "-")
		for _, part := range strings.Split(core, "\n") {
			if all := asText(out); strings.Contains(all, part) && !strings.Contains(part, "RSA") {
				t.Errorf("%s: %q stands in\n%s", name, part, all)
			}
		}
	}
}

// A canary that still stands stops the review. (github.md §5)
func TestCanaryStopsTheReview(t *testing.T) {
	t.Parallel()
	canary := strings.Join([]string{"ghs", strings.Repeat("Zx9", 12)}, "_")
	spaced := strings.Join(strings.Split(canary, ""), " ")
	f := finding(1, events.SeverityBlocking, "x", "cmd/main.go", 11, 12)
	for name, change := range map[string]func(*Review){
		"letter by letter": func(r *Review) { r.Findings[0].Body = spaced },
		"in the body":      func(r *Review) { r.BaseNote = spaced },
	} {
		r := with(f)
		change(r)
		if _, err := Render(r); err != nil {
			t.Errorf("%s without a canary: %v", name, err)
		}
		r.Secrets = []string{canary}
		if _, err := Render(r); !errors.Is(err, ErrSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A path cannot be masked: the finding is not inline.
	r := with(finding(1, events.SeverityBlocking, "x", canary+".go", 1, 1))
	r.Secrets = []string{canary}
	r.Diff.Files = []api.File{{Name: canary + ".go", Status: "added", HasPatch: true, Patch: "@@ -0,0 +1 @@\n+a"}}
	if out, err := Render(r); err != nil || len(out.Comments) != 0 || out.Moved[0].Why != whySecret {
		t.Errorf("%v %+v", err, out)
	}
}

func TestFormsOfASecret(t *testing.T) {
	t.Parallel()
	const secret = "a/b+c=d e 0123456789"
	m := newMasker([]string{secret})
	for _, text := range []string{
		"x" + secret + "y", "YS9iK2M9ZCBlIDAxMjM0NTY3ODk=", "eGEvYitjPWQgZSAwMTIzNDU2Nzg5", "a%2Fb%2Bc%3Dd+e+0123456789",
		"612f622b633d6420652030313233343536373839",
	} {
		if got := m.mask(text); !strings.Contains(got, "[secret]") || m.holds(got) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := m.mask("nothing of it"); got != "nothing of it" {
		t.Errorf("got %q", got)
	}
}

func TestRenderIsTheSameTwice(t *testing.T) {
	t.Parallel()
	for name := range reviews() {
		one, err1 := Render(reviews()[name])
		two, err2 := Render(reviews()[name])
		if err1 != nil || err2 != nil || asText(one) != asText(two) {
			t.Errorf("%s differs: %v %v", name, err1, err2)
		}
	}
}
