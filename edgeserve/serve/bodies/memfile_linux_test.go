package bodies

import (
	"os"
	"strings"
	"testing"
)

// openMemfiles counts the memfiles of this process.
func openMemfiles(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, "/memfd:body") {
			n++
		}
	}
	return n
}

// A file closes with its last reference, and cannot be acquired once its owner has
// released it.
func TestMemfileClosesWithLastReference(t *testing.T) {
	before := openMemfiles(t)
	f := NewMemfiles().New(make([]byte, minMemfileBody))
	if !f.Acquire() {
		t.Fatal("a new file cannot be acquired")
	}
	f.Release()
	if got := openMemfiles(t); got != before+1 {
		t.Errorf("%d files are open while one is used, before %d", got, before)
	}
	f.Release()
	if got := openMemfiles(t); got != before || f.Acquire() {
		t.Errorf("%d files are open, before %d", got, before)
	}
}

func TestMemfilesAreBounded(t *testing.T) {
	before := openMemfiles(t)
	long := make([]byte, minMemfileBody)
	m := NewMemfiles()
	var files [maxMemfiles]*Memfile
	for i := range files {
		if files[i] = m.New(long); files[i] == nil {
			t.Fatalf("only %d files", i)
		}
	}
	if m.New(long) != nil {
		t.Error("more files than the bound")
	}
	files[0].Release()
	if files[0] = m.New(long); files[0] == nil {
		t.Error("a released file leaves no room")
	}
	for _, f := range files {
		f.Release()
	}
	if short := m.New(long[1:]); short != nil {
		t.Error("a short body has a file")
	}
	if got := openMemfiles(t); got != before {
		t.Errorf("%d files are open, before %d", got, before)
	}
}
