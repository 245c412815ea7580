// This file detects whether a file changed, without reading it.

package source

import (
	"crypto/sha256"
	"encoding/binary"
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

// Window is how long after a change of a file another change may get the same time.
func Window(changed time.Time) time.Duration {
	if changed.Nanosecond() == 0 {
		return coarseTick
	}
	return tick
}

// Young reports whether the last change is so recent that another change may have the same times.
func (i Identity) Young() bool { return i.young }

// Same reports whether two identities show the same state of a file.
func (i Identity) Same(o Identity) bool { return i.sum != 0 && i.sum == o.sum }

// IdentityOf returns the identity of a file from what the system said about it at a time.
func IdentityOf(info fs.FileInfo, now time.Time) Identity {
	var about struct {
		size           int64
		mtime, changed int64 // in nanoseconds; tools can set mtime, but not changed
		inode, device  uint64
	}
	about.size, about.mtime = info.Size(), info.ModTime().UnixNano()
	about.changed, about.inode, about.device = system(info)
	window := Window(time.Unix(0, about.changed)).Nanoseconds()
	text := binary.LittleEndian.AppendUint64(nil, uint64(about.size))
	for _, n := range []uint64{uint64(about.mtime), uint64(about.changed), about.inode, about.device} {
		text = binary.LittleEndian.AppendUint64(text, n)
	}
	sum := sha256.Sum256(text) // the same in every process
	return Identity{binary.LittleEndian.Uint64(sum[:]) | 1, now.UnixNano()-max(about.changed, about.mtime) < window}
}

// Identity returns the identity of the file when it was listed.
func (f File) Identity() Identity { return f.identity }

// Identity returns the identity of the file when it was opened, and so of the bytes that All returns.
func (r *Reader) Identity() Identity { return IdentityOf(r.raw.before, r.raw.at) }
