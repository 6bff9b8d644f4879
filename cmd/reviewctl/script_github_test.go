package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// githubCmd drives the GitHub of a script:
//
//	github start                        $GITHUB_URL, and $GITHUB_TOKEN of robo
//	github token LOGIN [PERMISSION…]    another $GITHUB_TOKEN
//	github env NAME VALUE               of all that follows
//	github repo REPO [LABEL…]
//	github push REPO BRANCH FILE…       files of the script's folder, NAME or NAME=FILE
//	github open REPO BRANCH TITLE [AUTHOR]
//	github again REPO N FILE…           a push to a pull request
//	github close REPO N                 github rename REPO NEW    github delete REPO
//	github hide REPO                    from robo                 github show REPO
//	github draft REPO N                 github ready REPO N       github label REPO N NAME
//	github merge REPO N                 github revoke TOKEN
//	github reviews REPO N COUNT [TEXT]  so many stand there, the newest with the text
//	github labels REPO N [LABEL…]       it has just these
//	github writes COUNT                 requests that wrote, so far
//	github fault ROUTE KIND             from now on, each time
func githubCmd(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		wants(ts, neg, len(args) > 0, "github COMMAND ARGS…")
		s := sceneOf(ts)
		if args[0] == "start" {
			clock := newFastClock(storySpeed) // polls are ten seconds apart at least
			s.hub = githubtest.New(t, githubtest.Params{Clock: clock})
			s.setenv(ts, envClock, clock.String())
			s.setenv(ts, "GITHUB_URL", s.hub.URL()+"/")
			s.setenv(ts, "GITHUB_HOST", strings.TrimPrefix(s.hub.URL(), "http://"))
			s.setenv(ts, "GITHUB_TOKEN", s.hub.Token("robo"))
			return
		}
		if s.hub == nil || len(args) < 2 {
			ts.Fatalf("github start comes first, and each command wants arguments")
		}
		s.github(ts, args[0], args[1:])
	}
}

func (s *scene) setenv(ts *testscript.TestScript, name, value string) {
	ts.Setenv(name, value)
	s.vars = append(s.vars, name+"="+value)
}

func (s *scene) github(ts *testscript.TestScript, verb string, args []string) {
	switch verb {
	case "token":
		var permissions []githubtest.Permission
		for _, p := range args[1:] {
			permissions = append(permissions, githubtest.Permission(p))
		}
		s.setenv(ts, "GITHUB_TOKEN", s.hub.Token(args[0], permissions...))
	case "revoke":
		s.hub.Revoke(args[0])
	case "env": // of what is started and waited for, too
		s.setenv(ts, args[0], args[1])
	case "repo":
		s.hub.Repo(args[0]).Labels(args[1:]...)
	case "writes":
		n := 0
		for _, r := range s.hub.Log() {
			if r.Write() && !strings.Contains(r.Route, "git") {
				n++
			}
		}
		same(ts, "writes", strconv.Itoa(n), args[0])
	case "fault":
		s.hub.Fault(githubtest.Fault{Route: args[0], Nth: githubtest.Every, Kind: githubtest.FaultKind(args[1])})
	default:
		s.githubRepo(ts, verb, args)
	}
}

func (s *scene) githubRepo(ts *testscript.TestScript, verb string, args []string) {
	repo := s.hub.Find(args[0])
	if repo == nil {
		ts.Fatalf("no repository %s", args[0])
	}
	switch verb {
	case "push":
		repo.Push(args[1], filesOf(ts, args[2:]))
	case "open":
		in := githubtest.Pull{Head: args[1], Title: args[2], Author: "ann"}
		if len(args) > 3 {
			in.Author = args[3]
		}
		repo.Open(in)
	case "hide":
		repo.Private(true)
		repo.Access("robo", githubtest.RoleNone)
	case "show":
		repo.Access("robo", githubtest.RoleWrite)
	case "rename":
		repo.Rename(args[1])
	case "delete":
		repo.Delete()
	default:
		number, err := strconv.Atoi(args[1])
		ts.Check(err)
		s.githubPull(ts, verb, repo.Pull(number), args[2:])
	}
}

func (s *scene) githubPull(ts *testscript.TestScript, verb string, pull *githubtest.PullRequest, args []string) {
	switch verb {
	case "again":
		pull.Push(filesOf(ts, args))
	case "close":
		pull.Close()
	case "merge":
		pull.Merge()
	case "draft":
		pull.SetDraft(true)
	case "ready":
		pull.Ready()
	case "label":
		pull.Label(args...)
	case "labels":
		same(ts, "labels", strings.Join(pull.LabelNames(), " "), strings.Join(args, " "))
	case "reviews":
		reviews := pull.Reviews()
		same(ts, "reviews", strconv.Itoa(len(reviews)), args[0])
		if len(args) > 1 && !strings.Contains(reviews[len(reviews)-1].Body, args[1]) {
			ts.Fatalf("the newest review does not say %q: %s", args[1], reviews[len(reviews)-1].Body)
		}
	default:
		ts.Fatalf("no such command: github %s", verb)
	}
}

func same(ts *testscript.TestScript, what, got, want string) {
	if got != want {
		ts.Fatalf("%s: %s, want %s", what, got, want)
	}
}

func filesOf(ts *testscript.TestScript, names []string) githubtest.Files {
	files := githubtest.Files{}
	for _, name := range names {
		name, from, other := strings.Cut(name, "=")
		if !other {
			from = name
		}
		text, err := os.ReadFile(ts.MkAbs(from))
		ts.Check(err)
		files[name] = string(text)
	}
	return files
}
