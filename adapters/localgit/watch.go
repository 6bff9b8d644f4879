package localgit

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// WatchMax bounds the folders that are watched; branches beyond it are found at
// the interval.
const WatchMax = 1000

// watch notices that refs may have changed and wakes the poller. A nil watch
// does nothing.
type watch struct {
	notify *fsnotify.Watcher
	dir    string          // the git directory that all work trees share
	known  map[string]bool // folders that are watched
	ended  chan struct{}
}

// watch begins to watch the repository's refs.
func (p *Poller) watch(ctx context.Context) (*watch, error) {
	r, err := git.Open(ctx, p.Path)
	if err != nil {
		return nil, err
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watch{notify: notify, dir: r.CommonDir, known: map[string]bool{}, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		for {
			select {
			case e, ok := <-notify.Events:
				if !ok {
					return
				}
				if w.concerns(e.Name) {
					p.Wake()
				}
			case _, ok := <-notify.Errors: // some notices were lost: look
				if !ok {
					return
				}
				p.Wake()
			}
		}
	}()
	return w, nil
}

// concerns reports whether a changed file can be a branch: packed-refs, anything
// below refs, and the tables of the other format of refs. git's lock files come
// before the change.
func (w *watch) concerns(name string) bool {
	if strings.HasSuffix(name, ".lock") {
		return false
	}
	rel, err := filepath.Rel(w.dir, name)
	if err != nil {
		return true
	}
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return first == "packed-refs" || first == "refs" || first == "reftable"
}

// refresh watches the folders that have come since. It runs before each round,
// so that what changes during the round is noticed after it.
func (w *watch) refresh() {
	if w == nil {
		return
	}
	for dir := range w.known {
		w.known[dir] = false
	}
	w.add(w.dir)
	for _, tree := range []string{filepath.Join(w.dir, "refs", "heads"), filepath.Join(w.dir, "reftable")} {
		_ = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				w.add(path)
			}
			if errors.Is(err, fs.ErrPermission) {
				return fs.SkipDir
			}
			return nil
		})
	}
	for dir, here := range w.known {
		if !here {
			_ = w.notify.Remove(dir)
			delete(w.known, dir)
		}
	}
}

// add watches a folder, again where it was removed and made anew.
func (w *watch) add(dir string) {
	if _, old := w.known[dir]; !old && len(w.known) >= WatchMax {
		return
	}
	if err := w.notify.Add(dir); err == nil {
		w.known[dir] = true
	}
}

// close ends the watch and waits for its goroutine.
func (w *watch) close() {
	if w == nil {
		return
	}
	_ = w.notify.Close()
	<-w.ended
}
