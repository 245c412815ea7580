// This file keeps bodies in memory files. sendfile passes on their pages, where a write would copy the
// bytes. For a list page of 14 KB it takes an eighth of the CPU.

package bodies

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	minMemfileBody  = 12 << 10 // for bodies of this length and more, a second system call costs less than a copy
	maxMemfiles     = 64       // the kernel's structures of hundreds of files would not fit into the CPU cache
	memfileOverhead = 4 << 10  // memory in addition to the bytes: the rest of the last page, and kernel structures
)

// Memfiles creates at most 64 memory files at a time.
type Memfiles struct{ remaining atomic.Int64 }

// NewMemfiles returns a Memfiles without files.
func NewMemfiles() *Memfiles {
	m := new(Memfiles)
	m.remaining.Store(maxMemfiles)
	return m
}

// Memfile is a memory file with a copy of a body. A nil Memfile means that the body has none.
type Memfile struct {
	pool *Memfiles
	FD   int          // valid between Acquire and Release
	Size int          // of the body, in bytes
	refs atomic.Int32 // one for the owner, one for each write in progress
}

// New copies a body into a file, which the caller must Release. It returns nil if the body is short, or
// if there can be no further file.
func (m *Memfiles) New(body []byte) *Memfile {
	if len(body) < minMemfileBody {
		return nil
	}
	if m.remaining.Add(-1) < 0 {
		m.remaining.Add(1)
		return nil
	}
	f := &Memfile{pool: m, Size: len(body)}
	f.refs.Store(1)
	var err error
	if f.FD, err = unix.MemfdCreate("body", unix.MFD_CLOEXEC); err != nil {
		m.remaining.Add(1)
		return nil
	}
	if n, err := unix.Write(f.FD, body); err != nil || n < len(body) {
		f.Release()
		return nil
	}
	return f
}

// Cost returns the memory of the file in bytes.
func (f *Memfile) Cost() int64 {
	if f == nil {
		return 0
	}
	return int64(f.Size) + memfileOverhead
}

// Release drops a reference of the owner or of a write. Dropping the last reference closes the file.
func (f *Memfile) Release() {
	if f != nil && f.refs.Add(-1) == 0 {
		_ = unix.Close(f.FD)
		f.pool.remaining.Add(1)
	}
}

// Acquire adds a reference for a write, which ends with Release. It returns false if the file is nil
// or closed.
func (f *Memfile) Acquire() bool {
	if f == nil {
		return false
	}
	for {
		n := f.refs.Load()
		if n <= 0 {
			return false
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}
