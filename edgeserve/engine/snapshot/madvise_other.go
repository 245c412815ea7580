//go:build !linux

// This file is a no-op on systems without madvise.

package snapshot

func adviseDontNeed([]byte) {}
