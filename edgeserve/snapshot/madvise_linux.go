// This file releases mapped pages on Linux.

package snapshot

import "syscall"

// adviseDontNeed releases the pages of a mapping from the process. They stay in the page
// cache, so reading them again needs no disk access.
func adviseDontNeed(data []byte) { _ = syscall.Madvise(data, syscall.MADV_DONTNEED) }
