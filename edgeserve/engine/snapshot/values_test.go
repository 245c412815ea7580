// These tests compare the order of encoded texts and numbers with the order of their values.

package snapshot

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/jsoncursor"
)

func TestFloatBits(t *testing.T) {
	ascending := []float64{math.Inf(-1), -math.MaxFloat64, -2, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1),
		0, math.SmallestNonzeroFloat64, 0.5, 1, math.MaxFloat64, math.Inf(1)}
	var bits []uint64
	for _, f := range ascending {
		bits = append(bits, FloatBits(f))
	}
	if !slices.IsSorted(bits) {
		t.Errorf("not in order: %x", bits)
	}
}

// TestGramValues checks that the result contains every value with all grams. If few
// candidates are left it may contain more.
func TestGramValues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var gs []Gram
		for k := range uint64(1 + rnd.IntN(4)) {
			g := Gram{Key: 3 * k}
			share := 1 + rnd.IntN(50)
			for v := range uint32(400) {
				if rnd.IntN(share) == 0 {
					g.Values = append(g.Values, v)
				}
			}
			gs = append(gs, g)
		}
		p, _, _ := encodeGrams(slices.Values(gs), nil)
		g := openGrams(append(p.head, p.b...))
		var keys []uint64
		rarest, want := gs[0].Values, slices.Clone(gs[0].Values)
		for _, x := range gs {
			keys = append(keys, x.Key)
			if len(x.Values) < len(rarest) {
				rarest = x.Values
			}
			want = slices.DeleteFunc(want, func(v uint32) bool { return !slices.Contains(x.Values, v) })
		}
		got := g.Values(keys, []uint32{})
		for _, v := range want {
			if !slices.Contains(got, v) {
				t.Fatalf("%d of %v is missing: got %d", v, gs, got)
			}
		}
		if !slices.IsSorted(got) || len(got) > len(rarest)+1 || len(keys) == 1 && !slices.Equal(got, want) {
			t.Fatalf("got %d, want %d, of %v", got, want, gs)
		}
		if v := g.Values([]uint64{keys[0], 1}, nil); len(v) > 0 {
			t.Fatalf("got %d for a gram that nothing holds", v)
		}
	}
}

func FuzzCompareUnquoted(f *testing.F) {
	f.Add(`plain`)
	f.Add(`\ud83d\ude00\n\u00E5`)
	f.Add(`\ud83d\ud83d\ude00\"`)
	f.Fuzz(func(t *testing.T, text string) {
		quoted := `"` + text + `"`
		got := jsoncursor.AppendUnquoted(nil, []byte(quoted[1:]))
		for _, v := range [][]byte{[]byte(text), got, got[:len(got)/2], append(got[:len(got):len(got)], 0)} {
			for skip := range min(len(got)+1, 4) {
				c, same := compareUnquoted([]byte(quoted[1:]), skip, v)
				if rest := got[skip:]; c != bytes.Compare(v, rest) || same != commonPrefix(v, rest) {
					t.Errorf("%s behind %d beside %q: %d, %d shared", quoted, skip, v, c, same)
				}
			}
		}
	})
}

// TestSeekBackFromTheStartOfABlock checks a seek to the value before a block that the
// iterator has entered but not read.
func TestSeekBackFromTheStartOfABlock(t *testing.T) {
	tw := newTwin(1, 500)
	r := tw.open(t)
	tried := 0
	for _, f := range tw.fields {
		want := sortedKeys(f.strings)
		for at := blockLen; at <= len(want); at += blockLen {
			it := r.Field(f.path).Sub(SubKeyword).Strings().Iter(at)
			it.Seek(at - 1)
			if tried++; string(it.Value()) != want[at-1] {
				t.Errorf("%s: %d is %q, want %q", f.path, at-1, it.Value(), want[at-1])
			}
		}
	}
	if tried == 0 {
		t.Error("no field has a block of values")
	}
}

