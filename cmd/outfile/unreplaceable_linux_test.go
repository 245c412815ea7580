// This test writes as a user who may change a file, but not its directory.

package outfile

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

func TestUnreplaceable(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "results.xml")
	write(t, name, "a long first text")
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o555, name: 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = os.Chmod(dir, 0o755) }()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends, and with it the identity
		if os.Getuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		done <- Write(name, []byte("second"), io.Discard)
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	holds(t, name, "second")
}
