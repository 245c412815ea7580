// These tests cover the array types at every width and at both ends.

package snapshot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// ofWidth returns n random integers of at most a width. At least one has exactly that
// width.
func ofWidth(n int, width uint) []uint64 {
	vs := make([]uint64, n)
	for i := range vs {
		vs[i] = rand.Uint64() & (1<<width - 1)
	}
	if n > 0 && width > 0 {
		vs[n/2] |= 1 << (width - 1)
	}
	return vs
}

func TestPackedWidths(t *testing.T) {
	for width := range uint(65) {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 127, 1000} {
			vs := ofWidth(n, width)
			b := appendPacked(nil, vs)
			d := &decoder{b: append(b, 'x')}
			p := d.packed()
			if string(d.b) != "x" || p.n != n {
				t.Fatalf("width %d: %d integers are %d, behind them %q", width, n, p.n, d.b)
			}
			if stored := b[7]; n > 0 && uint(stored) != width && (width <= maxWidth || stored != 64) {
				t.Errorf("width %d is stored in %d bits", width, stored)
			}
			for i, v := range vs {
				if p.At(i) != v {
					t.Fatalf("width %d: integer %d is %x, want %x", width, i, p.At(i), v)
				}
			}
		}
	}
}

func TestPackedSearch(t *testing.T) {
	vs := ofWidth(500, 11)
	slices.Sort(vs)
	d := &decoder{b: appendPacked(nil, vs)}
	p := d.packed()
	for v := range uint64(1<<11 + 2) {
		if got, want := p.Search(v), sort.Search(len(vs), func(i int) bool { return vs[i] >= v }); got != want {
			t.Errorf("Search(%d) = %d, want %d", v, got, want)
		}
	}
}

func TestDocMap(t *testing.T) {
	tests := []struct {
		name     string
		every    int // one document in this many has a value
		byteWide bool
		sparse   bool
	}{
		{"dense", 1, false, false},
		{"half", 2, false, false},
		{"just dense", sparseRatio, false, false},
		{"just sparse", sparseRatio + 1, false, true},
		{"sparse", 100, false, true},
		{"bytes", 1, true, false},
		{"sparse bytes", 100, true, true},
		{"none", 1 << 30, false, true},
	}
	const items = 1600
	for _, tt := range tests {
		for _, width := range []uint{1, 7, 8, 9, 31, 56} {
			if tt.byteWide && width > 8 {
				continue
			}
			t.Run(fmt.Sprint(tt.name, "/", width), func(t *testing.T) {
				missing := uint64(1)<<width - 1
				vals := ofWidth(items, width-1)
				for d := range vals {
					if (d+1)%tt.every != 0 {
						vals[d] = missing
					}
				}
				d := &decoder{b: append(denseDocMap(vals, missing, tt.byteWide), 'x')}
				m := d.docMap(items, missing)
				if string(d.b) != "x" || m.sparse != tt.sparse || m.missing != missing {
					t.Fatalf("sparse %t, missing %d, behind it %q", m.sparse, m.missing, d.b)
				}
				compareDocMap(t, &m, vals)
			})
		}
	}
}

// denseDocMap encodes integers, one a document.
func denseDocMap(vals []uint64, missing uint64, byteWide bool) []byte {
	var docs []DocID
	var some []uint64
	for d, v := range vals {
		if v != missing {
			docs, some = append(docs, DocID(d)), append(some, v)
		}
	}
	return appendDocMap(nil, len(vals), docs, some, missing, byteWide)
}

func compareDocMap(t *testing.T, m *DocMap, vals []uint64) {
	t.Helper()
	if one := m.vals.width == 8 && !m.sparse; one != (m.Bytes() != nil) {
		t.Errorf("of width %d: bytes %t", m.vals.width, m.Bytes() != nil)
	}
	got := make([]uint64, len(vals))
	for d := range got {
		got[d] = m.missing
	}
	m.Docs(func(d DocID, v uint64) bool {
		got[d] = v
		return true
	})
	for d, v := range vals {
		if m.At(DocID(d)) != v || got[d] != v {
			t.Fatalf("document %d: At says %d, Docs %d, want %d", d, m.At(DocID(d)), got[d], v)
		}
	}
}

func TestDocMapStops(t *testing.T) {
	for _, every := range []int{1, 50} {
		vals := make([]uint64, 1000)
		for d := 0; d < len(vals); d += every {
			vals[d] = 1
		}
		dc := &decoder{b: denseDocMap(vals, 0, false)}
		m := dc.docMap(len(vals), 0)
		n := 0
		m.Docs(func(DocID, uint64) bool {
			n++
			return n < 5
		})
		if n != 5 {
			t.Errorf("one in %d: stopped after %d, want 5", every, n)
		}
	}
}

func TestUnpack(t *testing.T) {
	for width := range uint(33) {
		vs := ofWidth(postBlock, width)
		packed := appendBits(nil, vs, width)
		for _, behind := range []int{0, 1, 7, 8, 100} {
			var got [postBlock]uint32
			unpack(&got, append(slices.Clone(packed), bytes.Repeat([]byte{0xff}, behind)...), width)
			for i, v := range vs {
				if uint64(got[i]) != v {
					t.Fatalf("width %d, %d bytes behind: integer %d is %d, want %d", width, behind, i, got[i], v)
				}
			}
		}
	}
}
