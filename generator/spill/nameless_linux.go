// This file creates files without a name. The system removes such a file with its last descriptor, also
// after a kill.

package spill

import (
	"os"

	"golang.org/x/sys/unix"
)

// nameless opens a new file without a name in dir. Not every file system can.
func nameless(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600)
}
