package mirror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrBorrowed: a source's objects lie partly in another repository.
var ErrBorrowed = errors.New("the repository borrows objects from outside")

// borrows refuses a folder whose objects lie partly in another one: a mirror copies
// what its source holds, and nothing from outside, which may be somebody else's, or
// go. (gitrepository-layout, "objects/info/alternates")
func borrows(path string) error {
	for _, dir := range []string{path, filepath.Join(path, ".git")} {
		file := filepath.Join(dir, "objects", "info", "alternates")
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") || filepath.IsLocal(line) {
				continue
			}
			return fmt.Errorf("%w: %s names %q: run `git repack -a -d` in %s and remove that file", ErrBorrowed, file, line, path)
		}
	}
	return nil
}
