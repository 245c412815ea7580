// These fuzz tests use damage that checksums cannot reveal. A reader must not panic, hang
// or allocate as much as the file claims.

package snapshot

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
)

// The limits of a walk are far above the need of any snapshot of this size. The time is
// generous for busy machines.
const (
	walkTime  = 10 * time.Second
	walkBytes = 64 << 20
)

func FuzzOpen(f *testing.F) {
	good := pocket().write(f)
	f.Add(good)
	f.Add(small().write(f))
	f.Add(leaving(someRules).write(f))
	f.Add(newTwin(1, 0).write(f))
	f.Add(newTwin(1, 3).write(f))
	f.Add(good[:len(good)/2])
	f.Add([]byte(magic))
	f.Add(repair(endlessColumn(f, nil)))
	for _, tt := range setLies {
		f.Add(repair(tt.damage(f, slices.Clone(good))))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		withinLimits(t, b, func() {
			if r, err := OpenBytes(b); err == nil {
				walk(t, r)
			}
		})
	})
}

// FuzzRehash changes a valid snapshot and repairs its checksums. A change has 4 bytes: two
// for the offset, a width, a value.
func FuzzRehash(f *testing.F) {
	goods := [][]byte{pocket().write(f), small().write(f)}
	f.Add(false, []byte{})
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 40 {
		f.Add(i%2 == 0, binary.LittleEndian.AppendUint32(nil, r.Uint32()))
	}
	for set := range setCount - 1 {
		at := binary.LittleEndian.AppendUint16(nil, uint16(setsOffset(f, goods[0])+5*set))
		for v := range ref(setRest, setRest) + 1 {
			f.Add(false, append(slices.Clone(at), 0, v))
		}
	}
	f.Fuzz(func(t *testing.T, tiny bool, changes []byte) {
		good := goods[0]
		if tiny {
			good = goods[1]
		}
		b := repair(mutate(slices.Clone(good), changes))
		withinLimits(t, b, func() {
			if r, err := OpenBytes(b); err == nil {
				walk(t, r)
			}
		})
	})
}

// setsOffset returns the offset of the byte of x's first set. The entry of x is the last
// one.
func setsOffset(tb testing.TB, b []byte) int {
	r, err := OpenBytes(b)
	if err != nil {
		tb.Fatal(err)
	}
	fields := r.toc[len(r.toc)-1]
	return int(fields.off+fields.n) - len(r.Field("x").entry) + setsAt
}

// mutate applies changes. Offsets wrap around. The widest values are the extreme ones.
func mutate(b, changes []byte) []byte {
	for ; len(changes) >= 4; changes = changes[4:] {
		at := int(binary.LittleEndian.Uint16(changes)) % len(b)
		v := changes[3]
		var with []byte
		switch changes[2] % 5 {
		case 0:
			with = []byte{v}
		case 1:
			with = []byte{b[at] ^ 1<<(v%8)}
		case 2:
			with = binary.LittleEndian.AppendUint32(nil, uint32(1)<<(v%32)-uint32(v>>7))
		case 3:
			with = binary.LittleEndian.AppendUint64(nil, uint64(1)<<(v%64)-uint64(v>>7))
		case 4:
			with = binary.AppendUvarint(nil, uint64(1)<<(v%64)-uint64(v>>7))
		}
		copy(b[at:], with)
	}
	return b
}

