// These benchmarks measure opening, lookups and walking lists. The random input has a fixed
// seed.

package snapshot

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// benchItems gives lists of many blocks and dictionaries of many pages.
const benchItems = 100_000

// benchSnapshot is the input of all benchmarks: 20,000 words, common and rare, and one
// string per item.
var benchSnapshot = sync.OnceValue(func() []byte {
	r := rand.New(rand.NewPCG(1, 1))
	tw := &twin{meta: Meta{Env: "bench", Sort: "CreatedAt", Analysis: 1, Items: benchItems}}
	ids, words, urls, nums := newTwinField("ContentID", Text), newTwinField("body", Text), newTwinField("url", Text), newTwinField("views", Long)
	for d := range DocID(benchItems) {
		id := fmt.Sprintf("Content_%08d", (int(d)*7919)%benchItems)
		tw.ids, tw.rank = append(tw.ids, id), append(tw.rank, (int(d)*7919)%benchItems)
		url := fmt.Sprintf("https://example.org/section/%d/article/%x", d%100, r.Uint64())
		tw.fragments = append(tw.fragments, `{"ContentID":"`+id+`","url":"`+url+`"}`)
		put(ids.strings, id, d)
		put(urls.strings, url, d)
		urls.where[url] = StringValue{Doc: d, Offset: uint32(len(`{"ContentID":"","url":"`) + len(id))}
		put(nums.ints, r.Int64N(5000), d)
		words.norms[d] = byte(1 + r.IntN(100))
	}
	for i := range 20_000 {
		list := map[DocID][]uint32{}
		for range max(1, benchItems/2/(i*i/8+1)) {
			at := []uint32{uint32(r.IntN(50))}
			for range r.IntN(3) {
				at = append(at, at[len(at)-1]+1+uint32(r.IntN(100)))
			}
			list[DocID(r.IntN(benchItems))] = at
		}
		words.terms[benchWord(i)] = list
	}
	tw.fields = []*twinField{ids, words, urls, nums}
	return tw.write(&testing.B{})
})

func benchWord(i int) string { return fmt.Sprintf("word%05d", i*104729%20_000) }

func benchReader(b *testing.B) *Reader {
	r, err := OpenBytes(benchSnapshot())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	return r
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.snap")
	if err := os.WriteFile(path, benchSnapshot(), 0o644); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		r, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

func BenchmarkVerify(b *testing.B) {
	r := benchReader(b)
	b.SetBytes(r.Size())
	for b.Loop() {
		if err := r.Verify(nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	r := benchReader(b)
	b.SetBytes(r.Size())
	for b.Loop() {
		if err := r.Check(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTermLookup(b *testing.B) {
	terms := benchReader(b).Field("body").Terms()
	keys := make([][]byte, 1024)
	for i := range keys {
		keys[i] = []byte(benchWord(i * 19))
	}
	for i := 0; b.Loop(); i++ {
		if _, ok := terms.Lookup(keys[i%len(keys)]); !ok {
			b.Fatal("missing")
		}
	}
}

func BenchmarkTermMiss(b *testing.B) {
	terms := benchReader(b).Field("body").Terms()
	for b.Loop() {
		terms.Lookup([]byte("word10000x"))
	}
}

func perPosting(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/posting")
}

func benchList(b *testing.B) (t *Terms, info TermInfo) {
	t = benchReader(b).Field("body").Terms()
	info, _ = t.Lookup([]byte(benchWord(0)))
	return t, info
}

func BenchmarkPostings(b *testing.B) {
	t, info := benchList(b)
	var p Postings
	sum := 0
	for b.Loop() {
		p.Reset(t, info)
		for d := p.Next(); d != NoMore; d = p.Next() {
			sum += p.TF()
		}
	}
	perPosting(b, info.DF)
}

func BenchmarkPostingsSeek(b *testing.B) {
	t, info := benchList(b)
	var p Postings
	steps := 0
	for b.Loop() {
		p.Reset(t, info)
		steps = 0
		for d := p.Next(); d != NoMore; d = p.Seek(d + 1000) {
			steps++
		}
	}
	perPosting(b, steps)
}

func BenchmarkPositions(b *testing.B) {
	t, info := benchList(b)
	var p Postings
	var buf []uint32
	for b.Loop() {
		p.Reset(t, info)
		for d := p.Next(); d != NoMore; d = p.Next() {
			buf = p.Positions(buf[:0])
		}
	}
	perPosting(b, info.DF)
}

func BenchmarkStringsFind(b *testing.B) {
	for _, field := range []string{"ContentID", "url"} {
		b.Run(field, func(b *testing.B) {
			s := benchReader(b).Field(field).Strings()
			keys := make([][]byte, 1024)
			for i := range keys {
				keys[i] = s.At(i*97, nil)
			}
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				if _, ok := s.Find(keys[i%len(keys)]); !ok {
					b.Fatal("missing")
				}
			}
		})
	}
}

func BenchmarkStringsIter(b *testing.B) {
	for _, field := range []string{"ContentID", "url"} {
		b.Run(field, func(b *testing.B) {
			s := benchReader(b).Field(field).Strings()
			n := 0
			for b.Loop() {
				for it := s.Iter(0); it.Next(); {
					n += len(it.Value())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Len()), "ns/value")
		})
	}
}

func BenchmarkColumnLeast(b *testing.B) {
	c := benchReader(b).Field("views").Column()
	sum := 0
	for i := 0; b.Loop(); i++ {
		sum += c.Least(DocID(i * 7919 % benchItems))
	}
}

func BenchmarkNumbersFind(b *testing.B) {
	n := benchReader(b).Field("views").Numbers()
	for i := 0; b.Loop(); i++ {
		n.FindInt(int64(i % 5000))
	}
}

func BenchmarkWrite(b *testing.B) {
	tw := newTwin(1, 3000)
	b.ResetTimer()
	for b.Loop() {
		b.SetBytes(int64(len(tw.write(b))))
	}
}
