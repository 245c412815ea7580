// These tests write streams side by side into one file and read them back.

package spill

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func create(t *testing.T) *File {
	t.Helper()
	f, err := Create(t.TempDir(), ".tmp-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "none", "yet"), ".tmp-")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other, err := unnamed(dir, ".tmp-")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := other.WriteString("x"); err != nil {
		t.Error(err)
	}
}

func TestCreateNamesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		dir = "/proc" // where even root makes no files
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, ".tmp-"); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}

// record is what one stream holds: numbers and texts by turns.
type record struct {
	numbers []uint64
	texts   [][]byte
}

func random(rnd *rand.Rand) (r record) {
	for range rnd.IntN(60) {
		r.numbers = append(r.numbers, rnd.Uint64()>>rnd.IntN(64))
		text := make([]byte, rnd.IntN(1<<rnd.IntN(17)))
		for i := range text {
			text[i] = byte(rnd.Uint32())
		}
		r.texts = append(r.texts, text)
	}
	return r
}

// TestSpill writes numbers and texts into many streams of one file at a time, and reads each stream back.
func TestSpill(t *testing.T) {
	f := create(t)
	var wg sync.WaitGroup
	for seed := range uint64(16) {
		wg.Go(func() {
			want := random(rand.New(rand.NewPCG(seed, 1)))
			s := f.NewStream()
			for i := range want.numbers {
				s.Uvarint(want.numbers[i])
				s.Bytes(want.texts[i])
			}
			if seed%2 == 0 {
				if err := s.Flush(); err != nil {
					t.Error(err)
				}
			}
			for range 2 {
				compare(t, s, want)
			}
			whole(t, s)
		})
	}
	wg.Wait()
}

func compare(t *testing.T, s *Stream, want record) {
	r := s.Reader()
	for i := range want.numbers {
		if n := r.Uvarint(); n != want.numbers[i] {
			t.Errorf("number %d is %d, want %d", i, n, want.numbers[i])
			return
		}
		if b := r.Bytes(); !bytes.Equal(b, want.texts[i]) {
			t.Errorf("text %d has %d bytes, want %d", i, len(b), len(want.texts[i]))
			return
		}
	}
	if r.More() || r.Err() != nil {
		t.Errorf("more: %v, %v", r.More(), r.Err())
	}
}

// whole compares the stream at once with the stream byte by byte.
func whole(t *testing.T, s *Stream) {
	var b bytes.Buffer
	if n, err := s.WriteTo(&b); err != nil || n != s.Len() || int64(b.Len()) != n {
		t.Errorf("%d of %d bytes, %v", n, s.Len(), err)
	}
	r := s.Reader()
	for i, c := range b.Bytes() {
		if got := r.Next(1); len(got) != 1 || got[0] != c {
			t.Errorf("byte %d", i)
			return
		}
	}
}

func TestReadingPastTheEndIsAnError(t *testing.T) {
	s := create(t).NewStream()
	s.Bytes([]byte("four"))
	r := s.Reader()
	r.Bytes()
	if got := r.Next(1); got != nil || !errors.Is(r.Err(), errShort) {
		t.Errorf("%q, %v", got, r.Err())
	}
	if r.Uvarint() != 0 || r.More() {
		t.Error("read on")
	}
}

// A full disk shows when bytes are written, and sticks.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	f := &File{f: full, dir: "the directory"}
	defer f.Close()
	s := f.NewStream()
	for range 3 {
		_, err = s.Write(make([]byte, pieceSize))
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the directory") {
		t.Errorf("got %v", err)
	}
	if err := s.Flush(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("flush: %v", err)
	}
	if _, err := s.WriteTo(&bytes.Buffer{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("read: %v", err)
	}
}

func TestClosedFileIsAnError(t *testing.T) {
	f := create(t)
	s := f.NewStream()
	s.Bytes(make([]byte, 2*pieceSize))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if r := s.Reader(); r.More() || r.Err() == nil {
		t.Errorf("more: %v, %v", r.More(), r.Err())
	}
}

// A temporary directory that is absent is an error that names the variable: files are not made elsewhere.
func TestTempNeedsItsDirectory(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	if f, err := Temp("x-"); err == nil || !strings.Contains(err.Error(), "TMPDIR names "+none) {
		t.Errorf("%v, %v", f, err)
	}
}
