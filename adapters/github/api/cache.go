package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
)

// Bounds of the cache on disk.
const (
	cacheBytesMax   = 256 << 20
	cacheAgeMax     = 30 * 24 * time.Hour
	cacheTouchEvery = 24 * time.Hour
	cacheSweepEvery = 16 << 20 // bytes written
	cacheEnding     = ".answer"
	cacheTemporary  = "new-*"
)

// cache keeps answers on disk, one a file: a line that describes it, then the body.
// Whatever is broken, too old or not ours is as if it were not there. A file's name
// is a hash, in which a hash of the token has a part.
type cache struct {
	dir   string
	clock actors.Clock

	bytesMax   int64
	sweepEvery int64

	mu      sync.Mutex
	written int64 // since the last sweep
	touched map[string]time.Time
}

// entry is the first line of a file.
type entry struct {
	V      int    `json:"v"`
	URL    string `json:"url"`
	ETag   string `json:"etag"`
	Next   string `json:"next,omitempty"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

const cacheVersion = 1

func openCache(dir string, clock actors.Clock) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of GitHub's answers: %w", err)
	}
	c := &cache{dir: dir, clock: clock, bytesMax: cacheBytesMax, sweepEvery: cacheSweepEvery, touched: map[string]time.Time{}}
	c.sweep()
	return c, nil
}

func (c *cache) file(key string) string { return filepath.Join(c.dir, key+cacheEnding) }

// load reads an answer, or nil.
func (c *cache) load(key, url string) *kept {
	content, err := os.ReadFile(c.file(key))
	if err != nil {
		return nil
	}
	line, body, ok := bytes.Cut(content, []byte("\n"))
	var e entry
	if !ok || json.Unmarshal(line, &e) != nil || e.V != cacheVersion || e.URL != url || e.ETag == "" ||
		e.Size != len(body) || e.SHA256 != checksum(body) {
		return nil
	}
	return &kept{etag: e.ETag, next: e.Next, body: body}
}

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// store writes an answer; a reader sees the old one or the new one.
func (c *cache) store(key string, e entry, body []byte) error {
	e.V, e.Size, e.SHA256 = cacheVersion, len(body), checksum(body)
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("describe an answer: %w", err)
	}
	file, err := os.CreateTemp(c.dir, cacheTemporary) // 0600
	if err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	_, err = file.Write(append(append(line, '\n'), body...))
	if closed := file.Close(); err == nil {
		err = closed
	}
	if now := c.clock.Now(); err == nil {
		err = os.Chtimes(file.Name(), now, now) // age is counted by one clock
	}
	if err == nil {
		err = os.Rename(file.Name(), c.file(key))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep an answer: %w", err), os.Remove(file.Name()))
	}
	c.mu.Lock()
	c.written += int64(len(body))
	full := c.written >= c.sweepEvery
	c.mu.Unlock()
	if full {
		c.sweep()
	}
	return nil
}

// touch keeps an answer that is used from growing old.
func (c *cache) touch(key string) {
	now := c.clock.Now()
	c.mu.Lock()
	recent := now.Sub(c.touched[key]) < cacheTouchEvery
	if !recent {
		c.touched[key] = now
	}
	c.mu.Unlock()
	if !recent {
		_ = os.Chtimes(c.file(key), now, now) // gone = it will be fetched again
	}
}

func (c *cache) drop(key string) { _ = os.Remove(c.file(key)) }

// sweep removes what is too old, then the oldest until the rest fits.
func (c *cache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = 0
	now := c.clock.Now()
	found, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var sum int64
	for _, item := range found {
		file, err := item.Info()
		if err != nil || !file.Mode().IsRegular() {
			continue
		}
		age := now.Sub(file.ModTime())
		switch {
		case strings.HasSuffix(file.Name(), cacheEnding) && age < cacheAgeMax:
			files = append(files, file)
			sum += file.Size()
		case strings.HasSuffix(file.Name(), cacheEnding) || strings.HasPrefix(file.Name(), "new-") && age > time.Hour:
			_ = os.Remove(filepath.Join(c.dir, file.Name()))
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if sum <= c.bytesMax {
			break
		}
		sum -= file.Size()
		_ = os.Remove(filepath.Join(c.dir, file.Name()))
	}
	clear(c.touched)
}
