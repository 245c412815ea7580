//go:build unix

// This file maps snapshot files.

package snapshot

import (
	"errors"
	"os"
	"syscall"
)

// openFlags do not wait for the other end of a pipe.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

func mapFile(f *os.File) (data []byte, unmap func() error, err error) {
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	if st.Size() == 0 {
		return nil, nil, &CorruptError{"header", "the file is empty"}
	}
	if int64(int(st.Size())) != st.Size() {
		return nil, nil, errors.New("too large for this machine's address space")
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
