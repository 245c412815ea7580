//go:build !linux

// This file holds the commit steps for systems without syncfs and renameat2.

package output

func syncTree(root string) error { return syncEach(root) }

func exchange(a, b string) error { return exchangeTwice(a, b) }
