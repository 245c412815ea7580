// This test takes and releases the lock of an output directory.

package output

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestUnlock: a lock is free as soon as it is released, even while a process that is being started has a
// copy of its descriptor.
func TestUnlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	first, err := acquire(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(first.f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	if _, err := acquire(path, 0o644); err == nil {
		t.Fatal("the lock is not held")
	}
	if err := first.release(); err != nil {
		t.Fatal(err)
	}
	if err := peek(path); err != nil {
		t.Fatal(err)
	}
	second, err := acquire(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.release(); err != nil {
		t.Fatal(err)
	}
}
