// This file sets the modes of files and directories that a build makes, whatever the umask, and their group if the
// output directory has the setgid bit. On a file system with modes of its own it expects those modes.

package output

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// The default modes.
const (
	DefaultFileMode fs.FileMode = 0o644
	DefaultDirMode  fs.FileMode = 0o755
)

// permissions are the bits of a mode that a build sets or keeps.
const permissions = 0o7777

// attributes are the modes and the group of the files and directories of a release on the disk.
type attributes struct {
	file, dir uint32 // permissions
	group     uint32
	grouped   bool // all files and directories get the group
}

func (a *attributes) fitsFile(st *unix.Stat_t) bool {
	return uint32(st.Mode)&permissions == a.file && (!a.grouped || st.Gid == a.group)
}

func (a *attributes) fitsDir(st *unix.Stat_t) bool {
	return uint32(st.Mode)&permissions == a.dir && (!a.grouped || st.Gid == a.group)
}

// probe makes a file and a directory to learn which modes and groups they get here. It also learns whether the umask
// makes chmod necessary, which costs a system call a file.
func (t *Tx) probe() error {
	file, dir := filepath.Join(t.temp, "probe"), filepath.Join(t.temp, "probe.d")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.o.FileMode)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Mkdir(dir, t.o.DirMode)); err != nil {
		return err
	}
	fi, err := t.settle(file, t.o.FileMode, &t.chmodFiles)
	if err != nil {
		return err
	}
	di, err := t.settle(dir, t.o.DirMode, &t.chmodDirs)
	if err != nil {
		return err
	}
	t.has = attributes{file: uint32(fi.Mode) & permissions, dir: uint32(di.Mode) & permissions, group: fi.Gid, grouped: t.grouped}
	return errors.Join(os.Remove(file), os.Remove(dir))
}

// settle sets the mode of a new entry if it has another, and returns the entry's attributes then.
func (t *Tx) settle(path string, mode fs.FileMode, needed *bool) (st unix.Stat_t, err error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return st, err
	}
	if *needed = fi.Mode().Perm() != mode; *needed {
		err := os.Chmod(path, mode|fi.Mode()&fs.ModeSetgid)
		if after, e := os.Lstat(path); err != nil || e == nil && after.Mode().Perm() != mode {
			*needed = false
			t.warn(t.out, fmt.Sprintf("modes cannot be set here: %v", cmp.Or(err, fmt.Errorf("%04o has no effect", mode))),
				"the files have the modes that this file system gives them: see that the edge server can read them")
		}
	}
	return st, unix.Lstat(path, &st)
}

// mkdir makes a directory outside of a release. It keeps the setgid bit that it inherits.
func (t *Tx) mkdir(path string) error {
	if err := os.Mkdir(path, t.o.DirMode); err != nil {
		return err
	}
	return t.chmodDir(path)
}

// chmodDir sets the mode of a new directory. It ignores a failure, as probe has warned already.
func (t *Tx) chmodDir(path string) error {
	fi, err := os.Lstat(path)
	if err != nil || fi.Mode().Perm() == t.o.DirMode {
		return err
	}
	_ = os.Chmod(path, t.o.DirMode|fi.Mode()&fs.ModeSetgid)
	return nil
}

// inherit returns a directory the setgid bit and the group of the output directory, which the kernel
// hands down to what is made in it. If the output directory lacks the bit, inherit does nothing.
func (t *Tx) inherit(path string) error {
	var out, st unix.Stat_t
	if err := errors.Join(unix.Stat(t.out, &out), unix.Stat(path, &st)); err != nil {
		return err
	}
	if t.grouped = out.Mode&unix.S_ISGID != 0; !t.grouped || st.Gid == out.Gid && st.Mode&unix.S_ISGID != 0 {
		return nil
	}
	err := os.Chown(path, -1, int(out.Gid))
	if err == nil {
		err = os.Chmod(path, fs.FileMode(st.Mode).Perm()|fs.ModeSetgid)
	}
	if err != nil {
		t.grouped = false
		t.warn(path, fmt.Sprintf("it cannot get the group of %s: %v", t.out, err), "")
	}
	return nil
}
