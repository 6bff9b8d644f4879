package static

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// The secrets are put together here, so that no scanner stops at this file.
var (
	awsKey    = "AKIA" + "Q3EGRMZVK7WSBNTY"
	awsOther  = "AKIA" + "Z5JHTRWQ2XMVLKPD"
	ghToken   = "ghp_" + "x7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB"
	keyHeader = "-----BEGIN RSA " + "PRIVATE KEY-----"
	keyBody   = strings.Repeat("MIIEpAIBAAKCAQEAx7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB\n", 6)
	keyFooter = "-----END RSA " + "PRIVATE KEY-----"
)

func review(t *testing.T, e *Engine, base, head changetest.Files) *session.Answer {
	t.Helper()
	change := changetest.New(t, base, head)
	answer, err := e.Review(t.Context(), &session.Input{Change: change, Diff: changetest.Parse(t, change)})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// lines describes findings as "rule file:start-end".
func lines(answer *session.Answer) []string {
	var all []string
	for _, f := range answer.Findings {
		all = append(all, fmt.Sprintf("%s %s:%d-%d", f.Rule, f.File, f.LineStart, f.LineEnd))
	}
	return all
}

type secretCase struct {
	base, head changetest.Files
	want       []string
}

// secretCases are changes by what they do with a secret.
func secretCases() map[string]secretCase {
	key := keyHeader + "\n" + keyBody + keyFooter
	return map[string]secretCase{
		"added to a new file": {
			head: changetest.Files{"a.yml": "one: 1\nkey: " + awsKey + "\n"},
			want: []string{"gitleaks:aws-access-token a.yml:2-2"},
		},
		"allow comments and ignore files of the change do not count": {
			head: changetest.Files{
				".gitleaksignore": "a.yml:aws-access-token:1\n", ".gitleaks.toml": "[allowlist]\npaths=['''.*''']\n",
				"a.yml": "key: " + awsKey + " # gitleaks:allow\n",
			},
			want: []string{"gitleaks:aws-access-token a.yml:1-1"},
		},
		"no allow comment hides a secret behind a name": {
			head: changetest.Files{"node_modules/x/gitleaks.toml": "key = \"" + awsKey + "\"\n"},
			want: []string{"gitleaks:aws-access-token node_modules/x/gitleaks.toml:1-1"},
		},
		"in the file before, on a line that stays": {
			base: changetest.Files{"a.yml": "key: " + awsKey + "\n" + strings.Repeat("x\n", 30)},
			head: changetest.Files{"a.yml": "key: " + awsKey + "\n" + strings.Repeat("x\n", 30) + "copy: " + awsKey + "\n"},
		},
		"moved within the file": {
			base: changetest.Files{"a.yml": "key: " + awsKey + "\nx\n"},
			head: changetest.Files{"a.yml": "x\nkey: " + awsKey + "\n"},
		},
		"moved with the file": {
			base: changetest.Files{"a.yml": "key: " + awsKey + "\n" + strings.Repeat("line\n", 20)},
			head: changetest.Files{"b.yml": "key:  " + awsKey + "\n" + strings.Repeat("line\n", 20)},
		},
		"another one of the same kind": {
			base: changetest.Files{"a.yml": "key: " + awsKey + "\n"},
			head: changetest.Files{"a.yml": "key: " + awsOther + "\n"},
			want: []string{"gitleaks:aws-access-token a.yml:1-1"},
		},
		"over several lines": {
			base: changetest.Files{"k.go": "package k\n\nvar a = 1\n"},
			head: changetest.Files{"k.go": "package k\n\nconst k = `" + key + "`\n\nvar a = 1\n"},
			want: []string{"gitleaks:private-key k.go:3-10"},
		},
		"in a file without a newline at its end": {
			head: changetest.Files{"a": "token=" + ghToken},
			want: []string{"gitleaks:github-pat a:1-1"},
		},
		"removed": {
			base: changetest.Files{"a.yml": "key: " + awsKey + "\nx\n"},
			head: changetest.Files{"a.yml": "x\n"},
		},
		"half of it on a line that is not added": {
			base: changetest.Files{"k": keyHeader + "\n" + keyBody + "x\n"},
			head: changetest.Files{"k": keyHeader + "\n" + keyBody + keyFooter + "\n"},
		},
		"the same one twice on a line": {
			head: changetest.Files{"a": "k: '" + ghToken + "' and '" + ghToken + "'\n"},
			want: []string{"gitleaks:github-pat a:1-1", "gitleaks:github-pat a:1-1"},
		},
		"a name that is not UTF-8": {
			head: changetest.Files{"a\xffb": "key: " + awsKey + "\n"},
			want: []string{"gitleaks:aws-access-token a\uFFFDb:1-1"},
		},
		"windows line ends": {
			base: changetest.Files{"a": "x\r\n"},
			head: changetest.Files{"a": "x\r\nkey: " + awsKey + "\r\n"},
			want: []string{"gitleaks:aws-access-token a:2-2"},
		},
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	for name, c := range secretCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := review(t, New(Options{}), c.base, c.head)
			if got := lines(answer); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			raw, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{awsKey, awsOther, ghToken, "MIIEpAIBAAKCAQEA"} {
				if strings.Contains(string(raw), secret) {
					t.Errorf("the answer holds the secret: %s", raw)
				}
			}
		})
	}
}

