//go:build !unix

package main

import "os"

func freeBytes(string) (free uint64, known bool, err error) { return 0, false, nil }

// writable opens the file as SQLite would.
func writable(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func filesMax() (files uint64, known bool, err error) { return 0, false, nil }
