// This file creates files without a name. They end with their last descriptor, even after a kill.

package spill

import (
	"os"

	"golang.org/x/sys/unix"
)

// nameless opens a new file without a name in dir. Not every file system can.
func nameless(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600)
}
