// Package githubtest is a GitHub for tests: a server that keeps state and enforces
// GitHub's rules, with the clock in the test's hand. It knows the REST calls that
// reviewctl sends. (github.md §5)
//
// Its nouns: a Server has Repos; a Repo has branches and PullRequests; a
// PullRequest has Reviews with Comments; a Grant is what a token stands for; a Fault
// is what goes wrong with requests; the log has every Request; Check asserts what
// must hold at the end of every test.
//
//	s := githubtest.New(t, githubtest.Params{Clock: clock})
//	repo := s.Repo("octo/town")
//	repo.Push("fix", githubtest.Files{"a.go": "package a\n"})
//	pull := repo.Open(githubtest.Pull{Head: "fix", Author: "ann"})
//	token := s.Token("bot[bot]")
//
//	client := github.NewClient(&http.Client{Transport: s.RoundTripper()}).WithAuthToken(token) // no sockets
//	client.BaseURL, _ = url.Parse(s.URL() + "/")                                              // or TCP
//
//	s.Fault(githubtest.Fault{Route: "POST /repos/*/pulls/*/reviews", Nth: 1, Kind: githubtest.LostResponse})
//	s.OnRequest(func(r githubtest.Request) { … pull.Push(…) … })
//	…
//	pull.Reviews() ; pull.LabelNames() ; s.Log() ; s.Count("POST /repos/*/pulls/*/reviews") ; s.Check(t)
//
// Repositories are bare ones of git, so that merge bases, diffs and refs/pull/N/head
// are true; git fetches Repo.CloneURL with the token as password of x-access-token.
// With Params.NoGit commits are made up and kept in memory, and no program is run.
//
// Long simulations set NoGit and LogMax. Steps of people are methods of Repo and
// PullRequest (Push, ForcePush, Reset, Close, Merge, Label, Retarget, Rename, …); they
// may be called from hooks. Where GitHub was seen to behave in two ways, Modes has a
// switch. With the variable REVIEWCTL_GITHUB_RECORD each exchange is recorded for the
// check against GitHub's published description (.ci/github-contract).
//
// Where it is stricter than GitHub: nothing can be read without a token, a locked
// conversation takes a review of nobody, and, when the test has the clock, two writes
// of a token less than a second apart are a secondary limit (Limits.Gap).
package githubtest
