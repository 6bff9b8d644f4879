//go:build unix

package mirror

import (
	"fmt"
	"os"
	"syscall"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// ownership refuses a mirror that belongs to another user: what they put there
// would be read as ours. git looks at this only where it searches for a repository,
// which it does not do here. (case W27)
func (m *mirror) ownership() error {
	for _, path := range []string{m.store.Root, m.dir} {
		st, err := os.Lstat(path)
		if err != nil {
			continue // it is made next, or the next step says so
		}
		sys, ok := st.Sys().(*syscall.Stat_t)
		if ok && int(sys.Uid) != m.store.uid {
			return fmt.Errorf("%w: %s belongs to user %d, and this is user %d: remove it, or run as its owner",
				git.ErrOwnership, path, sys.Uid, m.store.uid)
		}
	}
	return nil
}
