// Package watchtest makes a disk for tests of what edits leave in the times of files.
package watchtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// WholeSeconds mounts a new file system that keeps whole seconds: ext4 with inodes of 128 bytes. The
// test skips where that is impossible.
func WholeSeconds(t *testing.T) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to mount")
	}
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	for _, args := range [][]string{
		{"truncate", "-s", "8M", image},
		{"mkfs.ext4", "-q", "-F", "-I", "128", image},
		{"mount", "-o", "loop", image, dir},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no disk can be made here: %v: %v %s", args, err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	return dir
}
