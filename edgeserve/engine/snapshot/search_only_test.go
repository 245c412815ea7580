// These tests write search-only snapshots, and read them with and without items.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// longPocket is the pocket snapshot with values that a search-only snapshot does not hold whole: neighbours
// that differ late, one that is the beginning of another, and one in a block of its own.
func longPocket() *twin {
	tw := pocket()
	s := newTwinField("y", Text)
	same := strings.Repeat("as the one before ", 20)
	texts := []string{same, same + "and more", same + "and others", "z" + same}
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("w%02d \" %s", i, same))
	}
	for i, text := range texts {
		d := DocID(i % 7)
		start := fmt.Sprintf(`{"ContentID":"%s","y":[`, tw.ids[d])
		if !strings.HasPrefix(tw.fragments[d], start) {
			tw.fragments[d] = start + "]}"
		}
		head := strings.TrimSuffix(tw.fragments[d], "]}")
		if head != start {
			head += ","
		}
		tw.fragments[d] = head + `"` + strings.ReplaceAll(text, `"`, `\"`) + `"]}`
		put(s.strings, text, d)
		s.where[text] = StringValue{Doc: d, Offset: uint32(len(head) + 1)}
	}
	tw.fields = append(slices.Clone(tw.fields), s)
	return tw
}

// writeSearchOnly returns the search-only snapshot of a twin.
func writeSearchOnly(t testing.TB, tw *twin) []byte {
	var b bytes.Buffer
	if err := tw.open(t).WriteSearchOnly(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openSearchOnly(t testing.TB, b []byte) *Reader {
	r, err := OpenAny(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Verify(nil), r.Check()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSearchOnly shows what a search-only snapshot is: equal bytes each time, refused where items are needed.
func TestSearchOnly(t *testing.T) {
	tw := longPocket()
	b := writeSearchOnly(t, tw)
	if !bytes.Equal(b, writeSearchOnly(t, tw)) {
		t.Error("two times, two files")
	}
	if _, err := OpenBytes(b); !errors.As(err, new(*SearchOnlyError)) {
		t.Errorf("OpenBytes says %v", err)
	}
	if r, err := OpenAny(tw.write(t)); err != nil || r.ItemCache() != nil {
		t.Errorf("a snapshot with items: %v", err)
	}
	r := openSearchOnly(t, b)
	if err := r.WriteSearchOnly(&bytes.Buffer{}); !errors.As(err, new(*SearchOnlyError)) {
		t.Errorf("WriteSearchOnly of it says %v", err)
	}
	var dump bytes.Buffer
	if err := r.Dump(&dump); err != nil || !strings.HasPrefix(dump.String(), "snapshot version 3, search-only, environment pocket, ") {
		t.Errorf("%v: %s", err, dump.String())
	}
	binary.LittleEndian.PutUint32(b[8:], 4)
	if _, err := OpenAny(repair(b)); err == nil || !strings.Contains(err.Error(), "format version 4") {
		t.Errorf("another version: %v", err)
	}
}

// putAll fetches all items.
func putAll(t *testing.T, r *Reader, tw *twin) {
	for d, item := range tw.fragments {
		if err := r.ItemCache().Put(tw.ids[d], []byte(item)); err != nil {
			t.Fatal(err)
		}
	}
}

// With all items, a search-only snapshot has what the whole one has.
func TestSearchOnlyWithItems(t *testing.T) {
	tw := longPocket()
	r := openSearchOnly(t, writeSearchOnly(t, tw))
	putAll(t, r, tw)
	c := &comparer{t, rand.New(rand.NewPCG(1, 2)), tw, r}
	c.all()
	walk(t, r)
	if docs, ok := r.ItemCache().Lacking(); len(docs) > 0 || !ok {
		t.Errorf("lacking %v", docs)
	}
}

// A lookup reads at most one item, and none of a value that differs from all others in its beginning.
func TestSearchOnlyFind(t *testing.T) {
	tw := longPocket()
	whole, r := tw.open(t), openSearchOnly(t, writeSearchOnly(t, tw))
	s := r.Field("y").Strings()
	read := 0
	for ord := range s.Len() {
		v := whole.Field("y").Strings().At(ord, nil)
		for _, text := range []string{string(v), string(v) + "!", string(v[:len(v)-1]), string(v[:len(v)-1]) + "\xff", string(v[:3])} {
			wantOrd, wantExact := whole.Field("y").Strings().Find([]byte(text))
			r.cache = newItemCache(r, r.section(kindItemSums, NoField))
			r.cache.Begin()
			got, exact := s.Find([]byte(text))
			docs, _ := r.cache.Lacking()
			if read += len(docs); len(docs) > 1 {
				t.Fatalf("%.30q: %d items", text, len(docs))
			}
			for _, d := range docs {
				if err := r.cache.Put(tw.ids[d], []byte(tw.fragments[d])); err != nil {
					t.Fatal(err)
				}
				r.cache.Begin()
				got, exact = s.Find([]byte(text))
			}
			if docs, _ := r.cache.Lacking(); len(docs) > 0 || got != wantOrd || exact != wantExact {
				t.Errorf("%.30q: value %d, %t, want %d, %t; lacking %v", text, got, exact, wantOrd, wantExact, docs)
			}
		}
	}
	if read == 0 {
		t.Error("no value was read from an item")
	}
}

// The cache takes only items of its release, names what is lacking within its limit, and drops old items.
func TestItemCache(t *testing.T) {
	tw := longPocket()
	r := openSearchOnly(t, writeSearchOnly(t, tw))
	c := r.ItemCache()
	c.Begin()
	for id, item := range map[string]string{"zzz": "{}", tw.ids[3]: tw.fragments[4], tw.ids[4]: tw.fragments[4] + " "} {
		if err := c.Put(id, []byte(item)); err == nil {
			t.Errorf("Put(%s, %.40s) took it", id, item)
		}
	}
	if got := string(r.Fragments(2, 4)); got != "{},{}" {
		t.Errorf("without items: %s", got)
	}
	if docs, ok := c.Lacking(); !ok || !slices.Equal(docs, []DocID{2, 3}) {
		t.Errorf("lacking %v, %t", docs, ok)
	}
	if err := c.Put(tw.ids[2], []byte(tw.fragments[2])); err != nil {
		t.Fatal(err)
	}
	c.Begin()
	if got := string(r.Fragments(2, 4)); got != tw.fragments[2]+",{}" {
		t.Errorf("with one item: %s", got)
	}
	c.bytes += 2 * cachedItemBytes
	if err := c.Put(tw.ids[3], []byte(tw.fragments[3])); err == nil {
		t.Error("it takes more bytes than two responses may have")
	}
	if c.Begin(); !c.Full() || c.Full() {
		t.Error("it does not say that items are too large, or says it twice")
	}
	if _, ok := c.items[2]; ok {
		t.Error("a full cache drops nothing")
	}
	c.Begin()
	if r.Fragment(2); len(c.lacking) != 1 || c.bytes < 0 {
		t.Error("an item that was dropped is still there")
	}
	if err := recovered(func() { r.Fragment(DocID(r.Items())) }); err == nil {
		t.Error("an item behind the last one")
	}
}

func TestItemCacheLimit(t *testing.T) {
	items := MaxLacking + 1
	c := newItemCache(&Reader{meta: Meta{Items: items}}, nil)
	for d := range DocID(items) {
		if docs, ok := c.Lacking(); !ok || len(docs) != int(d) {
			t.Fatalf("%d of %d items: %t", len(docs), d, ok)
		}
		c.item(d)
	}
	if docs, ok := c.Lacking(); ok || len(docs) != MaxLacking {
		t.Errorf("%d of %d items: %t", len(docs), items, ok)
	}
}

// Checksums reveal each damaged bit.
func TestSearchOnlyBits(t *testing.T) {
	good := writeSearchOnly(t, longPocket())
	r := openSearchOnly(t, bytes.Clone(good))
	table := len(good) - footerLen - len(r.toc)*entryLen
	for i := range good {
		var err error
		r.data[i] ^= 1 << (i % 8)
		if i >= headerLen && i < table {
			err = r.Verify(nil)
		} else {
			_, err = OpenAny(r.data)
		}
		r.data[i] ^= 1 << (i % 8)
		if err == nil {
			t.Errorf("bit %d of byte %d can flip unseen", i%8, i)
		}
	}
}

// Damage with right checksums ends in an error, or in values of other items, in little time and memory.
func TestSearchOnlyLies(t *testing.T) {
	tw := longPocket()
	good := writeSearchOnly(t, tw)
	rnd := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		changes := binary.LittleEndian.AppendUint32(nil, rnd.Uint32())
		b := repair(mutate(bytes.Clone(good), changes))
		withinLimits(t, b, func() {
			r, err := OpenAny(b)
			if err != nil || r.cache == nil {
				return
			}
			_ = errors.Join(r.Verify(nil), r.Check())
			for _, withItems := range []bool{false, true} {
				for d, item := range tw.fragments {
					if withItems {
						_ = recovered(func() { _ = r.cache.Put(tw.ids[d], []byte(item)) })
					}
				}
				for _, f := range r.Fields() {
					for _, part := range []func(*Reader, *Field){walkColumns, walkStrings, walkGrams, walkTerms} {
						_ = recovered(func() { part(r, f) })
					}
				}
			}
		})
	}
	short := bytes.Clone(good)
	r := openSearchOnly(t, bytes.Clone(good))
	i := slices.IndexFunc(r.toc, func(e entry) bool { return e.kind == kindItemSums })
	row := short[len(short)-footerLen-len(r.toc)*entryLen:][i*entryLen:]
	binary.LittleEndian.PutUint64(row[16:], r.toc[i].n-4)
	if _, err := OpenAny(repair(short)); err == nil || !strings.Contains(err.Error(), "item sums: not one checksum an item") {
		t.Errorf("a checksum less: %v", err)
	}
}