func TestSecretsOfOneKindAreToldApart(t *testing.T) {
	t.Parallel()
	title := func(answer *session.Answer, i int) string { return answer.Findings[i].Title }
	two := review(t, New(Options{}), nil, changetest.Files{"a": "first: " + awsKey + "\nsecond: " + awsOther + "\n"})
	moved := review(t, New(Options{}), nil, changetest.Files{"a": "x\n\nsecond: " + awsKey + "\n"})
	same := review(t, New(Options{}), nil, changetest.Files{"a": "k: " + awsKey + "\nx\nk: " + awsOther + "\n"})
	if len(two.Findings) != 2 || title(two, 0) == title(two, 1) {
		t.Errorf("two secrets: %+v", two.Findings)
	}
	if title(moved, 0) != title(two, 1) {
		t.Errorf("title %q became %q with the first secret gone and another text", title(two, 1), title(moved, 0))
	}
	if len(same.Findings) != 2 || title(same, 0) == title(same, 1) {
		t.Errorf("two secrets in the same words: %+v", same.Findings)
	}
	if !regexp.MustCompile(`^Secret in the code: aws-access-token \(place [0-9a-f]{6}\)$`).MatchString(title(two, 0)) {
		t.Errorf("title %q", title(two, 0))
	}
}

func TestConflictMarkers(t *testing.T) {
	t.Parallel()
	set := "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
	for name, c := range map[string]struct {
		base, head changetest.Files
		want       []string
	}{
		"a whole set": {
			base: changetest.Files{"a": "x\n"}, head: changetest.Files{"a": "x\n" + set},
			want: []string{"conflict-marker a:2-6"},
		},
		"two sets are one finding": {
			base: changetest.Files{"a": "x\n"}, head: changetest.Files{"a": set + "x\n" + set},
			want: []string{"conflict-marker a:1-5"},
		},
		"with the origin between": {
			head: changetest.Files{"a": "<<<<<<<\na\n|||||||\no\n=======\nb\n>>>>>>>\n"},
			want: []string{"conflict-marker a:1-7"},
		},
		"windows line ends": {
			head: changetest.Files{"a": strings.ReplaceAll(set, "\n", "\r\n")},
			want: []string{"conflict-marker a:1-5"},
		},
		"around lines that stay": {
			base: changetest.Files{"a": "x\ny\n"}, head: changetest.Files{"a": "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n"},
			want: []string{"conflict-marker a:1-5"},
		},
		"headlines":           {head: changetest.Files{"a.rst": "Title\n=======\n\nText\n>>>>>>> quote\n", "b.md": "Title\n=======\n"}},
		"no middle":           {head: changetest.Files{"a": "<<<<<<< x\n>>>>>>> y\n"}},
		"wrong order":         {head: changetest.Files{"a": "=======\n<<<<<<< x\n>>>>>>> y\n"}},
		"eight of them":       {head: changetest.Files{"a": "<<<<<<<< x\n========\n>>>>>>>> y\n"}},
		"indented":            {head: changetest.Files{"a": " <<<<<<< x\n =======\n >>>>>>> y\n"}},
		"only the end is new": {base: changetest.Files{"a": "<<<<<<< x\na\n=======\nb\n"}, head: changetest.Files{"a": "<<<<<<< x\na\n=======\nb\n>>>>>>> y\n"}},
		"there before": {
			base: changetest.Files{"a": "1\n2\n3\n4\n5\n6\n7\n8\n" + set}, head: changetest.Files{"a": set + "1\n2\n3\n4\n5\n6\n7\n8\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := review(t, New(Options{}), c.base, c.head)
			if got := lines(answer); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, f := range answer.Findings {
				if f.Severity != events.SeverityBlocking {
					t.Errorf("severity %q", f.Severity)
				}
			}
		})
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}),
		changetest.Files{"gone": "key: " + awsKey + "\n", "image": "\x00\x01"},
		changetest.Files{"image": "\x00\x02" + awsKey, "kept": "x\n"})
	want := []events.FileCoverage{
		{Path: "gone", Status: "excluded", Reason: "deleted by the change"},
		{Path: "image", Status: "binary", Reason: "git shows no text of it"},
	}
	if !reflect.DeepEqual(answer.Skipped, want) || len(answer.Findings) != 0 {
		t.Errorf("skipped %+v, findings %q", answer.Skipped, lines(answer))
	}
}

