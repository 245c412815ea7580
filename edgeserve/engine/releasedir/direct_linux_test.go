package releasedir

import (
	"testing"

	"golang.org/x/sys/unix"
)

// withOpenat2 replaces the system call until the test ends.
func withOpenat2(t *testing.T, call func(how *unix.OpenHow) error) (calls *int) {
	t.Helper()
	calls = new(int)
	before := openat2
	t.Cleanup(func() { openat2 = before })
	openat2 = func(dir int, name string, how *unix.OpenHow) (int, error) {
		*calls++
		if err := call(how); err != nil {
			return -1, err
		}
		return before(dir, name, how)
	}
	return calls
}

// Where the system lacks openat2 or a part of it, files are opened in another way, with the same results.
func TestKernels(t *testing.T) {
	for _, c := range []struct {
		name          string
		call          func(how *unix.OpenHow) error
		direct, tells bool
	}{
		{"all", func(*unix.OpenHow) error { return nil }, true, true},
		{"before 5.6", func(*unix.OpenHow) error { return unix.ENOSYS }, false, false},
		{"forbidden", func(*unix.OpenHow) error { return unix.EPERM }, false, false},
		{"before 5.12", func(how *unix.OpenHow) error {
			if how.Resolve == resolveCached {
				return unix.EINVAL
			}
			return nil
		}, true, false},
		{"nothing is cached", func(how *unix.OpenHow) error {
			if how.Resolve == resolveCached {
				return unix.EAGAIN
			}
			return nil
		}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := withOpenat2(t, c.call)
			d := openFiles(t, filesOfARelease(t))
			if direct, tells := d.opener.dir != nil, d.opener.tells; direct != c.direct || tells && !c.tells {
				t.Fatalf("openat2 is used: %t, and tells whether it waits: %t", direct, tells)
			}
			*calls = 0
			checkKinds(t, d.OpenFile, (*File).ReadFull, false)
			if want := len(kinds); c.direct && *calls != want || !c.direct && *calls != 0 {
				t.Errorf("%d files took %d calls of openat2", want, *calls)
			}
			checkKinds(t, d.OpenCached, (*File).ReadCached, true)
			if _, err := d.OpenCached("a/b/c.json", limit); c.name != "all" && err != ErrWouldWait {
				t.Errorf("opened without waiting: %v", err)
			}
		})
	}
}

// A file on another file system, which may be that of another machine, is opened only by those that may wait.
func TestUnknownFileSystem(t *testing.T) {
	before := localSystems
	defer func() { localSystems = before }()
	localSystems = nil
	d := openFiles(t, filesOfARelease(t))
	if _, err := d.OpenCached("a/b/c.json", limit); err != ErrWouldWait {
		t.Error(err)
	}
	checkKinds(t, d.OpenFile, (*File).ReadFull, false)
}