// withinLimits fails the test if f takes too long or allocates too much.
func withinLimits(t *testing.T, b []byte, f func()) {
	t.Helper()
	start, before := time.Now(), allocated()
	f()
	if d := time.Since(start); d > walkTime {
		t.Errorf("%d bytes took %v", len(b), d)
	}
	if n := allocated() - before; n > walkBytes+1000*uint64(len(b)) {
		t.Errorf("%d bytes made it allocate %d", len(b), n)
	}
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// walk reads everything in an open snapshot. Every failure must be a CorruptError. A
// snapshot that Check accepts must have none.
func walk(t *testing.T, r *Reader) {
	t.Helper()
	checked := cmp.Or(r.Verify(nil), r.Check())
	if checked != nil && !errors.As(checked, new(*CorruptError)) {
		t.Errorf("Check says %v", checked)
	}
	for _, f := range r.Fields() {
		for _, part := range []func(*Reader, *Field){walkColumns, walkStrings, walkGrams, walkTerms} {
			if err := recovered(func() { part(r, f) }); err != nil && checked == nil {
				t.Errorf("field %s: accepted by Check, then %v", f.Path, err)
			}
		}
	}
	whole := func() {
		for d := range DocID(r.Items()) {
			r.Fragment(d)
			r.IDRank(d)
		}
		r.Fragments(0, DocID(r.Items()))
		r.Lookup("001")
		r.Lookup("zzz")
	}
	if err := recovered(whole); err != nil && checked == nil {
		t.Errorf("accepted by Check, then %v", err)
	}
}

// recovered calls f and recovers as callers of this package do.
func recovered(f func()) (err error) {
	defer Recover(&err)
	f()
	return nil
}

// mustHold panics with a CorruptError unless ok. A failed lookup means damage, unless Check
// accepted the snapshot.
func mustHold(ok bool, what string) {
	if !ok {
		panic(&CorruptError{"walk", what + " misses"})
	}
}

// setsOf returns the values of a field and its sub-fields.
func setsOf(f *Field) []*Values {
	out := []*Values{&f.Values}
	for s := SubKeyword; s < SubCount; s++ {
		if v := f.Sub(s); v != nil {
			out = append(out, v)
		}
	}
	return out
}

func walkColumns(r *Reader, f *Field) {
	columns := []*Column{f.SortColumn()}
	for _, v := range setsOf(f) {
		walkNumbers(v)
		columns = append(columns, v.Column())
	}
	for _, c := range columns {
		for ord := range c.Distinct {
			for p := c.Start(ord); p < c.Start(ord+1) && p < c.Pairs; p++ {
				c.Least(c.Doc(p))
				c.Greatest(c.Doc(p))
				mustHold(c.OrdOf(p) == ord, "OrdOf")
			}
		}
		c.EachDoc(func(DocID, int) bool { return true })
	}
}

// walkNumbers looks up every number.
func walkNumbers(v *Values) {
	n := v.Numbers()
	if n == nil {
		return
	}
	for i := range n.Len() {
		n.FindInt(n.Int(i))
		n.FindFloat(n.Float(i))
	}
	mustHold(n.Len() == v.Column().Distinct, "a number of an ordinal")
}

func walkStrings(r *Reader, f *Field) {
	k := f.Sub(SubKeyword)
	if k == nil {
		mustHold(f.Strings() == nil, "a text's keyword")
		return
	}
	s := k.Strings()
	mustHold(s.Len() == k.Column().Distinct, "a text of an ordinal")
	var buf []byte
	for ord := range s.Len() {
		buf = s.At(ord, buf[:0])
		found, exact := s.Find(buf)
		mustHold(found == ord && exact, "Find")
		it := s.Iter(ord)
		for range 3 {
			it.Next()
		}
		it.Value()
	}
	s.Find([]byte("zzz"))
}

func walkGrams(r *Reader, f *Field) {
	g := f.Grams()
	if g == nil {
		return
	}
	var buf []uint32
	it := f.Strings().Iter(0)
	for i := range min(g.keys.n, 1000) {
		buf = g.Values([]uint64{g.keys.At(i)}, buf[:0])
		for _, ord := range buf {
			it.Seek(int(ord))
			it.Value()
		}
	}
}

func walkTerms(r *Reader, f *Field) {
	if f.Terms() == nil {
		return
	}
	var p, q Postings
	var buf []uint32
	var before TermInfo
	for it := f.Terms().Seek(nil); it.Next(); before = it.Info() {
		info, ok := f.Terms().Lookup(it.Term())
		mustHold(ok && info.DF == it.Info().DF, "Lookup")
		if before.DF > 0 {
			p.Reset(f.Terms(), before)
			q.Reset(f.Terms(), it.Info())
			for d := Intersect(&p, &q, 0); d < NoMore-100; d = Intersect(&p, &q, d+1) {
				mustHold(p.Doc() == d && q.Doc() == d, "Intersect")
			}
		}
		for step := range DocID(3) {
			p.Reset(f.Terms(), it.Info())
			for d := p.Next(); d < NoMore-100; d = p.Seek(d + 1 + step*40) {
				if last, _ := p.BlockMax(d); last < d {
					panic("BlockMax goes back") // not an error: a search would never end
				}
				if len(p.Chunk(d+step*40)) > 0 {
					p.Frequencies()
				}
				buf = p.Positions(buf[:0])
			}
		}
	}
}
