// These tests open files: valid snapshots, other files, and files that are renamed while
// open.

package snapshot

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
)

// save writes a file into the test's directory.
func save(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Verify tells of every byte that it reads, a megabyte at a time at most.
func TestVerifyCountsWhatItReads(t *testing.T) {
	tw := small()
	tw.fragments[0] = tw.fragments[0][:len(tw.fragments[0])-1] + `,"x":"` + strings.Repeat("x", 5<<19) + `"}`
	r := tw.open(t)
	var total, most atomic.Int64
	want := int64(0)
	for _, e := range r.toc {
		want += int64(e.padded() - e.off)
	}
	count := func(bytes int) {
		total.Add(int64(bytes))
		for n := most.Load(); int64(bytes) > n && !most.CompareAndSwap(n, int64(bytes)); n = most.Load() {
		}
	}
	if err := r.Verify(count); err != nil {
		t.Fatal(err)
	}
	if total.Load() != want || most.Load() != 1<<20 {
		t.Errorf("%d bytes, at most %d at a time, want %d", total.Load(), most.Load(), want)
	}
}

func TestOpenFile(t *testing.T) {
	b := pocket().write(t)
	r, err := Open(save(t, "pocket.snap", b))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(nil); err != nil {
		t.Error(err)
	}
	if r.Size() != int64(len(b)) {
		t.Errorf("size %d, want %d", r.Size(), len(b))
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestOpenNoSnapshot(t *testing.T) {
	good := pocket().write(t)
	tests := []struct {
		name string
		path string
		want string
	}{
		{"empty file", save(t, "a.snap", nil), "snapshot is damaged: header: the file is empty"},
		{"one byte", save(t, "a.snap", good[:1]), "snapshot is damaged: header: 1 bytes are too few"},
		{"cut file", save(t, "a.snap", good[:len(good)/2]), "snapshot is damaged: footer: checksum or end mark is wrong"},
		{"directory", t.TempDir(), "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := "snapshot " + tt.path + ": " + tt.want
			if _, err := Open(tt.path); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestFileReplacedWhileOpen(t *testing.T) {
	path := save(t, "a.snap", pocket().write(t))
	old, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := os.Rename(save(t, "b.snap", small().write(t)), path); err != nil {
		t.Fatal(err)
	}
	readAll(t, old, "pocket")
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	readAll(t, r, "demo")
}

// readAll reads a whole snapshot and checks its environment.
func readAll(t *testing.T, r *Reader, env string) {
	t.Helper()
	if err := cmp.Or(r.Verify(nil), r.Check()); err != nil || r.Env() != env {
		t.Errorf("environment %s, want %s: %v", r.Env(), env, err)
	}
}

// TestFileCutWhileOpen checks that Recover converts the fault of a truncated mapping to an
// error, if the goroutine has enabled panics on faults.
func TestFileCutWhileOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a read beyond the end does depends on the system")
	}
	path := save(t, "a.snap", pocket().write(t))
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var corrupt *CorruptError
	if err := r.Verify(nil); !errors.As(err, &corrupt) {
		t.Errorf("Verify: %v", err)
	}
	if err := r.Check(); !errors.As(err, &corrupt) {
		t.Errorf("Check: %v", err)
	}
}
