package static

import (
	"fmt"
	"path"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// LargeFileBytes is the size from which a file is large.
const LargeFileBytes = 5 << 20

var addedBinaryRule = Rule{
	ID: "added-binary", title: "Binary file added", version: 1,
	Severity: events.SeveritySuggestion, Category: categoryHygiene,
	Doc: "Nobody can review it, and every clone keeps it for ever. Build it from its source, or say where it comes from.",
}

var largeFileRule = Rule{
	ID: "large-file", title: "Large file", version: 1,
	Severity: events.SeveritySuggestion, Category: categoryHygiene,
	Doc: "Every clone keeps it for ever, and so does its history when it is removed later. Keep it elsewhere, or in Git LFS.",
}

// assets are kinds of binary file that belong to what is made with a repository.
var assets = []string{
	".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".icns", ".bmp", ".woff", ".woff2", ".ttf", ".otf",
	".eot", ".pdf", ".mp3", ".ogg", ".wav", ".mp4", ".webm",
}

// size finds binary files that are new, and files that became large.
func (l *look) size() {
	f := l.file
	if f.Binary && f.Status == diff.Added && !hasEnd(f.New, assets) {
		l.whole(&addedBinaryRule, "", "The change adds a file that git takes for binary.")
	}
	head := l.old.headSize()
	if head < LargeFileBytes {
		return
	}
	before := int64(0)
	if f.Status != diff.Added {
		if f.Binary {
			return // the patch does not say how large it was
		}
		before = head - rowBytes(f)
	}
	if before < LargeFileBytes {
		l.whole(&largeFileRule, "", fmt.Sprintf("The file has %d bytes; %d or more are many.", head, LargeFileBytes))
	}
}

// rowBytes is by how many bytes the change makes the file longer.
func rowBytes(f *diff.File) int64 {
	var n int64
	for i := range f.Hunks {
		for row := range f.Hunks[i].Rows() {
			switch row.Op {
			case diff.OpAdd:
				n += int64(len(row.Text)) + 1
			case diff.OpRemove:
				n -= int64(len(row.Text)) + 1
			case diff.OpContext:
			}
		}
	}
	return n
}

func hasEnd(name string, ends []string) bool {
	name = strings.ToLower(path.Base(name))
	for _, end := range ends {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
