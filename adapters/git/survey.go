package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
)

// A survey walks a folder that was filled before. What belongs to the commit and
// is still as it was written stays; everything else goes: files that changed or
// that somebody put there, links, and folders that the commit has not.

// survey returns the paths of the files that stay.
func (x *exporter) survey(old *Manifest, blobs, modules []TreeEntry) (map[string]bool, error) {
	x.over = true
	s := &surveyor{x: x, old: old, wanted: make(map[string]TreeEntry, len(blobs)), needed: map[string]bool{}, kept: map[string]bool{}}
	for _, e := range blobs {
		s.wanted[e.Path] = e
		s.need(path.Dir(e.Path))
	}
	for _, e := range modules {
		s.need(e.Path)
	}
	if err := s.walk("."); err != nil {
		return nil, err
	}
	return s.kept, nil
}

type surveyor struct {
	x      *exporter
	old    *Manifest
	wanted map[string]TreeEntry
	needed map[string]bool // folders of the commit
	kept   map[string]bool
}

func (s *surveyor) need(dir string) {
	for ; dir != "." && !s.needed[dir]; dir = path.Dir(dir) {
		s.needed[dir] = true
	}
}

func (s *surveyor) walk(dir string) error {
	sub, err := s.x.root.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Close() }()
	names, mode, err := listNames(sub)
	if err != nil {
		return err
	}
	if mode != exportedFolder && dir != "." { // it gets its mode back with the others
		if err := s.x.unlock(dir); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.look(sub, name, path.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// listNames reads a folder's names, in order, and its mode.
func listNames(dir *os.Root) ([]string, fs.FileMode, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, 0, err
	}
	names, err := f.Readdirnames(-1)
	st, bad := f.Stat()
	if err := errors.Join(err, bad, f.Close()); err != nil {
		return nil, 0, err
	}
	slices.Sort(names)
	return names, st.Mode().Perm(), nil
}

// look decides about one name of a folder.
func (s *surveyor) look(in *os.Root, name, full string) error {
	st, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if st.IsDir() && s.needed[full] {
		s.x.folders[full] = true
		return s.walk(full)
	}
	wanted, isWanted := s.wanted[full]
	was, isKnown := s.old.Files[full]
	if isWanted && isKnown && was.ID == wanted.ID && was == written(was.ID, st) && st.Mode().IsRegular() &&
		(st.Mode()&0o100 != 0) == (wanted.Mode == modeExecutable) {
		s.kept[full] = true
		s.x.made.add(full, was)
		return nil
	}
	if err := s.x.unlock(path.Dir(full)); err != nil {
		return err
	}
	if st.IsDir() {
		return removeTree(s.x.root, full)
	}
	return s.x.root.Remove(full)
}

// removeTree removes a folder with all that is in it, read-only folders too.
func removeTree(root *os.Root, dir string) error {
	if err := Unlock(root, dir); err != nil {
		return err
	}
	return root.RemoveAll(dir)
}

// Unlock makes a folder and all folders below it writable; links are not
// followed. (case W30)
func Unlock(root *os.Root, dir string) error {
	if err := root.Chmod(dir, 0o700); err != nil {
		return err
	}
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := Unlock(root, path.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// unlock makes a folder of the commit writable until the export is done.
func (x *exporter) unlock(dir string) error {
	if !x.over || x.writable[dir] {
		return nil
	}
	if err := x.root.Chmod(dir, foldersMeantime); err != nil {
		return err
	}
	x.opened(dir)
	return nil
}

// opened remembers a folder that is writable meanwhile.
func (x *exporter) opened(dir string) {
	x.writable[dir] = true
	x.order = append(x.order, dir)
}
