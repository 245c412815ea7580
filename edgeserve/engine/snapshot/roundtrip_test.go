// These tests write random snapshots and compare them with the twin.

package snapshot

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	for _, items := range []int{0, 1, 2, 2, 129, 129, 3000} {
		seed := rand.Uint64N(1e9)
		t.Run(fmt.Sprintf("items=%d/seed=%d", items, seed), func(t *testing.T) {
			t.Parallel()
			compare(t, seed, newTwin(seed, items))
		})
	}
	t.Run("pocket", func(t *testing.T) { compare(t, 1, pocket()) })
	t.Run("small", func(t *testing.T) { compare(t, 1, small()) })
}

func compare(t *testing.T, seed uint64, tw *twin) {
	c := &comparer{t, rand.New(rand.NewPCG(seed, 2)), tw, tw.open(t)}
	c.all()
}

// comparer compares a snapshot with the twin.
type comparer struct {
	*testing.T
	*rand.Rand
	tw *twin
	r  *Reader
}

func (c *comparer) all() {
	c.whole()
	for _, f := range c.tw.fields {
		c.field(f)
	}
}

func (c *comparer) whole() {
	if c.r.Meta() != c.tw.meta || c.r.Env() != c.tw.meta.Env || c.r.Items() != c.tw.meta.Items {
		c.Errorf("meta %+v, want %+v", c.r.Meta(), c.tw.meta)
	}
	for d, id := range c.tw.ids {
		if got, ok := c.r.Lookup(id); !ok || got != DocID(d) {
			c.Errorf("Lookup(%s) = %d, %t, want %d", id, got, ok, d)
		}
		if got := c.r.IDRank(DocID(d)); got != c.tw.rank[d] {
			c.Errorf("IDRank(%d) = %d, want %d", d, got, c.tw.rank[d])
		}
		if got := c.r.Fragment(DocID(d)); string(got) != c.tw.fragments[d] {
			c.Errorf("fragment %d: %s, want %s", d, got, c.tw.fragments[d])
		}
		if got, ok := c.r.Lookup(c.near(id)); ok && c.tw.ids[got] == id {
			c.Errorf("an id near %s is found", id)
		}
	}
	n := c.tw.meta.Items + 1
	from, to := c.IntN(n), c.IntN(n)
	want := ""
	if from < to {
		want = strings.Join(c.tw.fragments[from:to], ",")
	}
	if got := c.r.Fragments(DocID(from), DocID(to)); string(got) != want {
		c.Errorf("fragments %d to %d differ", from, to)
	}
}

// near returns a string close to s, but not s.
func (c *comparer) near(s string) string {
	if len(s) == 0 || c.IntN(3) == 0 {
		return s + string(byte(c.IntN(256)))
	}
	i := c.IntN(len(s))
	switch c.IntN(3) {
	case 0:
		return s[:i]
	case 1:
		return s[:i] + string([]byte{s[i] + 1}) + s[i+1:]
	}
	return s[:i] + string([]byte{s[i] - 1}) + s[i+1:]
}

func (c *comparer) field(f *twinField) {
	got := c.r.Field(f.path)
	if got == nil {
		c.Fatalf("no field %s", f.path)
	}
	if got.Type != f.typ || got.Path != f.path {
		c.Errorf("field %s is %s, want %s", f.path, got.Type, f.typ)
	}
	if below := c.r.FieldsBelow(f.path); len(below) == 0 || below[0] != got {
		c.Errorf("FieldsBelow(%s) misses it", f.path)
	}
	c.column(f, got.Column(), f.column())
	c.column(f, got.SortColumn(), f.rest())
	c.subFields(f, got)
	c.sections(f, got)
	if f.typ != Text {
		c.numbers(f, got.Numbers(), f.twinNumbers)
		return
	}
	c.norms(f, got)
	c.terms(f, got.Terms())
	c.strings(f, got.Strings())
	for key, values := range f.grams {
		if v := got.Grams().Values([]uint64{key}, nil); !slices.Equal(v, values) {
			c.Errorf("%s: gram %d in %d, want %d", f.path, key, v, values)
		}
	}
}

func (c *comparer) norms(f *twinField, got *Field) {
	if got.Docs != len(f.norms) {
		c.Errorf("%s: %d documents with a token, want %d", f.path, got.Docs, len(f.norms))
	}
	raw := got.Norms().Bytes()
	for d := range DocID(c.tw.meta.Items) {
		want := uint64(f.norms[d])
		if n := got.Norms().At(d); n != want || raw != nil && uint64(raw[d]) != want {
			c.Errorf("%s: length of %d is %d, want %d", f.path, d, n, want)
		}
	}
}

