package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// A checkout's folder is called BOOT.RUN.RANDOM: who owns it, what it is for, and
// a part that no earlier try has used. (cases W01, W02)
const separator = "."

// nameable reports whether an id can be a part of a folder's name.
func nameable(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// makeDir makes a new folder for a run.
func (w *Workspace) makeDir(run events.RunID) (string, error) {
	if !nameable(string(run)) {
		return "", &finalError{fmt.Errorf("run %q cannot stand in a folder's name", run)}
	}
	return os.MkdirTemp(w.root, string(w.boot)+separator+string(run)+separator+"*")
}

// owner returns the boot that a folder's name carries; ok is false where the name
// is not one of ours.
func owner(name string) (boot events.BootID, ok bool) {
	parts := strings.Split(name, separator)
	if len(parts) != 3 || !nameable(parts[0]) || !nameable(parts[1]) || !nameable(parts[2]) {
		return "", false
	}
	return events.BootID(parts[0]), true
}

// Sweep removes the checkouts of the boots that dead says are gone, and their pins
// in mirrors, and returns how many checkouts. It leaves this boot's own, every name
// that is not a checkout's, and whatever is not a folder; a link in the tree leads
// it nowhere. (cases W02, W03)
func (w *Workspace) Sweep(dead func(events.BootID) bool) (removed int, err error) {
	entries, err := os.ReadDir(w.root)
	if err != nil {
		return 0, fmt.Errorf("sweep checkouts: %w", err)
	}
	var failed []error
	for _, e := range entries {
		boot, ok := owner(e.Name())
		if !ok || !e.IsDir() || boot == w.boot || !dead(boot) {
			continue
		}
		switch err := w.remove(e.Name()); {
		case errors.Is(err, fs.ErrNotExist): // another process swept it
		case err != nil:
			failed = append(failed, err)
		default:
			removed++
		}
	}
	if w.mirrors != nil {
		failed = append(failed, w.mirrors.Sweep(w.alive, dead))
	}
	if err := errors.Join(failed...); err != nil {
		return removed, fmt.Errorf("sweep checkouts: %w", err)
	}
	return removed, nil
}

// remove removes one checkout.
func (w *Workspace) remove(name string) error {
	if err := removeBelow(w.root, name); err != nil {
		return fmt.Errorf("remove checkout: %w", err)
	}
	return nil
}

// removeBelow removes one folder of a folder of ours, through an os.Root, so that
// nothing outside is ever touched: the folders in it are made writable first,
// because an export is read-only. (cases W02, W20, W30)
func removeBelow(dir, name string) error {
	if name != filepath.Base(name) || name == "." || name == ".." || name == string(filepath.Separator) {
		return fmt.Errorf("%q is not a name within its folder", name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	st, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%q is not a folder", name)
	}
	if err := git.Unlock(root, name); err != nil {
		return err
	}
	return root.RemoveAll(name)
}
