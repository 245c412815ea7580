// This file lets several processes listen at one address.

package netlimit

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func setOption(ln syscall.RawConn, option int) (err error) {
	if e := ln.Control(func(fd uintptr) {
		err = os.NewSyscallError("setsockopt SO_REUSEPORT", unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, option, 1))
	}); e != nil {
		return e
	}
	return err
}
