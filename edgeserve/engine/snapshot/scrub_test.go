package snapshot

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"testing"
)

// scrubbed runs one pass and returns the bytes read and the error.
func scrubbed(r *Reader) (read int, err error) {
	for s := r.Scrub(); ; {
		n, err := s.Next()
		if read += n; n == 0 || err != nil {
			return read, err
		}
	}
}

// TestScrubFindsEveryBit checks that a pass finds every change under an open snapshot, and
// nothing else.
func TestScrubFindsEveryBit(t *testing.T) {
	b := pocket().write(t)
	r, err := OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] ^= 1 << (i % 8)
		if _, err := scrubbed(r); !errors.As(err, new(*CorruptError)) {
			t.Errorf("byte %d of %d: %v", i, len(b), err)
		}
		b[i] ^= 1 << (i % 8)
	}
	read, err := scrubbed(r)
	if err != nil || read < len(b)*9/10-len(r.toc)*entryLen {
		t.Errorf("read %d of %d bytes: %v", read, len(b), err)
	}
}

// TestScrubReadsLongSectionsInPieces also checks that damage in the middle is found.
func TestScrubReadsLongSectionsInPieces(t *testing.T) {
	tw := small()
	long := bytes.Repeat([]byte("x"), 3*PieceLen)
	tw.fragments[0] = tw.fragments[0][:len(tw.fragments[0])-1] + `,"x":"` + string(long) + `"}`
	b := tw.write(t)
	r, err := OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	for s := r.Scrub(); ; {
		n, err := s.Next()
		if err != nil || n > PieceLen {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if n == 0 {
			break
		}
	}
	b[bytes.Index(b, long)+2*PieceLen] = 'y'
	if read, err := scrubbed(r); err == nil || read < 2*PieceLen {
		t.Errorf("after %d bytes: %v", read, err)
	}
}

// TestScrubOfACutFile checks that truncation is damage, at an address of the mapping.
func TestScrubOfACutFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a read beyond the end does depends on the system")
	}
	path := save(t, "a.snap", pocket().write(t))
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := scrubbed(r); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	var fault *FaultError
	_, err = scrubbed(r)
	if !errors.As(err, &fault) || !errors.As(err, new(*CorruptError)) || !r.Contains(fault.Addr) || r.Contains(1) {
		t.Errorf("%v", err)
	}
}
