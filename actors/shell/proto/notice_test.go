package proto_test

import (
	"testing"
	"testing/synctest"

	"github.com/reviewctl/reviewctl/actors/pr"
)

// TestWhatAnotherProcessWroteIsRead: an actor in memory answers a look that would
// come to nothing, and meet no conflict, by what another process has written since.
func TestWhatAnotherProcessWroteIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		daemon := open(t, l)
		daemon.tell(prStream(1), waiting(1, "a"))
		daemon.drain()
		terminal := newSystem(t, l, "t1", nil)
		terminal.tell(prStream(1), pr.Close{Reason: "closed"})
		terminal.tell("pr-local/x/2", waiting(2, "a")) // whose actor the daemon does not have
		synctest.Wait()
		daemon.tell(prStream(1), waiting(1, "a")) // it is open again
		daemon.expect("head.queued", 3)
		terminal.stop()
		daemon.stop()
	})
}
