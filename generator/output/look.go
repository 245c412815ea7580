// This file checks the files of a release: their names, kinds, sizes, modes and times, not their bytes.
// That costs a system call for each file and directory.

package output

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/wire/release"

	"golang.org/x/sys/unix"
)

// Fault is a defect of a file of a release.
type Fault int

// The faults that Looker finds, and Damaged, which callers find that know the digests.
const (
	Sound     Fault = iota
	Missing         // or it cannot be reached
	Irregular       // something else has the name
	Resized
	Moded // its mode or group, or the mode of its directory
	Timed
	Damaged
)

// faults complete "N files of the current release …".
var faults = [...]string{Missing: "were missing", Irregular: "were not regular files", Resized: "had another size",
	Moded: "had another mode or group", Timed: "had another time", Damaged: "had other bytes"}

// String completes a sentence about files.
func (f Fault) String() string { return faults[f] }

// UnknownSize stands for any size.
const UnknownSize = -1

// look checks a file. It returns the size too, if the file exists.
func (t *Tx) look(dir *os.File, base string, w Wanted) (Fault, int64, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(int(dir.Fd()), base, &st, unix.AT_SYMLINK_NOFOLLOW) })
	switch {
	case err != nil:
		return Missing, 0, ignore(&os.PathError{Op: "stat", Path: filepath.Join(dir.Name(), base), Err: err}, noFile...)
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return Irregular, 0, nil
	case w.Size >= 0 && st.Size != w.Size:
		return Resized, st.Size, nil
	case !t.has.fitsFile(&st):
		return Moded, st.Size, nil
	case !w.Mtime.IsZero() && st.Mtim.Nano() != w.Mtime.UnixNano():
		return Timed, st.Size, nil
	}
	return Sound, st.Size, nil
}

// Found is the state of a release on the disk.
type Found struct {
	Faults map[string]Fault // by name

	dirs map[string]*looked
}

// looked is a directory that was checked, and counts the files that the release should have in it.
type looked struct {
	files, present int
	bytes          int64
}

// Dirs calls visit for every directory, with the number and the bytes of the release's files in it.
func (f *Found) Dirs(visit func(name string, files int, bytes int64)) {
	for name, d := range f.dirs {
		visit(name, d.present, d.bytes)
	}
}

// Looker checks the files of a release, one after another.
type Looker struct {
	t     *Tx
	root  string
	found *Found
	name  string   // of the open directory
	dir   *os.File // nil: it cannot be opened
	at    *looked  // the open directory, or nil
	all   func(visit func(name string)) error
}

// Look returns a Looker for a release. all calls its argument with the name of each file; it may be
// called more than once.
func (t *Tx) Look(root string, all func(visit func(name string)) error) *Looker {
	return &Looker{t: t, root: root, all: all, found: &Found{Faults: map[string]Fault{}, dirs: map[string]*looked{}}}
}

// File checks a file and returns its size, 0 without a regular file. It is fastest if the files of a directory come one
// after another.
func (l *Looker) File(name string, w Wanted) (size int64, err error) {
	d, err := l.enter(path.Dir(name))
	if err != nil {
		return 0, err
	}
	d.files++
	fault := Missing
	if l.dir != nil {
		if fault, size, err = l.t.look(l.dir, path.Base(name), w); err != nil {
			return 0, err
		}
	}
	if fault != Missing && fault != Irregular {
		d.present++
	}
	d.bytes += size
	if fault != Sound {
		l.found.Faults[name] = fault
	}
	return size, nil
}

func (l *Looker) enter(name string) (*looked, error) {
	if l.at != nil && l.name == name {
		return l.at, nil
	}
	l.close()
	dir, err := os.Open(filepath.Join(l.root, filepath.FromSlash(name)))
	if ignore(err, noFile...) != nil {
		return nil, err
	}
	if l.name = name; err == nil {
		l.dir = dir
	}
	d := l.found.dirs[name]
	if d == nil {
		d = &looked{}
		l.found.dirs[name] = d
	}
	l.at = d
	return d, nil
}

func (l *Looker) close() {
	if l.dir != nil {
		l.dir.Close()
		l.dir = nil
	}
}

// End checks the directories and looks for strays, of which it warns.
func (l *Looker) End() (*Found, error) {
	l.close()
	crowded := map[string]bool{}
	err := l.walk(".", func(name string, entries int) {
		if d := l.found.dirs[name]; d == nil && entries > 0 || d != nil && entries > d.present {
			crowded[name] = true
		}
	})
	if err == nil && len(crowded) > 0 {
		err = l.strays(crowded)
	}
	return l.found, err
}

// walk counts the entries of each directory, without its directories.
func (l *Looker) walk(name string, visit func(name string, entries int)) error {
	d, err := os.Open(filepath.Join(l.root, filepath.FromSlash(name)))
	if err != nil {
		return ignore(err, noFile...)
	}
	defer d.Close() // only read from
	var st unix.Stat_t
	if err := unix.Fstat(int(d.Fd()), &st); err != nil {
		return err
	}
	if !l.t.has.fitsDir(&st) {
		l.found.Faults[name] = Moded
	}
	var below []string
	entries := 0
	for {
		batch, err := d.ReadDir(countBatch)
		for _, e := range batch {
			if e.IsDir() {
				below = append(below, path.Join(name, e.Name()))
			} else {
				entries++
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	visit(name, entries)
	for _, name := range below {
		if err := l.walk(name, visit); err != nil {
			return err
		}
	}
	return nil
}

// strays finds the strays in directories that hold more files than they should.
func (l *Looker) strays(crowded map[string]bool) error {
	own := map[string]bool{}
	var found []string
	if err := l.all(func(name string) {
		if crowded[path.Dir(name)] {
			own[name] = true
		}
	}); err != nil {
		return err
	}
	for _, dir := range slices.Sorted(maps.Keys(crowded)) {
		entries, err := os.ReadDir(filepath.Join(l.root, filepath.FromSlash(dir)))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); !e.IsDir() && !own[name] {
				found = append(found, name)
			}
		}
	}
	l.t.nameStrays(filepath.Base(l.root), found)
	return nil
}

// maxStrays is how many strays are named.
const maxStrays = 20

// nameStrays warns of files in a release's directory that are not the release's, nor left by a publication.
func (t *Tx) nameStrays(build string, names []string) {
	names = slices.DeleteFunc(slices.Clone(names), release.IsLeft)
	root := filepath.Join(t.out, release.ReleasesDir, build)
	for _, name := range names[:min(len(names), maxStrays)] {
		t.warn(filepath.Join(root, name), "this file is not the release's", "it stays until its release is removed: move it elsewhere")
	}
	if more := len(names) - maxStrays; more > 0 {
		t.warn(root, fmt.Sprintf("%d more files are not the release's", more), "")
	}
}
