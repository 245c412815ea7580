//go:build !linux

// This file stands in where the system decides alone which pages a process keeps.

package snapshot

func leave([]byte) {}