func TestByteCapsAreOnRecord(t *testing.T) {
	t.Parallel()
	e := &Engine{fileMax: 100, totalMax: 130, rowsMax: RowBytesMax}
	filler := strings.Repeat("x\n", 40)
	answer := review(t, e, nil, changetest.Files{
		"a": filler + "12345678901234567890\nkey: " + awsKey + "\n",
		"b": filler,
		"c": "key: " + awsKey + "\n",
	})
	want := []events.FileCoverage{
		{Path: "a", Status: "partial", Reason: "only the first 100 of 127 added bytes were searched for secrets"},
		{Path: "b", Status: "partial", Reason: "only the first 30 of 80 added bytes were searched for secrets"},
		{Path: "c", Status: "partial", Reason: "only the first 0 of 26 added bytes were searched for secrets"},
	}
	if !reflect.DeepEqual(answer.Skipped, want) || len(answer.Findings) != 0 {
		t.Errorf("skipped %+v, findings %q", answer.Skipped, lines(answer))
	}
}

func TestSecretsOnTheBorderOfPieces(t *testing.T) {
	t.Parallel()
	for name, filler := range map[string]string{"lines": "abcdefg\n", "one line": "abcd efg"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, before := range []int{pieceBytes - 40, pieceBytes - 8, pieceBytes + 8} {
				pad := strings.Repeat(filler, before/8)
				answer := review(t, New(Options{}), nil, changetest.Files{"a": pad + "key: " + awsKey + "\nx\n" + pad + "k: " + awsOther + "\n"})
				first := strings.Count(pad, "\n") + 1
				want := []string{
					fmt.Sprintf("gitleaks:aws-access-token a:%d-%d", first, first),
					fmt.Sprintf("gitleaks:aws-access-token a:%d-%d", 2*first+1, 2*first+1),
				}
				if got := lines(answer); !reflect.DeepEqual(got, want) {
					t.Errorf("%d bytes before: got %q, want %q", before, got, want)
				}
			}
		})
	}
}

func TestReviewIsTheSameTwice(t *testing.T) {
	t.Parallel()
	head := changetest.Files{
		"a": "key: " + awsKey + "\nsecret = '" + ghToken + "' # " + awsOther + "\n" + keyHeader + "\n" + keyBody + keyFooter + "\n",
		"b": "<<<<<<< a\n=======\n>>>>>>> b\ntoken: " + ghToken + "\n",
	}
	first := review(t, New(Options{}), nil, head)
	for range 5 {
		if again := review(t, New(Options{}), nil, head); !reflect.DeepEqual(first, again) {
			t.Fatalf("first %+v, then %+v", first, again)
		}
	}
}

func TestReviewThatIsCutShortHasNoAnswer(t *testing.T) {
	t.Parallel()
	change := changetest.New(t, nil, changetest.Files{"a": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer, err := New(Options{}).Review(ctx, &session.Input{Change: change, Diff: changetest.Parse(t, change)})
	if answer != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func TestVersionNamesTheRules(t *testing.T) {
	t.Parallel()
	if v := New(Options{}).version(); !regexp.MustCompile(`^static/[0-9a-f]{12}$`).MatchString(v) {
		t.Errorf("version %q", v)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a key " + awsKey + " and " + ghToken + " end":          "a key [secret: aws-access-token] and [secret: github-pat] end",
		"x " + keyHeader + "\n" + keyBody + keyFooter + " y":    "x [secret: private-key] y",
		"x " + keyHeader + "\n" + keyBody:                       "x [secret: private-key]",
		keyBody + keyFooter + " y":                              "[secret: private-key] y",
		"{\"a\":\"" + ghToken + "\",\"b\":\"" + ghToken + "\"}": "{\"a\":\"[secret: github-pat]\",\"b\":\"[secret: github-pat]\"}",
		"nothing": "nothing",
	} {
		if got, err := Redact(t.Context(), in); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}
