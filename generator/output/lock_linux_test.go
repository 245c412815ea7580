package output

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// TestLockOfAnotherUser: a lock file that may only be read is taken, keeps out a second build, and keeps its text.
func TestLockOfAnotherUser(t *testing.T) {
	const path = ".lock"
	t.Chdir(t.TempDir()) // another user need not search the directories above
	if err := errors.Join(os.Chmod(".", 0o755), os.WriteFile(path, []byte("4711\n"), 0o444)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends, and with it the identity
		if os.Getuid() == 0 {  // root writes everything
			if err := syscall.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		done <- lockTwice(path)
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "4711\n" {
		t.Errorf("the text of the lock is %q, %v", b, err)
	}
}

// lockTwice takes a lock, fails to take it a second time, and takes it again once it is released.
func lockTwice(path string) error {
	for range 2 {
		l, err := acquire(path, 0o644)
		if err != nil {
			return fmt.Errorf("it is not taken: %w", err)
		}
		var locked *LockedError
		if _, err := acquire(path, 0o644); !errors.As(err, &locked) || locked.PID != "4711" {
			return fmt.Errorf("a second build has %w", err)
		}
		if err := l.release(); err != nil {
			return fmt.Errorf("it is not released: %w", err)
		}
	}
	return nil
}
