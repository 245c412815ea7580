// This file has the socket option of other systems by which processes share an address.

//go:build !linux && !freebsd

package netlimit

import "golang.org/x/sys/unix"

const reusePort = unix.SO_REUSEPORT