func (c *comparer) column(f *twinField, got *Column, values []docSet) {
	least, greatest := map[DocID]int{}, map[DocID]int{}
	pairs := 0
	for ord, set := range values {
		var docs []DocID
		for p := got.Start(ord); p < got.Start(ord+1); p++ {
			docs = append(docs, got.Doc(p))
			if got.OrdOf(p) != ord {
				c.Errorf("%s: OrdOf(%d) = %d, want %d", f.path, p, got.OrdOf(p), ord)
			}
		}
		if want := c.tw.byRank(set); !slices.Equal(docs, want) || got.Count(ord) != len(want) {
			c.Errorf("%s: value %d in %d, want %d", f.path, ord, docs, want)
		}
		pairs += len(set)
		for d := range set {
			if _, ok := least[d]; !ok {
				least[d] = ord
			}
			greatest[d] = ord
		}
	}
	if got.Distinct != len(values) || got.Pairs != pairs || got.DocCount != len(least) || got.Single != (pairs == len(least)) {
		c.Errorf("%s: %d values, %d pairs, %d documents, single %t; want %d, %d, %d", f.path,
			got.Distinct, got.Pairs, got.DocCount, got.Single, len(values), pairs, len(least))
	}
	c.bounds(f, got, least, greatest)
}

func (c *comparer) bounds(f *twinField, got *Column, least, greatest map[DocID]int) {
	bound := func(m map[DocID]int, d DocID) int {
		if ord, ok := m[d]; ok {
			return ord
		}
		return got.Distinct
	}
	var docs []DocID
	for d := range DocID(c.tw.meta.Items) {
		lo, hi := bound(least, d), bound(greatest, d)
		if got.Least(d) != lo || got.Greatest(d) != hi || got.Has(d) != (lo < got.Distinct) {
			c.Errorf("%s: document %d has %d to %d, want %d to %d", f.path, d, got.Least(d), got.Greatest(d), lo, hi)
		}
		if got.Has(d) {
			docs = append(docs, d)
		}
	}
	stop := c.IntN(len(docs) + 1)
	var seen []DocID
	got.EachDoc(func(d DocID, ord int) bool {
		if ord != least[d] {
			c.Errorf("%s: EachDoc gives %d for %d, want %d", f.path, ord, d, least[d])
		}
		seen = append(seen, d)
		return len(seen) != stop
	})
	if stop == 0 {
		stop = len(docs)
	}
	if !slices.Equal(seen, docs[:stop]) {
		c.Errorf("%s: EachDoc gives %d, want %d", f.path, seen, docs[:stop])
	}
}

func (c *comparer) numbers(f *twinField, got *Numbers, want *twinNumbers) {
	if len(want.floats) > 0 {
		compareNumbers(c, f, sortedKeys(want.floats), got.Len(), got.Float, got.FindFloat)
		return
	}
	if got.IsFloat() && got.Len() > 0 {
		c.Errorf("%s: fractions, want integers", f.path)
	}
	ints := sortedKeys(want.ints)
	compareNumbers(c, f, ints, got.Len(), got.Int, got.FindInt)
	for lo := range ints {
		for _, ord := range []int{lo + 1, lo + 2, lo + 9, len(ints) - 1} {
			if ord <= lo || ord >= len(ints) {
				continue
			}
			for _, guess := range []int{1, 3, len(ints)} {
				if next, _ := got.SeekInt(lo, guess, ints[ord]); next != ord {
					c.Errorf("%s: SeekInt(%d, %d, %d) = %d, want %d", f.path, lo, guess, ints[ord], next, ord)
				}
			}
		}
	}
	if last := len(ints) - 1; last >= 0 && ints[last] < math.MaxInt64 {
		if next, _ := got.SeekInt(0, 1, ints[last]+1); next != len(ints) {
			c.Errorf("%s: SeekInt beyond the last gives %d, want %d", f.path, next, len(ints))
		}
	}
}

func compareNumbers[N int64 | float64](c *comparer, f *twinField, want []N, n int, at func(int) N, find func(N) int) {
	if n != len(want) {
		c.Fatalf("%s: %d numbers, want %d", f.path, n, len(want))
	}
	for i, v := range want {
		if at(i) != v || 1/float64(at(i)) != 1/float64(v) { // distinguishes -0 from 0
			c.Errorf("%s: number %d is %v, want %v", f.path, i, at(i), v)
		}
		for _, probe := range []N{v, v - 1, v + 1, v / 2, -v} {
			ord := sort.Search(n, func(i int) bool { return want[i] >= probe })
			if got := find(probe); got != ord {
				c.Errorf("%s: Find(%v) = %d, want %d", f.path, probe, got, ord)
			}
		}
	}
}

