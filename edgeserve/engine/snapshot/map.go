// This file gives others the bytes of a snapshot file.

package snapshot

import "os"

// MapFile maps a snapshot file into memory, for programs that read its bytes without their meaning. unmap ends it.
func MapFile(f *os.File) (data []byte, unmap func() error, err error) { return mapFile(f) }
