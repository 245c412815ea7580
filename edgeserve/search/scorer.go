// This file holds the cursors that walk matching documents in order: single terms,
// sets, and their combinations. A cursor that matches nothing is nil.

package search

import (
	"slices"

	"contentedge/edgeserve/snapshot"
)

type docID = snapshot.DocID

const noMore = snapshot.NoMore

// scorer walks the documents that match, ascending. After next or seek, score is
// that of the current document.
type scorer interface {
	doc() docID                    // the current document; noMore at the end
	next() docID                   // the first call moves to the first document
	seek(target docID) docID       // to the first document at or above target; never back
	score() float32                // of the current document
	cost() int                     // about how many documents there are
	bound(base, end docID) float32 // no score in [base, end) is greater

	// fill puts the matches in [base, end) that have not been passed into an empty
	// window, with their scores if scoring is set. No match at or above end lies below
	// the document returned, which need not be one; only seek and fill may come next.
	fill(w *window, base, end docID, scoring bool) docID
}

// prober is a scorer that can tell of any document whether it matches, in any order.
type prober interface {
	scorer
	probe(d docID) bool
}

// termScorer is a term of a text field, scored by BM25.
type termScorer struct {
	p      *snapshot.Postings
	weight float32
	inv    *[256]float32
	norms  *snapshot.DocMap
	bytes  []byte
}

func (s *termScorer) doc() docID         { return s.p.Doc() }
func (s *termScorer) next() docID        { return s.p.Next() }
func (s *termScorer) seek(d docID) docID { return s.p.Seek(d) }
func (s *termScorer) cost() int          { return s.p.DF() }
func (s *termScorer) score() float32     { return s.scoreOf(s.p.Doc(), s.p.TF()) }

func (s *termScorer) scoreOf(d docID, tf int) float32 {
	var n byte
	if s.bytes != nil {
		n = s.bytes[d]
	} else {
		n = byte(s.norms.At(d))
	}
	return bm25(s.weight, float32(tf), s.inv[n])
}

// impactBound turns a stored impact into a bound on the score.
func impactBound(weight float32, impact byte) float32 {
	return weight * (float32(impact) / 255) * boundSlack
}

// bm25 is a term's score: weight * tf/(tf+factor), as Lucene computes it.
func bm25(weight, tf, inv float32) float32 { return weight - weight/(1+tf*inv) }

// allScorer is every document, or those of a range.
type allScorer struct {
	at, n docID // at is one past the current document
	s     float32
}

func (a *allScorer) doc() docID {
	switch {
	case a.at == 0:
		return 0
	case a.at > a.n:
		return noMore
	}
	return a.at - 1
}

func (a *allScorer) next() docID { return a.seek(a.at) }

func (a *allScorer) seek(d docID) docID {
	if a.at > 0 && a.doc() >= d {
		return a.doc()
	}
	if d >= a.n {
		a.at = a.n + 1
		return noMore
	}
	a.at = d + 1
	return d
}

func (a *allScorer) fill(w *window, base, end docID, scoring bool) docID {
	return fillByNext(a, w, base, end, scoring)
}
func (a *allScorer) score() float32           { return a.s }
func (a *allScorer) cost() int                { return int(a.n) }
func (a *allScorer) bound(_, _ docID) float32 { return a.s }
func (a *allScorer) probe(d docID) bool       { return d < a.n }

// listScorer is a short ascending list of documents of one score.
type listScorer struct {
	docs []docID
	i    int // one past the current
	s    float32
}

func (l *listScorer) doc() docID {
	if l.i == 0 {
		return 0
	}
	if l.i > len(l.docs) {
		return noMore
	}
	return l.docs[l.i-1]
}

func (l *listScorer) next() docID {
	if l.i <= len(l.docs) {
		l.i++
	}
	return l.doc()
}

func (l *listScorer) seek(d docID) docID {
	if l.i > 0 && l.doc() >= d {
		return l.doc()
	}
	k, _ := slices.BinarySearch(l.docs[l.i:], d)
	l.i += k + 1
	return l.doc()
}

