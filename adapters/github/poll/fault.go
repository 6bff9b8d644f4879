package poll

import (
	"github.com/reviewctl/reviewctl/events"
)

func moved(err error) bool               { return false }
func movedTo(err error) events.RepoName  { return "" }
func vanished(err error) bool            { return false }
func reasonOf(err error) string          { return err.Error() }
func (p *Poller) hold(err error)         {}
