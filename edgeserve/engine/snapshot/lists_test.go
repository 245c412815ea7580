// This file compares postings lists with the twin: a full walk, then random steps and
// seeks, with the bounds that let a search skip.

package snapshot

import (
	"slices"
	"sort"
	"testing"
)

// list compares one list, first in a full walk and then at random.
func (c *comparer) list(f *twinField, p *Postings, terms *Terms, info TermInfo, want []Posting) {
	p.Reset(terms, info)
	if p.DF() != len(want) || p.Doc() != 0 {
		c.Errorf("%s: list of %d stands on %d, want %d on 0", f.path, p.DF(), p.Doc(), len(want))
	}
	ask := c.IntN(4)
	for i := range want {
		p.Next()
		c.posting(f, p, &want[i], c.IntN(4) <= ask)
	}
	c.ended(f, p)
	for range 3 {
		if c.IntN(2) == 0 {
			p.Restart()
		} else {
			p.Reset(terms, info)
		}
		c.seekAtRandom(f, p, want)
	}
}

// intersection compares the intersection of two lists, with random seeks.
func (c *comparer) intersection(f *twinField, terms *Terms, a, b string) {
	var p, q Postings
	for cursor, term := range map[*Postings]string{&p: a, &q: b} {
		info, _ := terms.Lookup([]byte(term))
		cursor.Reset(terms, info)
	}
	far, target := 1<<c.IntN(10), DocID(0)
	shared := 0
	for _, w := range listOf(f.terms[a]) {
		other, both := f.terms[b][w.Doc]
		if !both || w.Doc < target {
			continue
		}
		if d := Intersect(&p, &q, target); d != w.Doc || p.Doc() != d || q.Doc() != d {
			c.Fatalf("%s: %q and %q meet at %d (%d, %d), want %d", f.path, a, b, d, p.Doc(), q.Doc(), w.Doc)
		}
		if at := q.Positions(nil); !slices.Equal(at, other) {
			c.Fatalf("%s: positions %d of %q, want %d", f.path, at, b, other)
		}
		shared++
		target = w.Doc + 1 + DocID(c.IntN(far)*c.IntN(2))
	}
	if d := Intersect(&p, &q, target); d != NoMore {
		c.Fatalf("%s: %q and %q meet at %d after all %d", f.path, a, b, d, shared)
	}
}

// posting compares the current document.
func (c *comparer) posting(f *twinField, p *Postings, want *Posting, positions bool) {
	if p.Doc() != want.Doc || p.TF() != len(want.Positions) {
		c.Fatalf("%s: document %d, %d times; want %d, %d times", f.path, p.Doc(), p.TF(), want.Doc, len(want.Positions))
	}
	if !positions {
		return
	}
	if at := p.Positions([]uint32{7}); at[0] != 7 || !slices.Equal(at[1:], want.Positions) {
		c.Fatalf("%s: positions %d, want %d", f.path, at[1:], want.Positions)
	}
}

func (c *comparer) ended(f *twinField, p *Postings) {
	next, seek := p.Next(), p.Seek(3)
	if last, _ := p.BlockMax(5); next != NoMore || seek != NoMore || p.Doc() != NoMore || p.TF() != 0 || last != NoMore {
		c.Fatalf("%s: a list of %d goes on after its end", f.path, p.DF())
	}
}

// seekAtRandom seeks at random up to the end.
func (c *comparer) seekAtRandom(f *twinField, p *Postings, want []Posting) {
	far := 1 << c.IntN(12)
	for at := -1; ; {
		target := DocID(0)
		if at >= 0 {
			target = want[at].Doc
		}
		target += DocID(c.IntN(far))
		c.blockMax(f, p, want, max(at, 0), target)
		n := c.chunk(f, p, want, at, target)
		var got DocID
		switch {
		case c.IntN(3) == 0:
			at++
			got = p.Next()
		case n > 0 && c.IntN(2) == 0:
			n = 1 + c.IntN(n)
			at += n
			got = p.Skip(n)
		default:
			at = max(at, 0)
			at += sort.Search(len(want)-at, func(i int) bool { return want[at+i].Doc >= target })
			got = p.Seek(target)
		}
		if at >= len(want) {
			c.ended(f, p)
			return
		}
		if got != want[at].Doc {
			c.Fatalf("%s: moved to %d, want %d", f.path, got, want[at].Doc)
		}
		c.posting(f, p, &want[at], c.IntN(2) == 0)
	}
}

// chunk compares the rest of the current block below a document and returns its length.
func (c *comparer) chunk(f *twinField, p *Postings, want []Posting, at int, end DocID) int {
	docs := p.Chunk(end)
	var tfs []uint32
	if len(docs) > 0 {
		tfs = p.Frequencies()[:len(docs)]
	}
	var rest []Posting
	if at >= 0 {
		rest = want[at:min((at/postBlock+1)*postBlock, len(want))]
	}
	n := sort.Search(len(rest), func(i int) bool { return rest[i].Doc >= end })
	if len(docs) != n || len(tfs) != n {
		c.Fatalf("%s: chunk of %d documents and %d frequencies, want %d", f.path, len(docs), len(tfs), n)
	}
	for i, w := range rest[:n] {
		if docs[i] != w.Doc || int(tfs[i]) != len(w.Positions) {
			c.Fatalf("%s: chunk has %d, %d times; want %d, %d times", f.path, docs[i], tfs[i], w.Doc, len(w.Positions))
		}
	}
	return n
}

// blockMax compares the block of a target with the list's documents in it.
func (c *comparer) blockMax(f *twinField, p *Postings, want []Posting, from int, target DocID) {
	i := from + sort.Search(len(want)-from, func(i int) bool { return want[from+i].Doc >= target })
	block := i / postBlock
	end := min((block+1)*postBlock, len(want))
	last, bound := p.BlockMax(target)
	if exact := end == (block+1)*postBlock; exact && last != want[end-1].Doc || !exact && last != NoMore {
		c.Fatalf("%s: block of %d ends at %d", f.path, target, last)
	}
	least := byte(255)
	for _, w := range want[min(block*postBlock, end):end] {
		tf := float64(len(w.Positions))
		scores := 255 * tf / (tf + float64(f.factor[f.norms[w.Doc]]))
		if scores > float64(bound) {
			c.Fatalf("%s: document %d scores %f, the bound is %d", f.path, w.Doc, scores, bound)
		}
		least = min(least, byte(float64(bound)-scores))
	}
	if least > 2 && block*postBlock < end && len(want) > 1 {
		c.Fatalf("%s: bound %d is %d above what its block scores", f.path, bound, least)
	}
}

func TestInlinePositions(t *testing.T) {
	terms := pocket().open(t).Field("w").Terms()
	for term, single := range map[string]bool{"only 00": true, "eight": true, "nine": false, "some": false} {
		if info, ok := terms.Lookup([]byte(term)); !ok || info.single != single {
			t.Errorf("%q in the dictionary: %t, want %t", term, info.single, single)
		}
	}
}
