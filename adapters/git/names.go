package git

import (
	"strings"
	"unicode/utf8"
)

// NameMax is the longest name of a file or folder that is written, in bytes: what
// Linux and macOS take.
const NameMax = 255

// unsafeName says why a path of a tree is not written to disk, or "". git refuses
// the same names in a checkout, but a tree can be made without git. (case W23)
func unsafeName(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return "the name leaves its folder"
		case strings.ContainsRune(part, 0):
			return "the name holds a NUL byte"
		case len(part) > NameMax:
			return "the name is too long for the file system"
		case looksLikeGitDir(part):
			return "the name looks like git's own folder"
		}
	}
	return ""
}

// looksLikeGitDir reports whether some file system takes the name for ".git": by
// case, by characters that HFS+ ignores, or by NTFS's short names, streams and
// trailing dots and spaces. (core.protectHFS, core.protectNTFS)
func looksLikeGitDir(part string) bool {
	part, _, _ = strings.Cut(part, ":")
	part = strings.TrimRight(part, ". ")
	for _, piece := range strings.Split(part, `\`) {
		switch strings.ToLower(withoutIgnorable(strings.TrimRight(piece, ". "))) {
		case ".git", "git~1":
			return true
		}
	}
	return false
}

// withoutIgnorable drops the characters that HFS+ leaves out when it compares
// names. (next_hfs_char in utf8.c of git)
func withoutIgnorable(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e,
			r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, s)
}
