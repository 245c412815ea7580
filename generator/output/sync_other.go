//go:build !linux

// This file holds the commit steps for systems without syncfs and renameat2.

package output

// syncTree makes everything below root durable.
func syncTree(root string) error { return syncEach(root) }

// exchange swaps two directories.
func exchange(a, b string) error { return exchangeTwice(a, b) }
