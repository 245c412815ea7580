// This file swaps two directories where no system call does it: b is absent for a
// moment, and both are there under one name or another if the process dies.

package output

import "os"

// exchangeTwice leaves what was b under the name a and the reverse.
func exchangeTwice(a, b string) error {
	aside := a + "-aside"
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		return err
	}
	return os.Rename(aside, a)
}
