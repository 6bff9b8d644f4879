package mirror

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftoverAge is how old a lock file must be to be stale where a free lock does not
// prove that its git has ended.
const leftoverAge = time.Hour

// removeLeftovers removes what a killed git leaves behind: lock files, and packs
// that never were finished. The caller holds the mirror's lock; exclusive says that
// this proves that no git of ours writes. It returns how many went. (case W05)
func removeLeftovers(dir string, exclusive bool) (removed int) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0
	}
	defer func() { _ = root.Close() }()
	for _, sub := range []string{".", "refs", "objects/info", "objects/pack", "objects"} {
		_ = fs.WalkDir(root.FS(), sub, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir
			}
			deep := sub == "refs" || sub == "objects/info"
			if d.IsDir() && path != sub && !deep {
				if sub == "objects" && unfinished(d.Name()) && old(d, exclusive) && root.RemoveAll(path) == nil {
					removed++
				}
				return fs.SkipDir
			}
			if !d.IsDir() && (strings.HasSuffix(d.Name(), lockSuffix) || sub != "." && unfinished(d.Name())) &&
				old(d, exclusive) && root.Remove(filepath.FromSlash(path)) == nil {
				removed++
			}
			return nil
		})
	}
	return removed
}

// unfinished reports whether git gives such names to objects that it has not moved
// into place yet.
func unfinished(name string) bool {
	return strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, "incoming-")
}

func old(d fs.DirEntry, exclusive bool) bool {
	if exclusive {
		return true
	}
	st, err := d.Info()
	return err == nil && time.Since(st.ModTime()) > leftoverAge
}
