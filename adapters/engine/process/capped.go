package process

import (
	"bytes"
	"sync"
)

// Capped keeps the first Max bytes of a program's output, and calls Over once
// when there is more. It takes all that is written, so that the program never
// waits. (case E16)
type Capped struct {
	Max  int
	Over func()

	mu   sync.Mutex
	kept bytes.Buffer
	full bool
}

func (c *Capped) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := c.Max - c.kept.Len()
	c.kept.Write(b[:min(room, len(b))])
	if len(b) > room && !c.full {
		c.full = true
		c.Over()
	}
	return len(b), nil
}

// Bytes is what was kept.
func (c *Capped) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.kept.Bytes())
}

// Full reports whether there was more than is kept.
func (c *Capped) Full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.full
}
