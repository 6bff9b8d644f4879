//go:build !unix

package main

import "os"

// readerGone cannot be told here: the next write will.
func readerGone(*os.File, <-chan struct{}) bool { return false }