func (l *listScorer) fill(w *window, base, end docID, scoring bool) docID {
	return fillByNext(l, w, base, end, scoring)
}
func (l *listScorer) score() float32           { return l.s }
func (l *listScorer) cost() int                { return len(l.docs) }
func (l *listScorer) bound(_, _ docID) float32 { return l.s }

// bitScorer is a large set of documents of one score.
type bitScorer struct {
	set *bitset
	cur docID
	on  bool
	s   float32
}

func (b *bitScorer) doc() docID { return b.cur }

func (b *bitScorer) next() docID {
	if !b.on {
		b.on = true
		b.cur = b.set.from(0)
	} else if b.cur != noMore {
		b.cur = b.set.from(b.cur + 1)
	}
	return b.cur
}

func (b *bitScorer) seek(d docID) docID {
	if !b.on || b.cur < d {
		b.on = true
		b.cur = b.set.from(d)
	}
	return b.cur
}

// fill copies the set's words, from the current document on.
func (b *bitScorer) fill(w *window, base, end docID, scoring bool) docID {
	d := b.seek(base)
	if d >= end {
		return d
	}
	from := int(d>>6 - base>>6)
	copy(w.bits[from:], b.set.words[d>>6:min(int(end>>6), len(b.set.words))])
	w.bits[from] = w.bits[from] >> (d & 63) << (d & 63)
	w.setScores(b.s, scoring)
	return b.seek(end)
}
func (b *bitScorer) score() float32           { return b.s }
func (b *bitScorer) cost() int                { return b.set.count }
func (b *bitScorer) bound(_, _ docID) float32 { return b.s }
func (b *bitScorer) probe(d docID) bool       { return b.set.has(d) }

// ordinalScorer is the documents of a single-valued column whose ordinal lies in a
// range. It gathers them only when it has to walk; as a filter it looks at a
// document's ordinal.
type ordinalScorer struct {
	c      *snapshot.Column
	lo, hi int
	from   int // pairs
	to     int
	b      *builder
	s      float32
	walk   scorer
}

// walker gathers the documents, or, where they are many, looks at every document.
func (o *ordinalScorer) walker() scorer {
	if o.walk != nil {
		return o.walk
	}
	set := o.b.docSet()
	switch n := o.to - o.from; {
	case n <= o.b.items/listShare:
		for i := o.from; i < o.to; i++ {
			set.add(o.c.Doc(i))
		}
	case n < o.b.items/2:
		set.bits = o.b.bitset()
		for i := o.from; i < o.to; i++ {
			set.bits.mark(o.c.Doc(i))
		}
		set.bits.count = n // a single-valued column names a document once
	default:
		set.bits = o.b.bitset()
		o.c.EachDoc(func(d docID, ord int) bool {
			if ord >= o.lo && ord < o.hi {
				set.bits.mark(d)
			}
			return true
		})
		set.bits.count = n
	}
	o.walk = set.scorer(o.s)
	return o.walk
}

func (o *ordinalScorer) doc() docID {
	if o.walk == nil {
		return 0
	}
	return o.walk.doc()
}
func (o *ordinalScorer) next() docID        { return o.walker().next() }
func (o *ordinalScorer) seek(d docID) docID { return o.walker().seek(d) }
func (o *ordinalScorer) fill(w *window, base, end docID, scoring bool) docID {
	return o.walker().fill(w, base, end, scoring)
}

func (o *ordinalScorer) probe(d docID) bool {
	ord := o.c.Least(d)
	return ord >= o.lo && ord < o.hi
}
func (o *ordinalScorer) score() float32           { return o.s }
func (o *ordinalScorer) cost() int                { return o.to - o.from }
func (o *ordinalScorer) bound(_, _ docID) float32 { return o.s }

// constant gives every document of a scorer one score.
type constant struct {
	scorer
	s float32
}

func (c *constant) fill(w *window, base, end docID, scoring bool) docID {
	d := c.scorer.fill(w, base, end, false)
	w.setScores(c.s, scoring)
	return d
}
func (c *constant) score() float32           { return c.s }
func (c *constant) bound(_, _ docID) float32 { return c.s }
