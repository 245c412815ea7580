// This file reads inodes and change times.

package watch

import (
	"io/fs"
	"syscall"
	"time"
)

// identity returns inode and time of the last change. Tools that restore size and mtime, such as
// rsync and touch -r, still change these.
func identity(info fs.FileInfo) (inode uint64, changed time.Time) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, info.ModTime()
	}
	return stat.Ino, time.Unix(stat.Ctim.Unix())
}
