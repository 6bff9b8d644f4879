package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// shelf is a list of pull requests in pages of two, which a test changes between
// requests.
type shelf struct {
	numbers []int
	before  func(request int)
	asked   int
	fail    int // the request that fails, for ever
	queries []string
}

func (s *shelf) serve(r *http.Request) (*http.Response, error) {
	s.asked++
	if s.before != nil {
		s.before(s.asked)
	}
	s.queries = append(s.queries, r.URL.RawQuery)
	if s.fail != 0 && s.asked >= s.fail {
		return reply(502, "<html>"), nil
	}
	at, _ := strconv.Atoi(r.URL.Query().Get("page"))
	at = max(at, 1)
	var items []string
	for _, n := range s.numbers[min((at-1)*2, len(s.numbers)):min(at*2, len(s.numbers))] {
		items = append(items, fmt.Sprintf(`{"number":%d,"state":"open","head":{"sha":"%040d"},"base":{"sha":"%040d","repo":{"id":7,"full_name":"octo/town"}}}`, n, n, 1))
	}
	body := "[" + strings.Join(items, ",") + "]"
	lines := []string{fmt.Sprintf(`ETag: W/"%s"`, url.QueryEscape(body))}
	if at*2 < len(s.numbers) {
		lines = append(lines, fmt.Sprintf(`Link: <https://api.github.com/repositories/7/pulls?page=%d>; rel="next"`, at+1))
	}
	if r.Header.Get("If-None-Match") == strings.TrimPrefix(lines[0], "ETag: ") {
		return reply(304, "", lines[1:]...), nil
	}
	return reply(200, body, lines...), nil
}

func numbers(pulls []Pull) []int {
	var list []int
	for _, p := range pulls {
		list = append(list, p.Number)
	}
	return list
}

// TestAllPages: case G05. Pages are as GitHub links them, and asked for in the order
// that does not move. (case G04)
func TestAllPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &shelf{numbers: []int{1, 2, 3, 4, 5}}
		c := client(t, s.serve)
		pulls, changed, err := c.OpenPulls(t.Context(), town)
		if err != nil || !changed || !slices.Equal(numbers(pulls), s.numbers) {
			t.Fatal(numbers(pulls), changed, err)
		}
		if s.queries[0] != "state=open&sort=created&direction=asc&per_page=100" || s.asked != 5 { // 3 pages, of which 2 are looked at again
			t.Error(s.queries)
		}
		pulls, changed, err = c.OpenPulls(t.Context(), town)
		if err != nil || changed || !slices.Equal(numbers(pulls), s.numbers) || s.asked != 8 {
			t.Error(numbers(pulls), changed, err, s.queries)
		}
		s.numbers = append(s.numbers, 6, 7)
		pulls, changed, err = c.OpenPulls(t.Context(), town)
		if err != nil || !changed || !slices.Equal(numbers(pulls), s.numbers) {
			t.Error(numbers(pulls), changed, err)
		}
	})
}

// TestPagesThatShift: case G04. Whatever closes or opens again while the list is
// read, a pull request that was open all the time is in it.
func TestPagesThatShift(t *testing.T) {
	for at := 1; at <= 6; at++ {
		for _, c := range []struct {
			name   string
			change func([]int) []int
		}{
			{"one of the first page closes", func(l []int) []int { return without(l, 1) }},
			{"one of the second page closes", func(l []int) []int { return without(l, 3) }},
			{"two close", func(l []int) []int { return without(without(l, 2), 3) }},
			{"one opens again", func(l []int) []int { return append([]int{0 + 100}, l...) }},
			{"one closes and one opens again", func(l []int) []int { return append([]int{100}, without(l, 3)...) }},
			{"a new one", func(l []int) []int { return append(slices.Clone(l), 200) }},
		} {
			t.Run(fmt.Sprintf("%s before request %d", c.name, at), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := &shelf{numbers: []int{1, 2, 3, 4, 5, 6}}
					all := slices.Clone(s.numbers)
					s.before = func(request int) {
						if request == at {
							s.numbers = c.change(s.numbers)
						}
					}
					pulls, _, err := client(t, s.serve).OpenPulls(t.Context(), town)
					if err != nil {
						t.Fatal(err)
					}
					got := numbers(pulls)
					for _, n := range all {
						if slices.Contains(s.numbers, n) && !slices.Contains(got, n) {
							t.Errorf("%d was open all the time and is missing in %v", n, got)
						}
					}
					slices.Sort(got)
					if len(slices.Compact(got)) != len(pulls) {
						t.Errorf("doubled: %v", numbers(pulls))
					}
				})
			})
		}
	}
}

func without(list []int, n int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(m int) bool { return m == n })
}

// TestAListThatNeverRests is an error, not a guess.
func TestAListThatNeverRests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &shelf{}
		for n := range 100 {
			s.numbers = append(s.numbers, n+1)
		}
		s.before = func(int) { s.numbers = s.numbers[1:] }
		_, _, err := client(t, s.serve).OpenPulls(t.Context(), town)
		if f := faultIn(t, err); f.Kind != KindTransient || !strings.Contains(f.Message, "changed while it was read") {
			t.Error(f)
		}
	})
}

