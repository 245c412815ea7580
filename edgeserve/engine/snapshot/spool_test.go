// These tests write the same fields differently: lists in pieces, and sections that wait
// outside memory. The bytes must be equal, and a failing Spool must give an error.

package snapshot

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

func countingSpool(made *int) func() Spool {
	return func() Spool {
		*made++
		return &bytes.Buffer{}
	}
}

func TestOtherWaysSameBytes(t *testing.T) {
	const seed, items = 3, 6000
	tw := newTwin(seed, items)
	made := 0
	rnd := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	w := NewWriter(&b, tw.meta)
	for _, f := range tw.fragments {
		w.Fragment([]byte(f))
	}
	for _, f := range tw.fields {
		d := tw.data(f)
		d.Spool = countingSpool(&made)
		d.Terms = pieces(rnd, d.Terms)
		w.Field(EncodeField(d, tw.meta.Items))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if made == 0 {
		t.Error("nothing waited outside of memory: the test proves little")
	}
	if !bytes.Equal(b.Bytes(), tw.write(t)) {
		t.Error("the bytes differ")
	}
}

// pieces splits lists at random and overwrites each piece after it was added.
func pieces(rnd *rand.Rand, terms func(func([]byte, []Posting))) func(func([]byte, []Posting)) {
	return func(add func([]byte, []Posting)) {
		terms(func(term []byte, list []Posting) {
			for len(list) > 0 {
				n := 1 + rnd.IntN(len(list))
				piece := make([]Posting, n)
				for i := range piece {
					piece[i] = Posting{list[i].Doc, append([]uint32(nil), list[i].Positions...)}
				}
				add(term, piece)
				for _, p := range piece {
					clear(p.Positions)
				}
				clear(piece)
				list = list[n:]
			}
		})
	}
}

// failingSpool is a Spool that fails when it is written or when it is read.
type failingSpool struct{ atRead bool }

var errLossy = errors.New("no room")

func (l failingSpool) Write(b []byte) (int, error) {
	if l.atRead {
		return len(b), nil
	}
	return 0, errLossy
}

func (l failingSpool) WriteTo(io.Writer) (int64, error) { return 0, errLossy }

func TestFailingSpool(t *testing.T) {
	for _, atRead := range []bool{false, true} {
		tw := newTwin(3, 6000)
		w := NewWriter(io.Discard, tw.meta)
		for _, f := range tw.fragments {
			w.Fragment([]byte(f))
		}
		for _, f := range tw.fields {
			d := tw.data(f)
			d.Spool = func() Spool { return failingSpool{atRead} }
			w.Field(EncodeField(d, tw.meta.Items))
		}
		if err := w.Close(); !errors.Is(err, errLossy) {
			t.Errorf("at read %v: %v", atRead, err)
		}
	}
}
