// This file replaces the socket options of Linux.

//go:build !linux

package netlimit

import "syscall"

// limitSendBuffer does nothing: only Linux has the option.
func limitSendBuffer(syscall.RawConn) error { return nil }

// ignoreNewClients reports false: only Linux can.
func ignoreNewClients(syscall.RawConn) bool { return false }

// unacked returns 0: only Linux tells.
func unacked(syscall.RawConn) int { return 0 }

func waiting(syscall.RawConn) bool { return false }

func setReusePort(ln syscall.RawConn) error { return setOption(ln, reusePort) }
