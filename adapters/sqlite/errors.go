package sqlite

import (
	"fmt"
	"syscall"

	zombie "zombiezen.com/go/sqlite"

	"github.com/reviewctl/reviewctl/events"
)

// translate puts the sentinel of events beside a driver's error, so that no
// driver type is needed to judge it. What a failed commit means is decided where
// the commit is. (STYLE 29)
func translate(err error) error {
	if err == nil {
		return nil
	}
	sentinel := sentinelOf(zombie.ErrCode(err))
	return fmt.Errorf("%w: %w", sentinel, err)
}

func sentinelOf(code zombie.ResultCode) error {
	switch code.ToPrimary() {
	case zombie.ResultFull:
		return events.ErrFull
	case zombie.ResultReadOnly, zombie.ResultPerm:
		return events.ErrReadOnly
	case zombie.ResultCorrupt, zombie.ResultNotADB, zombie.ResultFormat:
		return events.ErrDamaged
	case zombie.ResultTooBig:
		return events.ErrTooLarge
	case zombie.ResultBusy:
		return errBusy
	case zombie.ResultCantOpen:
		return errCannotOpen
	case zombie.ResultIOErr:
		return errDisk
	default:
		return events.ErrUnavailable
	}
}

// errBusy is ErrUnavailable because another process has the lock.
var errBusy = fmt.Errorf("%w: another process is writing", events.ErrUnavailable)

// errReadOnlyMedium is how the system says that nothing there can be written.
const errReadOnlyMedium = syscall.EROFS

// errCannotOpen is ErrUnavailable because the file, or one beside it, cannot be
// opened.
var errCannotOpen = fmt.Errorf("%w: the file cannot be opened", events.ErrUnavailable)

// errDisk is ErrUnavailable that came from the disk: after it a connection is
// not trusted any more.
var errDisk = fmt.Errorf("%w: the disk answered with an error", events.ErrUnavailable)