func (c *comparer) strings(f *twinField, got *Strings) {
	want := sortedKeys(f.strings)
	if got.Len() != len(want) {
		c.Fatalf("%s: %d strings, want %d", f.path, got.Len(), len(want))
	}
	buf := []byte("kept")
	for i, v := range want {
		if b := got.At(i, buf); string(b) != "kept"+v {
			c.Errorf("%s: value %d is %q, want %q", f.path, i, b[4:], v)
		}
		for _, probe := range []string{v, c.near(v), c.near(v), ""} {
			ord, exact := slices.BinarySearch(want, probe)
			if o, e := got.Find([]byte(probe)); o != ord || e != exact {
				c.Errorf("%s: Find(%q) = %d, %t, want %d, %t", f.path, probe, o, e, ord, exact)
			}
		}
	}
	for range 40 {
		c.iterate(f, got, want)
	}
}

// iterate walks from a random ordinal and reads some of the values, some of them twice.
func (c *comparer) iterate(f *twinField, got *Strings, want []string) {
	ord, often := c.IntN(len(want)+1), 1+c.IntN(20)
	end := min(ord+60, len(want))
	it := got.Iter(ord)
	for ; ord < end && it.Next(); ord++ {
		for c.IntN(often) == 0 {
			if v := it.Value(); string(v) != want[ord] || it.Ord() != ord {
				c.Errorf("%s: iterator at %d gives %q, want %d, %q", f.path, it.Ord(), v, ord, want[ord])
			}
			often++
		}
	}
	if ord != end || end == len(want) && it.Next() {
		c.Errorf("%s: iterator ends at %d, want %d", f.path, ord, end)
	}
	for range min(10, len(want)) {
		ord := c.IntN(len(want))
		if c.IntN(3) > 0 {
			ord = min(max(0, it.Ord())+c.IntN(20), len(want)-1)
		}
		if it.Seek(ord); it.Ord() != ord || c.IntN(2) == 0 && string(it.Value()) != want[ord] {
			c.Errorf("%s: iterator moved to %d gives %d, %q", f.path, ord, it.Ord(), it.Value())
		}
	}
}

func (c *comparer) terms(f *twinField, got *Terms) {
	want := sortedKeys(f.terms)
	if got.Len() != len(want) {
		c.Fatalf("%s: %d terms, want %d", f.path, got.Len(), len(want))
	}
	var p Postings
	for _, term := range want {
		info, ok := got.Lookup([]byte(term))
		if !ok || info.DF != len(f.terms[term]) {
			c.Fatalf("%s: Lookup(%q) = %d, %t, want %d", f.path, term, info.DF, ok, len(f.terms[term]))
		}
		c.list(f, &p, got, info, listOf(f.terms[term]))
		miss := c.near(term)
		if _, ok := got.Lookup([]byte(miss)); ok != (f.terms[miss] != nil) {
			c.Errorf("%s: Lookup(%q) = %t", f.path, miss, ok)
		}
	}
	for range 40 {
		c.walk(f, got, want)
		if len(want) > 0 {
			c.intersection(f, got, want[c.IntN(len(want))], want[c.IntN(len(want))])
		}
	}
}

// walk seeks and steps through a dictionary at random.
func (c *comparer) walk(f *twinField, got *Terms, want []string) {
	probe := func() string {
		if len(want) == 0 || c.IntN(8) == 0 {
			return ""
		}
		if term := want[c.IntN(len(want))]; c.IntN(2) == 0 {
			return term
		} else {
			return c.near(term)
		}
	}
	from := probe()
	it := got.Seek([]byte(from))
	at, _ := slices.BinarySearch(want, from)
	at--
	last, seen := "", false
	for range 60 {
		var ok bool
		switch c.IntN(10) {
		case 0:
			to := probe()
			at, _ = slices.BinarySearch(want, to)
			ok = it.SeekGE([]byte(to))
		case 1, 2, 3:
			if !seen || last == "" {
				continue
			}
			past := last[:1+c.IntN(len(last))]
			for at < len(want) && strings.HasPrefix(want[at], past) {
				at++
			}
			ok = it.NextPast(len(past))
		default:
			at = min(at+1, len(want))
			ok = it.Next()
		}
		if ok != (at < len(want)) {
			c.Fatalf("%s: iterator at %d of %d says %t", f.path, at, len(want), ok)
		}
		if ok && !bytes.Equal(it.Term(), []byte(want[at])) {
			c.Fatalf("%s: iterator gives %q, want %q", f.path, it.Term(), want[at])
		}
		if ok && seen && last[:it.Shared()] != want[at][:it.Shared()] {
			c.Fatalf("%s: %q and %q do not share %d bytes", f.path, last, want[at], it.Shared())
		}
		if seen = ok; ok {
			last = want[at]
		}
		// Info must not depend on earlier calls for other terms.
		if ok && c.IntN(3) == 0 {
			if lookup, _ := got.Lookup(it.Term()); !reflect.DeepEqual(it.Info(), lookup) || lookup.DF != len(f.terms[want[at]]) {
				c.Fatalf("%s: iterator gives %q in %+v, lookup in %+v, want %d", f.path, it.Term(), it.Info(), lookup, len(f.terms[want[at]]))
			}
		}
	}
}
