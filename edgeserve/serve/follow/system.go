// This file locks the directory and measures disk space.

package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"syscall"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/release"
)

// lock is a kernel lock on a directory; it ends with the process.
type lock struct{ file *os.File }

// lock locks the directory or fails at once. Builds take this lock too.
func (d directory) lock() (*lock, error) {
	f, err := os.OpenFile(d.path(release.LockName), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &lock{f}, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("another process writes to %s: %s is locked", d, f.Name())
	}
	return nil, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
}

// release drops the lock; l may be nil.
func (l *lock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}

// bytes is the size of the files of a release on this machine; 0 without one.
func (d directory) bytes(build string) (n int64) {
	_ = filepath.WalkDir(d.path(release.ReleasesDir, build), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || build == "" {
			return fs.SkipAll // the disk keeps a smaller reserve
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// disk is the space of a file system, in bytes.
type disk struct {
	free int64 // for this process
	size int64 // without what is reserved for the superuser
}

// diskOf returns the space of the file system of a path.
func diskOf(path string) (disk, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return disk{}, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	unit, free := uint64(s.Bsize), uint64(s.Bavail)
	return disk{free: product(free, unit), size: product(uint64(s.Blocks)-uint64(s.Bfree)+free, unit)}, nil
}

// product is a*b, at most the largest int64.
func product(a, b uint64) int64 {
	if high, low := bits.Mul64(a, b); high == 0 && low <= math.MaxInt64 {
		return int64(low)
	}
	return math.MaxInt64
}

// isOtherDisk reports whether two paths are on different file systems.
func isOtherDisk(a, b string) bool {
	var one, two syscall.Stat_t
	return syscall.Stat(a, &one) == nil && syscall.Stat(b, &two) == nil && one.Dev != two.Dev
}

// writeDisks writes the space of what the follower writes to.
func (f *Follower) writeDisks(t *prometheus.Text) {
	paths := []string{string(f.dir)}
	if isOtherDisk(paths[0], f.media.root) {
		paths = append(paths, f.media.root)
	}
	for _, m := range []struct {
		name, help string
		of         func(disk) int64
	}{
		{"contentedge_disk_free_bytes", "Free bytes of the file system of a directory that the node writes to.", func(d disk) int64 { return d.free }},
		{"contentedge_disk_size_bytes", "Size of the file system of a directory that the node writes to.", func(d disk) int64 { return d.size }},
	} {
		t.Family(m.name, "gauge", m.help)
		for _, path := range paths {
			if d, err := diskOf(path); err == nil {
				t.Uint(uint64(max(m.of(d), 0)), "path", path)
			}
		}
	}
}
