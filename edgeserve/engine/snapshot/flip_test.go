// These tests damage every part of a small snapshot: a bit, a truncation or a run of bytes.
// Checksums must reveal all of them.

package snapshot

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
)

// openAndVerify opens and verifies a snapshot. A server would serve whatever it accepts.
func openAndVerify(b []byte) error {
	r, err := OpenBytes(b)
	if err != nil {
		return err
	}
	return r.Verify(nil)
}

func TestEveryBit(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	b := pocket().write(t)
	r, err := OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	table := len(b) - footerLen - len(r.toc)*entryLen
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if i >= headerLen && i < table {
				err = r.Verify(nil) // on an open reader: faster than opening again
			} else {
				_, err = OpenBytes(b)
			}
			if err == nil {
				t.Errorf("bit %d of byte %d can flip unseen", bit, i)
			}
			b[i] ^= 1 << bit
		}
	}
	if err := openAndVerify(b); err != nil {
		t.Error(err)
	}
}

func TestEveryLength(t *testing.T) {
	b := pocket().write(t)
	for n := range b {
		if _, err := OpenBytes(b[:n:n]); err == nil {
			t.Errorf("%d bytes of %d open", n, len(b))
		}
	}
}

func TestRuns(t *testing.T) {
	good := pocket().write(t)
	runs := map[string]func(b []byte, at, n int){
		"zeros":    func(b []byte, at, n int) { clear(b[at : at+n]) },
		"ones":     func(b []byte, at, n int) { copy(b[at:], bytes.Repeat([]byte{0xff}, n)) },
		"swapped":  func(b []byte, at, n int) { copy(b[at:], good[at+n:at+2*n]); copy(b[at+n:], good[at:at+n]) },
		"repeated": func(b []byte, at, n int) { copy(b[at+n:], good[at:at+n]) },
		"moved":    func(b []byte, at, n int) { copy(b[at+n:], good[at:]) },
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 8, 24, 100, 512} {
				for at := 0; at+2*n <= len(good); at += 8 {
					b := slices.Clone(good)
					run(b, at, n)
					if !bytes.Equal(b, good) && openAndVerify(b) == nil {
						t.Errorf("%d bytes at %d: not found", n, at)
					}
				}
			}
		})
	}
}

func TestOtherEnvironment(t *testing.T) {
	b := in(kindMeta, "", swap("pocket", "packet"))(t, pocket().write(t))
	r, err := OpenBytes(b)
	if err != nil || r.Env() != "packet" {
		t.Fatalf("environment %v, %v", r, err) // only the caller knows the right environment
	}
	if err := cmp.Or(r.Verify(nil), r.Check()); err == nil || err.Error() != "snapshot is damaged: meta: checksum of section 80 is wrong" {
		t.Errorf("error %v", err)
	}
}
