// This file gives no inodes: only size, mtime and mode are portable.

//go:build !linux

package watch

import (
	"io/fs"
	"time"
)

func identity(info fs.FileInfo) (inode uint64, changed time.Time) { return 0, info.ModTime() }
