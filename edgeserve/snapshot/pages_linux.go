// This file gives mapped pages back to the system where it can be told to.

package snapshot

import "syscall"

// leave takes the pages of a mapping out of the process's memory. They stay in the
// system's, so that whoever needs one gets it without the disk.
func leave(data []byte) { _ = syscall.Madvise(data, syscall.MADV_DONTNEED) }
