package git

import (
	"os"
	"path/filepath"
	"strings"
)

// gitFileMax bounds the file ".git" of a linked work tree, in bytes.
const gitFileMax = 8 << 10

// ownsCheckout reports whether the checkout says itself that it belongs to the
// repository: it holds the git directory, or a file that names it. A repository's
// configuration can name any folder as its checkout (core.worktree); such a one is
// read as if it had none, so that nothing outside of it is.
func (r *Repo) ownsCheckout() bool {
	entry := filepath.Join(r.Top, ".git")
	st, err := os.Stat(entry)
	if err != nil {
		return false
	}
	if st.Mode().IsRegular() {
		text, err := readRegular(entry, gitFileMax)
		if err != nil {
			return false
		}
		named, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if !ok {
			return false
		}
		if entry = named; !filepath.IsAbs(entry) {
			entry = filepath.Join(r.Top, entry)
		}
	}
	is, err := os.Stat(entry)
	if err != nil {
		return false
	}
	own, err := os.Stat(r.GitDir)
	return err == nil && os.SameFile(is, own)
}
