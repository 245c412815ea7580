// This file tells whether a file is what it was, without reading it.

package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Identity is what the system says about one state of a file. A file with the same identity
// has the same bytes, unless the identity is young.
type Identity struct {
	size           int64
	mtime, changed int64 // nanoseconds; a tool can set the first, not the second
	inode, device  uint64
	young          bool
}

// A file's times move in ticks: two changes within one look alike. Some file systems count
// whole seconds, and FAT every second one.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// Young reports whether the file had changed so shortly before that another change may have
// the same times.
func (i Identity) Young() bool { return i.young }

// Same reports whether two identities are of one state of a file.
func (i Identity) Same(o Identity) bool {
	i.young, o.young = false, false
	return i == o
}

// identityOf reads an identity at a time.
func identityOf(info fs.FileInfo, now time.Time) Identity {
	i := Identity{size: info.Size(), mtime: info.ModTime().UnixNano()}
	i.changed, i.inode, i.device = system(info)
	window := int64(tick)
	if i.changed%int64(time.Second) == 0 {
		window = int64(coarseTick)
	}
	i.young = now.UnixNano()-max(i.changed, i.mtime) < window
	return i
}

// Identity looks at the file. It is false if there is none.
func (f File) Identity() (Identity, bool) {
	info, err := os.Lstat(filepath.Join(f.dir, filepath.FromSlash(f.target)))
	if err != nil || !info.Mode().IsRegular() {
		return Identity{}, false
	}
	return identityOf(info, time.Now()), true
}

// Identity is that of the file when it was opened. What All returns are its bytes.
func (r *Reader) Identity() Identity { return identityOf(r.before, r.at) }
