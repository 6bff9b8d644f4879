package virtual_test

import (
	"testing"

	"github.com/reviewctl/reviewctl/actors/virtual"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

func TestLogIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) events.Store { return virtual.NewLog() }, storetest.Features{})
}
