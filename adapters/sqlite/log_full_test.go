//go:build !linux

package sqlite

import "errors"

func childFillsDisk(string, int) error { return errors.New("only Linux mounts for a child alone") }
