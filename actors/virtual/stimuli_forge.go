package virtual

import (
	"fmt"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// What people do on the forge beside pushing.

// revert moves the head back to an older one.
func (w *World) revert(p *pull) {
	w.count("revert")
	if len(p.before) == 0 {
		return
	}
	p.before, p.head = append(p.before, p.head), p.before[w.luck.IntN(len(p.before))]
	w.seen(p)
}

func (w *World) draft(p *pull) {
	w.count("draft")
	p.draft = !p.draft
	w.seen(p)
}

func (w *World) skipLabel(p *pull) {
	w.count("skip label")
	if p.skip == "" {
		p.skip = "tag:skip-review"
	} else {
		p.skip = ""
	}
	w.seen(p)
}

func (w *World) retitle(p *pull) {
	w.count("retitle")
	p.title = "A change, " + w.hex(4)
	w.seen(p)
}

// rename gives a repository another name: all its pull requests are of that one.
func (w *World) rename(p *pull) {
	w.count("rename")
	name := events.RepoName(fmt.Sprintf("acme/moved-%s", w.hex(4)))
	for _, of := range w.forge.pulls {
		if of.repoID == p.repoID {
			of.repo = name
			w.seen(of)
		}
	}
}

// retarget moves the pull request back to the branch that it began with.
func (w *World) retarget(p *pull) {
	w.count("retarget")
	p.baseRef = "main"
	w.seen(p)
}

// held reports whether something holds the pull request back.
func (p *pull) held() bool { return p.ignored || p.skip != "" || p.draft }

func (p *pull) facts() *pr.Facts {
	return &pr.Facts{Draft: p.draft, SkipLabel: p.skip, Ignored: p.ignored}
}
