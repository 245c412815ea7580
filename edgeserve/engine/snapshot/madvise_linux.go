// This file releases mapped pages on Linux.

package snapshot

import "syscall"

// adviseDontNeed releases mapped pages from the process. They stay in the page cache.
func adviseDontNeed(data []byte) { _ = syscall.Madvise(data, syscall.MADV_DONTNEED) }
