package poll_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// What is not configured any more is closed and disabled; but not while a
// configured repository cannot be found, which may be that one.
func TestNotConfiguredAnyMore(t *testing.T) {
	inTown(t, func(w *town) {
		w.open("a", nil)
		other := w.github.Repo("octo/other")
		w.start()
		w.take()
		hidden := w.github.Fault(githubtest.Fault{Route: "GET /repos/*", Nth: githubtest.Every, Kind: githubtest.Hidden})
		w.poller.Configure(configured("octo/other"))
		w.round("nobody knows octo/other")
		hidden.Off()
		w.round("it is found", fmt.Sprintf("%d octo/other configured", other.ID),
			"@/1 its repository is disabled, or not configured any more", "@ octo/town disabled")
		w.poller.Configure(configured("octo/town"))
		w.now("the other way round", "@ octo/town configured", "@/1 octo/town ", fmt.Sprintf("%d octo/other disabled", other.ID))
		w.restart()
		w.now("after a start", "@/1 octo/town ")
	})
}

// A repository that is configured under two names is looked at once.
func TestConfiguredTwice(t *testing.T) {
	inTown(t, func(w *town) {
		w.open("a", nil)
		w.repo.Rename("octo/city")
		w.poller.Configure(configured("octo/town", "octo/city"))
		w.start()
		w.now("two names", "@ octo/town configured", "@ renamed octo/town to octo/city", "@/1 octo/city ")
		w.round("quiet")
		if !strings.Contains(w.log.String(), "it is the same repository as octo/town") {
			t.Errorf("logged %s", w.log.String())
		}
	})
}

// A name that never was a repository is logged, once, and holds up no other.
func TestNeverFound(t *testing.T) {
	inTown(t, func(w *town) {
		w.open("a", nil)
		w.poller.Configure(configured("octo/nowhere", "not a name", "octo/town"))
		w.start()
		w.now("one of three is there", "@ octo/town configured", "@/1 octo/town ")
		w.round("quiet")
		for _, name := range []string{"octo/nowhere", "not a name"} {
			if got := strings.Count(w.log.String(), fmt.Sprintf("repo=%s", quoted(name))); got != 1 {
				t.Errorf("%s is logged %d times: %s", name, got, w.log.String())
			}
		}
	})
}

func quoted(name string) string {
	if strings.Contains(name, " ") {
		return fmt.Sprintf("%q", name)
	}
	return name
}
