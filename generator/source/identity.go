// This file detects whether a file changed, without reading it.

package source

import (
	"hash/maphash"
	"io/fs"
	"time"
)

// Identity is what the system says about a file: size, inode and times. A file with the same
// identity has the same bytes, unless it is young.
type Identity struct {
	sum   uint64
	young bool
}

// File times move in ticks; two changes within one look alike. Some file systems count whole
// seconds, FAT every second one. The clock of file times lags by up to a tick.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2*time.Second + tick
)

// Window is how long after a change at a time of a file another one may get the same time.
func Window(changed time.Time) time.Duration {
	if changed.Nanosecond() == 0 {
		return coarseTick
	}
	return tick
}

// Young reports a change so recent that another one may have the same times.
func (i Identity) Young() bool { return i.young }

// Same reports whether two identities are of one state of a file.
func (i Identity) Same(o Identity) bool { return i.sum != 0 && i.sum == o.sum }

// seed is that of this process: identities do not outlive it.
var seed = maphash.MakeSeed()

func identityOf(info fs.FileInfo, now time.Time) Identity {
	var about struct {
		size           int64
		mtime, changed int64 // nanoseconds; a tool can set the first, not the second
		inode, device  uint64
	}
	about.size, about.mtime = info.Size(), info.ModTime().UnixNano()
	about.changed, about.inode, about.device = system(info)
	window := Window(time.Unix(0, about.changed)).Nanoseconds()
	return Identity{maphash.Comparable(seed, about) | 1, now.UnixNano()-max(about.changed, about.mtime) < window}
}

// Identity is that of the file when it was listed.
func (f File) Identity() Identity { return f.identity }

// Identity is that of the file when it was opened. What All returns are its bytes.
func (r *Reader) Identity() Identity { return identityOf(r.before, r.at) }
