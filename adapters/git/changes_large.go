package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of the files that are looked into for what they hold.
const (
	// sniffBytes is how much of a file git itself reads to tell binary from text.
	sniffBytes = 8000
	// sniffedMax bounds the bytes of all such files together, which have to be
	// unpacked: a minute's work.
	sniffedMax int64 = 4 << 30
)

// tellLarge tells the files that are binary from those that git only does not look
// into because they are too large. It asks nothing where git shows the text of all
// files.
func (r *Repo) tellLarge(ctx context.Context, changes []FileChange) error {
	var ids []string
	for i := range changes {
		if c := &changes[i]; c.doubtful() {
			ids = append(ids, c.OldID, c.NewID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	sizes, err := r.sizes(ctx, ids)
	if err != nil {
		return err
	}
	binary, err := r.sniff(ctx, changes, sizes)
	if err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		size := max(sizes[c.OldID], sizes[c.NewID])
		if !c.doubtful() || size <= BigFileBytes || binary[c.NewID] {
			continue
		}
		c.Binary = false
		c.TooLarge = fmt.Sprintf("it has %d bytes; the diff of more than %d is not read", size, BigFileBytes)
	}
	return nil
}

// doubtful reports whether the file may be a large text. What is deleted needs no
// review of its text.
func (c *FileChange) doubtful() bool {
	return c.Binary && c.Status != "D"
}

// sizes asks for the sizes of blobs. An id of zeros, and a blob that is not here,
// have none.
func (r *Repo) sizes(ctx context.Context, ids []string) (map[string]int64, error) {
	sizes := map[string]int64{}
	c := r.call(int64(len(ids))*blobHeaderMax, "cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer")
	c.stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	out, err := c.output(ctx)
	if err != nil {
		return nil, fmt.Errorf("read sizes: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		id, size, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil {
			sizes[id] = n
		}
	}
	return sizes, nil
}

// sniff reads the beginning of the large files' new sides, as git does with small
// ones: a NUL makes it binary. What is over the bound counts as text.
func (r *Repo) sniff(ctx context.Context, changes []FileChange, sizes map[string]int64) (map[string]bool, error) {
	binary := map[string]bool{}
	var large []TreeEntry
	var sum int64
	for i := range changes {
		c := &changes[i]
		size := sizes[c.NewID]
		if !c.doubtful() || size == 0 || max(size, sizes[c.OldID]) <= BigFileBytes || sum+size > sniffedMax {
			continue
		}
		sum += size
		large = append(large, TreeEntry{ID: c.NewID, Size: size})
	}
	err := r.blobs(ctx, large, func(e TreeEntry, content io.Reader) error {
		head := make([]byte, sniffBytes)
		n, err := io.ReadFull(content, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		binary[e.ID] = bytes.IndexByte(head[:n], 0) >= 0
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look into large files: %w", err)
	}
	return binary, nil
}