// TestValuesBehindPointers reads values that share bytes with values in fragments.
func TestValuesBehindPointers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	distinct := map[string]bool{"": true}
	for len(distinct) < 400 {
		var text string
		for range rnd.IntN(12) {
			text += []string{"a", "b", "ab", strings.Repeat("long", 8)}[rnd.IntN(4)]
		}
		distinct[text] = true
	}
	f := newTwinField("s", Text)
	tw := &twin{meta: Meta{Env: "e", Sort: "CreatedAt", Items: 1}, fields: []*twinField{f}, fragments: []string{`{"ContentID":"1","v":[true`}, ids: []string{"1"}, rank: []int{0}}
	m := &twinMaker{Rand: rnd, tw: tw}
	for text := range distinct {
		put(f.strings, text, 0)
		f.where[text] = m.place(0, text)
	}
	tw.fragments[0] += `]}`
	values := tw.open(t).Field("s").Strings()
	for ord, want := range sortedKeys(f.strings) {
		if got := values.At(ord, []byte("before ")); string(got) != "before "+want {
			t.Fatalf("value %d is %q, want %q", ord, got, want)
		}
	}
	checkFind(t, values, sortedKeys(f.strings))
	for stride := 1; stride < 40; stride++ {
		it := values.Iter(0)
		for ord, want := range sortedKeys(f.strings) {
			if it.Next(); ord%stride == stride-1 && string(it.Value()) != want {
				t.Fatalf("value %d by steps of %d is %q, want %q", ord, stride, it.Value(), want)
			}
		}
	}
}

// checkFind looks for values, their beginnings, and texts around them.
func checkFind(t *testing.T, values *Strings, sorted []string) {
	t.Helper()
	for _, text := range sorted {
		for n := range len(text) + 1 {
			for _, end := range []string{"", "a", "\x00", "\xff"} {
				look := text[:n] + end
				want, exact := slices.BinarySearch(sorted, look)
				if ord, found := values.Find([]byte(look)); ord != want || found != exact {
					t.Fatalf("%q is at %d %v, want %d %v", look, ord, found, want, exact)
				}
			}
		}
	}
}

// Find compares a text with a value only up to the first byte that differs, without building the value.
func TestFindBuildsNothing(t *testing.T) {
	values := longValues(t)
	for _, text := range []string{"", "long ", "long long b", "longer", strings.Repeat("long ", 100) + "c"} {
		if n := bytesAllocated(func() { values.Find([]byte(text)) }); n > 1024 {
			t.Errorf("%q: %d bytes", text, n)
		}
	}
}

// longValues are values of a hundred kilobytes, which differ in their last byte.
func longValues(t *testing.T) *Strings {
	t.Helper()
	f := newTwinField("s", Text)
	tw := &twin{meta: Meta{Env: "e", Sort: "CreatedAt", Items: 1}, fields: []*twinField{f}, fragments: []string{`{"ContentID":"1","v":[true`}, ids: []string{"1"}, rank: []int{0}}
	m := &twinMaker{Rand: rand.New(rand.NewPCG(1, 2)), tw: tw}
	for c := range 12 {
		text := strings.Repeat("long ", 20_000) + string(rune('a'+c))
		put(f.strings, text, 0)
		f.where[text] = m.place(0, text)
	}
	tw.fragments[0] += `]}`
	return tw.open(t).Field("s").Strings()
}

// bytesAllocated returns how many bytes f allocates.
func bytesAllocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A damaged gram index may name values that do not exist.
func TestSeekBeyondTheValues(t *testing.T) {
	s := pocket().open(t).Field("s").Strings()
	for _, ord := range []int{s.Len(), s.Len() + blockLen, math.MaxUint32} {
		if err := recovered(func() { s.Iter(0).Seek(ord) }); err == nil {
			t.Errorf("value %d of %d: no error", ord, s.Len())
		}
	}
}