// TestAPageThatFails fails the scan: case G53.
func TestAPageThatFails(t *testing.T) {
	for fail := 1; fail <= 5; fail++ {
		t.Run(strconv.Itoa(fail), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &shelf{numbers: []int{1, 2, 3, 4, 5}, fail: fail}
				pulls, changed, err := client(t, s.serve).OpenPulls(t.Context(), town)
				if f := faultIn(t, err); f.Kind != KindTransient || pulls != nil || changed {
					t.Error(f, pulls)
				}
			})
		})
	}
}

// TestLinksThatLeadAstray: in circles, to another host, on without an end.
func TestLinksThatLeadAstray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		next := ""
		c := client(t, func(r *http.Request) (*http.Response, error) {
			if r.URL.Host != "api.github.com" {
				t.Error("sent to", r.URL)
			}
			link := next
			if strings.HasSuffix(next, "page=") {
				at, _ := strconv.Atoi(r.URL.Query().Get("page"))
				link += strconv.Itoa(at + 1)
			}
			return reply(200, "[]", "Link: <"+link+`>; rel="next"`), nil
		})
		for link, kind := range map[string]Kind{
			"https://api.github.com/repos/octo/town/pulls?state=open&sort=created&direction=asc&per_page=100": KindTransient,
			"https://elsewhere.test/pulls?page=2":    KindRedirected,
			"http://api.github.com/repos?page=2":     KindRedirected,
			"https://api.github.com/repos/x/y?page=": KindUnexpected,
			"://":                                    KindUnexpected,
		} {
			next = link
			_, _, err := c.OpenPulls(t.Context(), town)
			if f := faultIn(t, err); f.Kind != kind {
				t.Errorf("%s: %v", link, f)
			}
		}
	})
}

// TestNextPage reads Link headers.
func TestNextPage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                                       "",
		`<a>; rel="next"`:                        "a",
		`<a>; rel="prev", <b>; rel="next"`:       "b",
		`<a?x=1,2>; rel="prev",<b?y=;>;rel=next`: "b?y=;",
		`<a>; title="next"; rel="last"`:          "",
		`<a>; rel="next last"`:                   "a",
		`<a>; REL="NEXT"`:                        "a",
		`<a>`:                                    "",
		`a; rel="next"`:                          "",
		`>a<; rel="next"`:                        "",
	} {
		if got := nextPage(http.Header{"Link": {line}}); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
	if got := nextPage(http.Header{"Link": {`<a>; rel="last"`, `<b>; rel="next"`}}); got != "b" {
		t.Error(got)
	}
}

// TestManyPullsOfTheFake reads pages of a hundred, also while they shift. (cases G04
// and G05)
func TestManyPullsOfTheFake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		repo := s.Repo("octo/town")
		repo.Push("feature", map[string]string{"a.txt": "one\n"})
		var open []*githubtest.PullRequest
		for i := range 130 {
			open = append(open, repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "ann", Title: strconv.Itoa(i)}))
		}
		pulls, changed, err := c.OpenPulls(t.Context(), town)
		if err != nil || len(pulls) != 130 || !changed {
			t.Fatal(len(pulls), changed, err)
		}
		if pulls, changed, err = c.OpenPulls(t.Context(), town); err != nil || len(pulls) != 130 || changed {
			t.Fatal(len(pulls), changed, err)
		}
		done := false
		s.OnRequest(func(r githubtest.Request) {
			if !done && r.Query.Get("page") == "2" {
				done = true
				open[0].Close()
			}
		})
		pulls, changed, err = c.OpenPulls(t.Context(), town)
		if err != nil || len(pulls) != 129 || !changed || pulls[0].Number != open[1].Number {
			t.Fatal(len(pulls), changed, err)
		}
		s.Check(t)
	})
}

// TestWhatNobodySawIsStillNews: a scan that failed after it saw something new does
// not make that old. (case G53)
func TestWhatNobodySawIsStillNews(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &shelf{numbers: []int{1, 2, 3, 4}}
		c := client(t, s.serve)
		if _, _, err := c.OpenPulls(t.Context(), town); err != nil {
			t.Fatal(err)
		}
		s.numbers = []int{1, 2, 3, 5}
		s.fail = s.asked + 3 // both pages are read, the first is not read again
		if _, _, err := c.OpenPulls(t.Context(), town); err == nil {
			t.Fatal("no error")
		}
		s.fail = 0
		pulls, changed, err := c.OpenPulls(t.Context(), town)
		if err != nil || !changed || !slices.Equal(numbers(pulls), s.numbers) {
			t.Error(numbers(pulls), changed, err)
		}
		if _, changed, err := c.OpenPulls(t.Context(), town); err != nil || changed {
			t.Error(changed, err)
		}
	})
}
