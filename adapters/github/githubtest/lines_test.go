package githubtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// raw is a request below go-github, which refuses some of what GitHub must refuse.
type raw struct {
	Status  int
	Header  http.Header
	Text    string
	Message string
	Docs    string
	Errors  []string
	ID      int64
	State   string
}

func (w *world) do(token, method, path string, body any) raw {
	w.t.Helper()
	r, err := w.try(token, method, path, body, nil)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (w *world) try(token, method, path string, body any, header http.Header) (raw, error) {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	if string(text) == "null" {
		text = nil
	}
	req, err := http.NewRequestWithContext(context.Background(), method, "https://api.github.com"+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "test")
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-Github-Api-Version", "2022-11-28")
	if text != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := w.RoundTripper().RoundTrip(req)
	if err != nil {
		return raw{}, err
	}
	return read(w.t, resp), nil
}

func read(t *testing.T, resp *http.Response) raw {
	t.Helper()
	defer resp.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	r := raw{Status: resp.StatusCode, Header: resp.Header, Text: out.String()}
	var shape struct {
		Message string          `json:"message"`
		Docs    string          `json:"documentation_url"`
		Errors  json.RawMessage `json:"errors"`
		ID      int64           `json:"id"`
		State   string          `json:"state"`
	}
	if json.Unmarshal(out.Bytes(), &shape) == nil {
		r.Message, r.Docs, r.ID, r.State = shape.Message, shape.Docs, shape.ID, shape.State
		_ = json.Unmarshal(shape.Errors, &r.Errors) // objects are looked at in Text
	}
	return r
}

type m = map[string]any

// post creates a review, a second after the last write.
func (w *world) post(pull *githubtest.PullRequest, body m) raw {
	w.t.Helper()
	w.write()
	return w.do(w.token, "POST", fmt.Sprintf("/repos/octo/town/pulls/%d/reviews", pull.Number), body)
}

// lined is a pull request with hunks of all kinds:
//
//	n.txt     two hunks, RIGHT 2-8 and 22-28
//	end.txt   the last line without its end on both sides (case D01)
//	moved.go  renamed from old.go with one changed line
//	gone.txt  removed
//	pic.bin   binary
func (w *world) lined() *githubtest.PullRequest {
	w.t.Helper()
	repo := w.Repo("octo/town")
	text := strings.Repeat("a line that stays as it is\n", 20)
	repo.Push("main", githubtest.Files{"n.txt": numbers, "end.txt": "keep\nold", "old.go": text + "last\n", "gone.txt": "a\nb\n", "pic.bin": "\x00\x01"})
	changed := strings.Replace(strings.Replace(numbers, "\n5\n", "\nfive\n", 1), "\n25\n", "\ntwenty-five\n", 1)
	repo.Push("fix", githubtest.Files{
		"n.txt": changed, "end.txt": "keep\nnew", "old.go": githubtest.Gone, "moved.go": text + "first\n", "gone.txt": githubtest.Gone, "pic.bin": "\x00\x02",
	})
	return repo.Open(githubtest.Pull{Head: "fix"})
}

func TestAnInlineCommentNeedsAPlaceInTheDiff(t *testing.T) {
	t.Parallel()
	const (
		line      = "Line could not be resolved"
		path      = "Path could not be resolved"
		hunk      = "diff hunk can't be blank"
		other     = "must be part of the same hunk as the line"
		backwards = "start line must precede the end line"
		position  = "Position is invalid"
	)
	w := newWorld(t, githubtest.Params{})
	pull := w.lined()
	for _, test := range []struct {
		name    string
		comment m
		want    string // part of the error; "" = taken
		at      int    // the position that it gets
	}{
		{"an added line", m{"path": "n.txt", "line": 5, "side": "RIGHT"}, "", 5},
		{"RIGHT is the default", m{"path": "n.txt", "line": 5}, "", 5},
		{"a context line", m{"path": "n.txt", "line": 8, "side": "RIGHT"}, "", 8},
		{"the removed line on the left", m{"path": "n.txt", "line": 5, "side": "LEFT"}, "", 4},
		{"a line between the hunks", m{"path": "n.txt", "line": 15}, line, 0},
		{"the line above a hunk", m{"path": "n.txt", "line": 1}, line, 0},
		{"line 0 (case D22)", m{"path": "n.txt", "line": 0}, line, 0},
		{"a negative line (case D22)", m{"path": "n.txt", "line": -3}, line, 0},
		{"beyond the file (case D32)", m{"path": "n.txt", "line": 342}, line, 0},
		{"no line at all", m{"path": "n.txt"}, line, 0},
		{"the second hunk: its @@ row counts (case D23)", m{"path": "n.txt", "line": 25}, "", 14},
		{"several lines", m{"path": "n.txt", "start_line": 3, "line": 6}, "", 6},
		{"from the left to the right", m{"path": "n.txt", "start_line": 5, "start_side": "LEFT", "line": 6, "side": "RIGHT"}, "", 6},
		{"across hunks", m{"path": "n.txt", "start_line": 6, "line": 25}, other, 0},
		{"a start outside the diff", m{"path": "n.txt", "start_line": 1, "line": 5}, other, 0},
		{"one line as a range", m{"path": "n.txt", "start_line": 5, "line": 5}, backwards, 0},
		{"backwards", m{"path": "n.txt", "start_line": 6, "line": 5}, backwards, 0},
		{"the last line without an end (case D01)", m{"path": "end.txt", "line": 2}, "", 4},
		{"the row of the missing end is no line (case D01)", m{"path": "end.txt", "line": 3}, line, 0},
		{"the new name of a renamed file", m{"path": "moved.go", "line": 21}, "", 5},
		{"its old name", m{"path": "old.go", "line": 21, "side": "LEFT"}, path, 0},
		{"a removed file's line", m{"path": "gone.txt", "line": 2, "side": "LEFT"}, "", 2},
		{"a removed file has no right side", m{"path": "gone.txt", "line": 1}, line, 0},
		{"a binary file", m{"path": "pic.bin", "line": 1}, hunk, 0},
		{"a binary file, several lines", m{"path": "pic.bin", "start_line": 1, "line": 2}, other, 0},
		{"a file that did not change", m{"path": "README.md", "line": 1}, path, 0},
		{"./ is not taken off (case D35)", m{"path": "./n.txt", "line": 5}, path, 0},
		{"a position", m{"path": "n.txt", "position": 5}, "", 5},
		{"a position in the second hunk (case D23)", m{"path": "n.txt", "position": 14}, "", 14},
		{"the position of the second @@ (case D23)", m{"path": "n.txt", "position": 9}, position, 0},
		{"the position of a missing end (case D01)", m{"path": "end.txt", "position": 5}, position, 0},
		{"position 0", m{"path": "n.txt", "position": 0}, position, 0},
		{"a position beyond the file", m{"path": "n.txt", "position": 99}, position, 0},
	} {
		before := len(pull.Reviews())
		test.comment["body"] = "here"
		got := w.post(pull, m{"event": "COMMENT", "comments": []m{{"path": "n.txt", "line": 6, "body": "good"}, test.comment}})
		after := pull.Reviews()
		switch {
		case test.want == "":
			if got.Status != http.StatusOK || after[before].Comments[1].Position != test.at {
				t.Errorf("%s: %d %s, want position %d", test.name, got.Status, got.Text, test.at)
			}
		case got.Status != http.StatusUnprocessableEntity || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], test.want):
			t.Errorf("%s: %d %s, want %q", test.name, got.Status, got.Text, test.want)
		case len(after) != before:
			t.Errorf("%s: the review was stored although one comment has no place", test.name)
		}
	}
}

func TestWhatIsNoNumberIsRefusedBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	for name, comment := range map[string]m{
		"text (case D22)":      {"path": "n.txt", "line": "5", "body": "x"},
		"a fraction":           {"path": "n.txt", "line": 5.5, "body": "x"},
		"line and position":    {"path": "n.txt", "line": 5, "position": 5, "body": "x"},
		"a comment on a file":  {"path": "n.txt", "subject_type": "file", "body": "x"},
		"a comment of nothing": {"path": "n.txt", "line": 5, "body": " "},
	} {
		w := newWorld(t, githubtest.Params{NoGit: true, Silent: true})
		_, pull := w.openTown()
		if got := w.post(pull, m{"event": "COMMENT", "comments": []m{comment}}); got.Status != http.StatusUnprocessableEntity || len(pull.Reviews()) != 0 {
			t.Errorf("%s: %d %s", name, got.Status, got.Text)
		}
	}
}

func TestEachKindOfWrongIsNamedOnceAndNoCommentIs(t *testing.T) {
	t.Parallel()
	comments := []m{{"path": "n.txt", "line": 1, "body": "x"}, {"path": "n.txt", "line": 2, "body": "x"}, {"path": "no.txt", "line": 2, "body": "x"}, {"path": "n.txt", "line": 15, "body": "x"}}
	for _, test := range []struct {
		modes githubtest.Modes
		want  string
	}{
		{githubtest.Modes{}, `"errors":["Line could not be resolved","Path could not be resolved"]`},
		{githubtest.Modes{ObjectErrors: true}, `{"code":"custom","message":"Path could not be resolved","resource":"PullRequestReview"}`},
		{githubtest.Modes{TextErrors: true}, `"errors":"Line could not be resolved"`},
	} {
		w := newWorld(t, githubtest.Params{NoGit: true, Modes: test.modes})
		_, pull := w.openTown()
		if got := w.post(pull, m{"comments": comments}); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Text, test.want) {
			t.Errorf("%+v: %d %s", test.modes, got.Status, got.Text)
		}
	}
}

func TestWhatGitHubDoesNotShowTakesNoComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{})
	pull := w.lined()
	comment := func(line int) raw {
		return w.post(pull, m{"event": "COMMENT", "comments": []m{{"path": "n.txt", "line": line, "body": "x"}}})
	}
	w.Set(func(p *githubtest.Params) { p.Diff.Cut = 7 }) // case D27: the head still says 14 rows
	files, _, err := w.client.PullRequests.ListFiles(context.Background(), "octo", "town", 1, nil)
	n := slices.IndexFunc(files, func(f *commitFile) bool { return f.GetFilename() == "n.txt" })
	if err != nil || strings.Count(files[n].GetPatch(), "\n") != 6 || !strings.HasPrefix(files[n].GetPatch(), "@@ -2,7 +2,7 @@") {
		t.Fatalf("%v %v", files[n], err)
	}
	if got := comment(8); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a row that is cut off: %d %s", got.Status, got.Text)
	}
	if got := comment(5); got.Status != http.StatusOK {
		t.Errorf("a row that is there: %d %s", got.Status, got.Text)
	}
	w.Set(func(p *githubtest.Params) { p.Diff.Cut, p.Diff.Rows = 0, 10 })
	files, _, _ = w.client.PullRequests.ListFiles(context.Background(), "octo", "town", 1, nil)
	if files[n].Patch != nil || files[n].GetAdditions() != 2 {
		t.Errorf("a patch that is too large is shown: %v", files[n])
	}
	if got := comment(5); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Text, "hunk can't be blank") {
		t.Errorf("a file without a patch: %d %s", got.Status, got.Text)
	}
}
