//go:build !linux

package sandbox

import "fmt"

func confineTo(*Grant, bool) error {
	return fmt.Errorf("%w: it is Linux's", ErrNoSandbox)
}
