package process

import (
	"errors"
	"io/fs"
	"os"
)

// RemoveTree removes a folder, even where an engine took the right to do so away.
// It follows no link out of the folder.
func RemoveTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	if root, err := os.OpenRoot(dir); err == nil {
		_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = root.Chmod(path, 0o700) // what stays closed is reported below
			}
			return nil
		})
		_ = root.Close()
	}
	if err := os.RemoveAll(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
