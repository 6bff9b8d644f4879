package repo_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/events"
)

var given = events.Given{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Boot: "b1"}

func actor(r repo.Rules) decidertest.Actor[repo.State] {
	return decidertest.Actor[repo.State]{
		Stream: events.RepoStream("local", "local/x"), Fold: repo.Fold, Decide: r.Decide, Check: repo.Check,
	}
}

type otherCommand struct{}

func (otherCommand) Name() string { return "fleet.due" }

func TestDecide(t *testing.T) {
	t.Parallel()
	type recorded = []events.Payload
	flags := repo.Configure{Repo: "local/x", Base: "main", Enabled: true, Engines: []events.EngineName{"static", "opus"}}
	configured := func(c repo.Configure) events.Payload {
		return &events.RepoConfigured{Repo: c.Repo, Base: c.Base, Enabled: c.Enabled, Engines: c.Engines}
	}
	change := func(with func(*repo.Configure)) repo.Configure {
		c := flags
		with(&c)
		return c
	}
	renamed := change(func(c *repo.Configure) { c.Repo = "local/y" })
	moved := change(func(c *repo.Configure) { c.Base = "next" })
	disabled := change(func(c *repo.Configure) { c.Enabled = false })
	fewer := change(func(c *repo.Configure) { c.Engines = c.Engines[:1] })
	numbered := func(ref string, n int) events.Payload { return &events.BranchNumbered{Ref: ref, Number: n} }
	rows := []struct {
		name    string
		given   recorded
		when    events.Command
		then    recorded
		refused string
	}{
		{name: "configure", when: flags, then: recorded{configured(flags)}},
		{name: "configure all but a name empty", when: repo.Configure{Repo: "local/x"}, then: recorded{&events.RepoConfigured{Repo: "local/x"}}},
		{name: "configure the same", given: recorded{configured(flags)}, when: flags},
		{name: "configure another name", given: recorded{configured(flags)}, when: renamed, then: recorded{configured(renamed)}},
		{name: "configure another base", given: recorded{configured(flags)}, when: moved, then: recorded{configured(moved)}},
		{name: "configure it off", given: recorded{configured(flags)}, when: disabled, then: recorded{configured(disabled)}},
		{name: "configure other engines", given: recorded{configured(flags)}, when: fewer, then: recorded{configured(fewer)}},
		{name: "configure without a name", when: repo.Configure{}, refused: "needs a name"},
		{name: "configure too many engines", when: repo.Configure{Repo: "x", Engines: make([]events.EngineName, repo.EnginesMax+1)}, refused: "101 engines"},
		{name: "rename", given: recorded{configured(flags)}, when: repo.Rename{To: "local/z"},
			then: recorded{&events.RepoRenamed{From: "local/x", To: "local/z"}}},
		{name: "rename again", given: recorded{configured(flags), &events.RepoRenamed{From: "local/x", To: "local/z"}},
			when: repo.Rename{To: "local/q"}, then: recorded{&events.RepoRenamed{From: "local/z", To: "local/q"}}},
		{name: "rename to its name", given: recorded{configured(flags)}, when: repo.Rename{To: "local/x"}},
		{name: "rename once", given: recorded{configured(flags), &events.RepoRenamed{From: "local/x", To: "local/z"}},
			when: repo.Rename{To: "local/z"}},
		{name: "a configuration with the old name takes no new one back", when: flags,
			given: recorded{configured(flags), &events.RepoRenamed{From: "local/x", To: "local/z"}}},
		{name: "a configuration with another name does", when: repo.Rename{To: "local/y"},
			given: recorded{configured(flags), &events.RepoRenamed{From: "local/x", To: "local/z"}, configured(renamed)}},
		{name: "rename to nothing", given: recorded{configured(flags)}, when: repo.Rename{}, refused: "needs a name"},
		{name: "rename what nobody configured", when: repo.Rename{To: "local/z"}, refused: "not configured"},
		{name: "number the first", when: repo.NumberBranch{Ref: "main"}, then: recorded{numbered("main", 1)}},
		{name: "number the next", given: recorded{numbered("main", 1)}, when: repo.NumberBranch{Ref: "a..b"}, then: recorded{numbered("a..b", 2)}},
		{name: "number the known", given: recorded{numbered("main", 1), numbered("x", 2)}, when: repo.NumberBranch{Ref: "main"}},
		{name: "number nothing", when: repo.NumberBranch{}, refused: "needs a name"},
		{name: "number the endless", when: repo.NumberBranch{Ref: strings.Repeat("x", repo.RefMax+1)}, refused: "longer than 1024"},
		{name: "number too many", given: recorded{numbered("a", 1), numbered("b", 2), numbered("c", 3)}, when: repo.NumberBranch{Ref: "d"}, refused: "3 branches"},
		{name: "in trouble", when: repo.NoteUnreachable{Reason: "gone"}, then: recorded{&events.RepoUnreachable{Reason: "gone"}}},
		{name: "in the same trouble", given: recorded{&events.RepoUnreachable{Reason: "gone"}}, when: repo.NoteUnreachable{Reason: "gone"}},
		{name: "in another trouble", given: recorded{&events.RepoUnreachable{Reason: "gone"}}, when: repo.NoteUnreachable{Reason: "locked"},
			then: recorded{&events.RepoUnreachable{Reason: "locked"}}},
		{name: "in trouble again", given: recorded{&events.RepoUnreachable{Reason: "gone"}, &events.RepoReachable{}}, when: repo.NoteUnreachable{Reason: "gone"},
			then: recorded{&events.RepoUnreachable{Reason: "gone"}}},
		{name: "in trouble without a reason", when: repo.NoteUnreachable{}, refused: "needs a reason"},
		{name: "in endless trouble", when: repo.NoteUnreachable{Reason: strings.Repeat("x", repo.ReasonMax+1)}, refused: "longer than 2048"},
		{name: "well again", given: recorded{&events.RepoUnreachable{Reason: "gone"}}, when: repo.NoteReachable{}, then: recorded{&events.RepoReachable{Was: "gone"}}},
		{name: "well all along", when: repo.NoteReachable{}},
		{name: "well once", given: recorded{&events.RepoUnreachable{Reason: "gone"}, &events.RepoReachable{}}, when: repo.NoteReachable{}},
		{name: "another actor's command", when: otherCommand{}, refused: "takes no fleet.due"},
	}
	cases := make([]decidertest.Case[repo.State], len(rows))
	for i, r := range rows {
		cases[i] = decidertest.Case[repo.State]{
			Name: r.name, Given: decidertest.Steps(given.At, r.given...), With: given, When: r.when,
			Then: r.then, Refused: r.refused, Twice: r.refused == "",
		}
	}
	rules := repo.DefaultRules()
	rules.Branches = 3
	actor(rules).Run(t, cases...)
}

func TestRandomNumbers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 5))
	scene := actor(repo.DefaultRules()).Begin(t).Quick()
	numbers := map[string]int{}
	for step := range 2000 {
		ref := fmt.Sprint("b", random.IntN(500))
		decided, err := scene.When(given, repo.NumberBranch{Ref: ref})
		if err != nil {
			t.Fatal(err)
		}
		if _, known := numbers[ref]; known != (len(decided) == 0) {
			t.Fatalf("step %d: %s is known: %v, decided %d events", step, ref, known, len(decided))
		}
		for _, p := range decided {
			if n := p.(*events.BranchNumbered).Number; n != len(numbers)+1 {
				t.Fatalf("step %d: %s got number %d after %d", step, ref, n, len(numbers))
			}
			numbers[ref] = len(numbers) + 1
		}
		if step%200 == 0 {
			scene.Reload()
		}
	}
	scene.CheckReplay()
}
