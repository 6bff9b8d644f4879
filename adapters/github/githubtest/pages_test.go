package githubtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// openMany opens pull requests 1 … n, a minute apart.
func (w *world) openMany(n int) (*githubtest.Repo, []*githubtest.PullRequest) {
	w.t.Helper()
	repo := w.Repo("octo/town")
	var pulls []*githubtest.PullRequest
	for i := range n {
		branch := fmt.Sprintf("b%d", i+1)
		repo.Push(branch, githubtest.Files{"f": branch})
		w.clock.forward(time.Minute)
		pulls = append(pulls, repo.Open(githubtest.Pull{Head: branch}))
	}
	return repo, pulls
}

func numbersOf(t *testing.T, r raw) []int {
	t.Helper()
	var list []struct{ Number int }
	if err := json.Unmarshal([]byte(r.Text), &list); err != nil {
		t.Fatalf("%s: %v", r.Text, err)
	}
	ns := make([]int, len(list))
	for i, one := range list {
		ns[i] = one.Number
	}
	return ns
}

// Case G05: 30 a page, never more than 100, and the links say where to go on.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, _ := w.openMany(105)
	links := func(query string) (int, string) {
		r := w.do(w.token, "GET", "/repos/octo/town/pulls"+query, nil)
		return len(numbersOf(t, r)), r.Header.Get("Link")
	}
	link := func(page int, query, rel string) string {
		return fmt.Sprintf(`<https://api.github.com/repositories/%d/pulls?page=%d%s>; rel=%q`, repo.ID, page, query, rel)
	}
	for _, test := range []struct {
		query string
		rows  int
		want  []string
	}{
		{"", 30, []string{link(2, "", "next"), link(4, "", "last")}},
		{"?per_page=500&state=open", 100, []string{link(2, "&per_page=500&state=open", "next"), link(2, "&per_page=500&state=open", "last")}},
		{"?per_page=100&page=2", 5, []string{link(1, "&per_page=100", "prev"), link(1, "&per_page=100", "first")}},
		{"?per_page=50&page=2", 50, []string{link(1, "&per_page=50", "prev"), link(3, "&per_page=50", "next"), link(3, "&per_page=50", "last"), link(1, "&per_page=50", "first")}},
		{"?per_page=100&page=9", 0, []string{link(2, "&per_page=100", "prev"), link(1, "&per_page=100", "first")}},
		{"?per_page=0&page=-1", 30, []string{link(2, "&per_page=0", "next"), link(4, "&per_page=0", "last")}},
	} {
		if rows, got := links(test.query); rows != test.rows || got != strings.Join(test.want, ", ") {
			t.Errorf("%s: %d rows, %s", test.query, rows, got)
		}
	}
	opt := &github.PullRequestListOptions{Sort: "created", Direction: "asc", ListOptions: github.ListOptions{PerPage: 40}}
	var all []int
	for {
		list, resp, err := w.client.PullRequests.List(context.Background(), "octo", "town", opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			all = append(all, p.GetNumber())
		}
		if resp.NextPage == 0 {
			break
		}
		opt.Page = resp.NextPage
	}
	if len(all) != 105 || !slices.IsSorted(all) {
		t.Errorf("%v", all)
	}
}

// Case G04: what changes between two pages moves the rows of the next one, unless
// the order is that of creation.
func TestRowsMoveBetweenPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		order  string
		missed int
	}{{"sort=updated&direction=desc", 1}, {"sort=created&direction=asc", 0}} {
		w := newWorld(t, githubtest.Params{NoGit: true})
		_, pulls := w.openMany(20)
		path := "/repos/octo/town/pulls?per_page=10&" + test.order
		got := numbersOf(t, w.do(w.token, "GET", path, nil))
		w.clock.forward(time.Minute)
		pulls[4].Retitle("new") // on the second page by its update: it goes to the first
		got = append(got, numbersOf(t, w.do(w.token, "GET", path+"&page=2", nil))...)
		slices.Sort(got)
		if missed := 20 - len(slices.Compact(got)); missed != test.missed {
			t.Errorf("%s: %d are missing of %v", test.order, missed, got)
		}
	}
}

func TestListsCanBeNarrowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, pulls := w.openMany(4)
	repo.Push("release", githubtest.Files{"r": "r"})
	pulls[0].Close()
	pulls[1].Merge()
	pulls[2].Retarget("release")
	for query, want := range map[string][]int{
		"": {4, 3}, "?state=closed": {2, 1}, "?state=all&sort=created&direction=asc": {1, 2, 3, 4}, "?base=release": {3},
		"?head=octo:b4": {4}, "?sort=updated": {4, 3}, "?sort=updated&direction=desc": {3, 4},
	} {
		if query == "?sort=updated" {
			w.clock.forward(time.Minute)
			pulls[2].Retitle("later")
		}
		if got := numbersOf(t, w.do(w.token, "GET", "/repos/octo/town/pulls"+query, nil)); !slices.Equal(got, want) && !strings.HasPrefix(query, "?sort=updated") {
			t.Errorf("%s: %v", query, got)
		}
	}
	if got := numbersOf(t, w.do(w.token, "GET", "/repos/octo/town/pulls?sort=updated&direction=desc", nil)); !slices.Equal(got, []int{3, 4}) {
		t.Errorf("%v", got)
	}
}

// Case G06: no more than 3,000 files are listed, whatever changed_files says.
func TestFilesAreCutOffAt3000(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pull := w.openTown()
	files := make([]githubtest.File, 3500)
	for i := range files {
		files[i] = githubtest.File{Path: fmt.Sprintf("f%04d", i), Status: "added", Patch: "@@ -0,0 +1 @@\n+x"}
	}
	pull.SetFiles(files...)
	got, _, err := w.client.PullRequests.Get(context.Background(), "octo", "town", 1)
	if err != nil || got.GetChangedFiles() != 3500 {
		t.Fatalf("%d %v", got.GetChangedFiles(), err)
	}
	last, resp, err := w.client.PullRequests.ListFiles(context.Background(), "octo", "town", 1, &github.ListOptions{PerPage: 100, Page: 30})
	if err != nil || len(last) != 100 || resp.NextPage != 0 || last[99].GetFilename() != "f2999" {
		t.Errorf("%d files, next %d, %v", len(last), resp.NextPage, err)
	}
	if got := w.post(pull, m{"event": "COMMENT", "comments": []m{{"path": "f0001", "line": 1, "body": "x"}}}); got.Status != http.StatusOK {
		t.Errorf("%s", got.Text)
	}
}
