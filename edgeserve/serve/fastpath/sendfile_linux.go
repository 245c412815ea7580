// This file sends bodies from memory files.

package fastpath

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"contentedge/edgeserve/serve/bodies"
)

// sendMemfile writes what the socket takes of a head and the file, and returns how much. MSG_MORE
// keeps the head from a packet of its own.
func sendMemfile(fd int, head []byte, f *bodies.Memfile) int {
	n, _, err := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(head))), uintptr(len(head)), unix.MSG_MORE, 0, 0)
	if err != 0 {
		return 0
	}
	if int(n) < len(head) {
		return int(n)
	}
	var from int64
	m, _, err := unix.RawSyscall6(unix.SYS_SENDFILE, uintptr(fd), uintptr(f.FD), uintptr(unsafe.Pointer(&from)), uintptr(f.Size), 0, 0)
	if err != 0 {
		return int(n)
	}
	return int(n + m)
}
