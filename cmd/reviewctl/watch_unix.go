//go:build unix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// readerGone waits until nobody reads a pipe any more, and reports that. It ends
// with over as well, and wakes for nothing else.
func readerGone(out *os.File, over <-chan struct{}) bool {
	read, write, err := os.Pipe()
	if err != nil {
		return false
	}
	defer read.Close()
	go func() {
		<-over
		_ = write.Close()
	}()
	fds := []unix.PollFd{{Fd: int32(out.Fd())}, {Fd: int32(read.Fd())}}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	}
}
