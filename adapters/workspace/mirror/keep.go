package mirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// PacksMax is how many packs a mirror has before they are joined: each fetch brings
// one. (case W28)
const PacksMax = 20

// Kept is a mirror on disk.
type Kept struct {
	Name  string
	Bytes int64
	Used  time.Time // last
	packs int
}

// List lists the mirrors, the one that was used longest ago first.
func (s *Store) List() ([]Kept, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var list []Kept
	for _, name := range names {
		k := Kept{Name: name}
		if st, err := os.Stat(filepath.Join(s.Root, name+lockSuffix)); err == nil {
			k.Used = st.ModTime()
		}
		_ = filepath.WalkDir(filepath.Join(s.Root, name+dirSuffix), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it went meanwhile
			}
			if st, err := d.Info(); err == nil && st.Mode().IsRegular() {
				k.Bytes += st.Size()
			}
			if filepath.Ext(path) == ".pack" {
				k.packs++
			}
			return nil
		})
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b Kept) int {
		return min(1, max(-1, a.Used.Compare(b.Used)*2+strings.Compare(a.Name, b.Name)))
	})
	return list, nil
}

// names lists the mirrors.
func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.Root)
	if err != nil {
		return nil, fmt.Errorf("list mirrors: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), dirSuffix); ok && e.IsDir() {
			names = append(names, name)
		}
	}
	return names, nil
}

// Remove removes a mirror that was not used since the time and that no live run of
// any process reads. It reports whether the mirror is gone. What was in it is
// looked at again under its lock. (semantics 29.1)
func (s *Store) Remove(name string, unusedSince time.Time, dead func(events.BootID) bool) (bool, error) {
	held, err := tryLock(filepath.Join(s.Root, name+lockSuffix))
	if held == nil || err != nil {
		return false, err
	}
	defer held.release()
	st, err := os.Stat(filepath.Join(s.Root, name+lockSuffix))
	if err != nil || st.ModTime().After(unusedSince) {
		return false, err
	}
	live, err := pinsOf(filepath.Join(s.Root, name+dirSuffix), func(boot events.BootID) bool { return !dead(boot) })
	if err != nil || len(live) > 0 {
		return false, err
	}
	return true, s.discard(name)
}

// discard takes a mirror away at once, and then its files. Its lock is held.
func (s *Store) discard(name string) error {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return fmt.Errorf("remove mirror: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.RemoveAll(name + oldSuffix); err != nil {
		return fmt.Errorf("remove mirror: %w", err)
	}
	err = root.Rename(name+dirSuffix, name+oldSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = root.RemoveAll(name + oldSuffix)
	}
	if err != nil {
		return fmt.Errorf("remove mirror: %w", err)
	}
	return nil
}

// Tidy joins the packs of a mirror that has many, and removes old objects that no
// ref names. It leaves a mirror that somebody works with. (case W28)
func (s *Store) Tidy(ctx context.Context, k Kept) error {
	if k.packs <= PacksMax {
		return nil
	}
	held, err := tryLock(filepath.Join(s.Root, k.Name+lockSuffix))
	if held == nil || err != nil {
		return err
	}
	defer held.release()
	dir := filepath.Join(s.Root, k.Name+dirSuffix)
	format := formatOf(dir)
	if _, err := git.RestoreBare(dir, format); err != nil {
		return err
	}
	return git.OpenBare(dir, format).Tidy(ctx, held.file())
}

// formatOf is the object format of a mirror on disk. A configuration that somebody
// else wrote is put right from the want's own commits. (open)
func formatOf(dir string) git.ObjectFormat {
	text, err := os.ReadFile(filepath.Join(dir, "config"))
	if err == nil && strings.Contains(string(text), "objectFormat = sha256") {
		return git.SHA256
	}
	return git.SHA1
}
