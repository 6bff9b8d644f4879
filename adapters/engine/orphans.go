package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/events"
)

// orphansWait bounds the wait for killed processes to be gone. A process that is
// stuck in the kernel may outlast it.
const orphansWait = 20 * time.Second

// KillOrphans ends every engine process of a dead boot on this machine, its
// descendants included, and returns the lanes that had any when all of them are
// gone. It must have returned before a lane of a dead boot is tried again.
// (hard-parts §2) An error says that some may still run.
func KillOrphans(dead func(events.BootID) bool) ([]events.LaneKey, error) {
	ctx, cancel := context.WithTimeout(context.Background(), orphansWait)
	defer cancel()
	asked := map[events.BootID]bool{} // each boot is asked about once
	marks, err := process.Kill(ctx, func(m process.Mark) bool {
		gone, known := asked[m.Boot]
		if !known {
			gone = dead(m.Boot)
			asked[m.Boot] = gone
		}
		return gone
	})
	keys := make([]events.LaneKey, 0, len(marks))
	for _, mark := range marks {
		keys = append(keys, mark.Key)
	}
	if err != nil {
		return keys, fmt.Errorf("kill orphans: %w", err)
	}
	return keys, nil
}
