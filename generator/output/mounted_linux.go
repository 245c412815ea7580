// This file finds mount points by an attribute that the kernel reports.

package output

import "golang.org/x/sys/unix"

// mounted reports whether a directory is a mount point. Kernels before 5.8 lack the attribute; they
// refuse to remove the directory itself.
func mounted(dir string) bool {
	var st unix.Statx_t
	err := retry(func() error { return unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st) })
	return err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
