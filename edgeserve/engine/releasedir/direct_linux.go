// This file opens files by one system call, openat2, below a descriptor of the release's directory. Linux has it from
// 5.6 on. RESOLVE_CACHED, from 5.12 on, and RWF_NOWAIT show whether a call would wait for the disk.

package releasedir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"contentedge/edgeserve/wire/release"
)

// opener opens files below the descriptor of a directory.
type opener struct {
	dir      *os.File // holds fd open; nil if the system has no openat2, or forbids it
	fd       int
	tells    bool // the system can tell whether it would wait for the disk
	inMemory bool // the file system has no disk
	manifest identity
}

// identity distinguishes a file from another one under the same name.
type identity struct {
	dev, ino   uint64
	size       int64
	sec, nanos int64 // of the modification time
}

// direct is a descriptor of an open file.
type direct struct {
	fd       int
	inMemory bool // it has no disk
}

const (
	openFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC
	// resolveInside allows what os.Root allows: symbolic links that lead to files below the directory.
	resolveInside = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS
	// resolveCached fails where the kernel has to wait. It refuses mount points: only the directory's own file
	// system is known. 0x20 is RESOLVE_CACHED, which package unix lacks.
	resolveCached = resolveInside | unix.RESOLVE_NO_XDEV | 0x20
)

// localSystems are file systems that open a file without asking another machine or program. On others openat2 may
// wait for an answer in spite of RESOLVE_CACHED.
var localSystems = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.TMPFS_MAGIC}

// openat2 is the system call. Tests replace it.
var openat2 = unix.Openat2

// begin prepares an opener for the directory of a release. Without openat2 os.Root opens all files.
func (o *opener) begin(d *Dir) {
	info, ok := d.Fingerprint.Info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	o.manifest = identity{uint64(info.Dev), info.Ino, info.Size, int64(info.Mtim.Sec), int64(info.Mtim.Nsec)}
	dir, err := d.root.Open(".")
	if err != nil {
		return
	}
	o.fd = int(dir.Fd())
	if !o.opens(resolveInside) {
		_ = dir.Close()
		return
	}
	o.dir = dir
	var system unix.Statfs_t
	if unix.Fstatfs(o.fd, &system) == nil && slices.Contains(localSystems, int64(system.Type)) {
		o.inMemory = system.Type == unix.TMPFS_MAGIC
		o.tells = o.opens(resolveCached)
	}
}

// opens reports whether the system opens files with these restrictions, or says that it would wait.
func (o *opener) opens(resolve uint64) bool {
	fd, err := o.open(release.ManifestName, resolve)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err == nil || err == unix.EAGAIN
}

func (o *opener) open(name string, resolve uint64) (fd int, err error) {
	how := unix.OpenHow{Flags: openFlags, Resolve: resolve}
	return retry(func() (int, error) { return openat2(o.fd, name, &how) })
}

func (o *opener) end() {
	if o.dir != nil {
		_ = o.dir.Close()
	}
}

func (d *Dir) openAt(name string, cached bool) (f File, regular bool, err error) {
	o, resolve := &d.opener, uint64(resolveInside)
	switch {
	case cached && !o.tells:
		return File{}, false, ErrWouldWait
	case cached:
		resolve = resolveCached
	case o.dir == nil:
		return d.openInRoot(name)
	}
	fd, err := o.open(name, resolve)
	if err != nil {
		if cached && (err == unix.EAGAIN || err == unix.EXDEV) {
			return File{}, false, ErrWouldWait
		}
		return File{}, false, &fs.PathError{Op: "openat2", Path: name, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd)
		return File{}, false, &fs.PathError{Op: "fstat", Path: name, Err: err}
	}
	return File{Size: st.Size, direct: direct{fd, o.inMemory}}, st.Mode&unix.S_IFMT == unix.S_IFREG, nil
}

// CheckCurrent returns ErrRemoved unless the release's manifest is still there. A build removes it
// before it replaces files, so a file that was opened before this check is the release's.
func (d *Dir) CheckCurrent() error {
	o := &d.opener
	if o.dir == nil {
		return d.checkInRoot()
	}
	var st unix.Stat_t
	switch err := unix.Fstatat(o.fd, release.ManifestName, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, fs.ErrNotExist):
		return ErrRemoved
	case err != nil:
		return &fs.PathError{Op: "fstatat", Path: release.ManifestName, Err: err}
	case o.manifest != identity{uint64(st.Dev), st.Ino, st.Size, int64(st.Mtim.Sec), int64(st.Mtim.Nsec)}:
		return ErrRemoved
	}
	return nil
}

// readAt is ReadAt of a descriptor.
func (f *direct) readAt(p []byte, from int64) (n int, err error) {
	for n < len(p) {
		m, err := retry(func() (int, error) { return unix.Pread(f.fd, p[n:], from+int64(n)) })
		if err != nil {
			return n, &fs.PathError{Op: "pread", Path: "file", Err: err}
		}
		if m == 0 {
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

func (f *direct) readCached(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	flags := unix.RWF_NOWAIT
	if f.inMemory {
		flags = 0 // which file systems in memory do not know
	}
	n, err := retry(func() (int, error) { return unix.Preadv2(f.fd, [][]byte{p}, 0, flags) })
	if err != nil || n < len(p) {
		return ErrWouldWait // reading shows what is wrong
	}
	return nil
}

func (f *direct) close() error { return unix.Close(f.fd) }

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != unix.EINTR {
			return n, err
		}
	}
}
