package githubtest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// BenchmarkQuietPoll is a conditional request for the open pull requests of a
// repository where nothing has changed: what a simulated day has most of.
func BenchmarkQuietPoll(b *testing.B) {
	s := githubtest.New(b, githubtest.Params{NoGit: true, LogMax: 10})
	token := s.Token("bot[bot]")
	repo := s.Repo("octo/town")
	for i := range 10 {
		branch := fmt.Sprint("b", i)
		repo.Push(branch, githubtest.Files{"f": branch})
		repo.Open(githubtest.Pull{Head: branch})
	}
	ask := func(tag string) (int, string) {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://api.github.com/repos/octo/town/pulls?state=open&per_page=100", nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("User-Agent", "bench")
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("If-None-Match", tag)
		resp, err := s.RoundTripper().RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("ETag")
	}
	_, tag := ask("")
	b.ReportAllocs()
	for b.Loop() {
		if status, _ := ask(tag); status != http.StatusNotModified {
			b.Fatal(status)
		}
	}
}
