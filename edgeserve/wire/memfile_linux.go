// This file keeps bodies where the system can send them from: it passes on the pages of a
// file, where it has to copy what lies in a process's memory. For a list page of 14 KB that
// is an eighth of the whole answer.

package wire

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// memfileFrom is the length from which on a body is cheaper sent from a file, which
	// takes a second system call, than copied.
	memfileFrom = 12 << 10
	// maxMemfiles is how many there are at a time. Among hundreds, what the system has to
	// look up for each of them is in no cache of the processor and costs more than the copy
	// of its body.
	maxMemfiles = 64
	// memfileOverhead is what the system takes for a file beside its bytes: the rest of
	// its last page, and some structures.
	memfileOverhead = 4 << 10
)

// Memfiles makes files in memory, a bounded number at a time.
type Memfiles struct{ left atomic.Int64 }

// NewMemfiles has room for all.
func NewMemfiles() *Memfiles {
	m := new(Memfiles)
	m.left.Store(maxMemfiles)
	return m
}

// Memfile is a file in memory that holds a body. The nil Memfile stands for none.
type Memfile struct {
	of   *Memfiles
	fd   int
	size int
	refs atomic.Int32 // one for whoever made it, one for each answer being sent
}

// New copies a body into a file, which the caller has to Release. It is nil if the body is
// too short to gain by it, and if there is no room for a file.
func (m *Memfiles) New(body []byte) *Memfile {
	if len(body) < memfileFrom {
		return nil
	}
	if m.left.Add(-1) < 0 {
		m.left.Add(1)
		return nil
	}
	f := &Memfile{of: m, size: len(body)}
	f.refs.Store(1)
	var err error
	if f.fd, err = unix.MemfdCreate("body", unix.MFD_CLOEXEC); err != nil {
		m.left.Add(1)
		return nil
	}
	if n, err := unix.Write(f.fd, body); err != nil || n < len(body) {
		f.Release()
		return nil
	}
	return f
}

// Cost is the memory that the file takes, in bytes.
func (f *Memfile) Cost() int64 {
	if f == nil {
		return 0
	}
	return int64(f.size) + memfileOverhead
}

// Release lets go of the file. It is gone once no answer is being sent from it.
func (f *Memfile) Release() {
	if f != nil && f.refs.Add(-1) == 0 {
		_ = unix.Close(f.fd)
		f.of.left.Add(1)
	}
}

// acquire keeps the file until it is released once more. False: it is gone, or none.
func (f *Memfile) acquire() bool {
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

// sendMemfile writes as much of a head and of the file as there is room for at once, and
// returns how much. The head waits for the body: it needs no packet of its own.
func sendMemfile(fd int, head []byte, f *Memfile) int {
	n, _, err := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(head))), uintptr(len(head)), unix.MSG_MORE, 0, 0)
	if err != 0 {
		return 0
	}
	if int(n) < len(head) {
		return int(n)
	}
	var from int64
	m, _, err := unix.RawSyscall6(unix.SYS_SENDFILE, uintptr(fd), uintptr(f.fd), uintptr(unsafe.Pointer(&from)), uintptr(f.size), 0, 0)
	if err != 0 {
		return int(n)
	}
	return int(n + m)
}
