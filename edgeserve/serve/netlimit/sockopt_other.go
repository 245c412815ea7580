// This file stands for the socket options of Linux.

//go:build !linux

package netlimit

import "syscall"

// limitSendBuffer does nothing: only Linux has the option.
func limitSendBuffer(_, _ string, _ syscall.RawConn) error { return nil }
