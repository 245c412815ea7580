// This file walks the documents of a range of ordinals.

package scorer

import (
	"cmp"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

// Ordinals matches the documents with an ordinal in [lo, hi).
func (r *Request) Ordinals(c *snapshot.Column, lo, hi int, score float64) Scorer {
	if lo >= hi {
		return nil
	}
	from, to := c.Start(lo), c.Start(hi)
	switch {
	case c.Single && to-from == r.Items:
		return r.All(score)
	case c.Single:
		return &ordinalScorer{c: c, lo: lo, hi: hi, from: from, to: to, r: r, sameScore: sameScore(score)}
	}
	set := r.DocSet()
	set.addPairs(c, lo, hi)
	return set.Scorer(score)
}

// OrdinalRange is the ordinals from From up to To, without To.
type OrdinalRange struct{ From, To int }

// AnyOrdinals matches the documents with an ordinal in any of ranges, which it sorts. Documents are
// collected at once: an iterator for each range would cost more for each window than for its matches.
func (r *Request) AnyOrdinals(c *snapshot.Column, ranges []OrdinalRange, score float64) Scorer {
	slices.SortFunc(ranges, func(a, b OrdinalRange) int { return cmp.Compare(a.From, b.From) })
	apart := ranges[:0]
	for _, x := range ranges {
		n := len(apart) - 1
		switch {
		case x.From >= x.To:
		case n >= 0 && x.From <= apart[n].To:
			apart[n].To = max(apart[n].To, x.To)
		default:
			apart = append(apart, x)
		}
	}
	switch len(apart) {
	case 0:
		return nil
	case 1:
		return r.Ordinals(c, apart[0].From, apart[0].To, score)
	}
	set := r.DocSet()
	for _, x := range apart {
		set.addPairs(c, x.From, x.To)
	}
	return set.Scorer(score)
}

// ordinalScorer matches a range of ordinals of a single-valued column. As a filter it tests a
// document's ordinal; only a walk collects the documents.
type ordinalScorer struct {
	sameScore
	c        *snapshot.Column
	lo, hi   int
	from, to int // range of pairs
	r        *Request
	walk     Scorer
}

// walker returns a Scorer that collects the documents, or tests every document if they are many.
func (o *ordinalScorer) walker() Scorer {
	if o.walk != nil {
		return o.walk
	}
	set := o.r.DocSet()
	switch n := o.to - o.from; {
	case n <= o.r.Items/listShare:
		for i := o.from; i < o.to; i++ {
			set.Add(o.c.Doc(i))
		}
	case n < o.r.Items/2:
		set.bits = o.r.bitset()
		for i := o.from; i < o.to; i++ {
			set.bits.mark(o.c.Doc(i))
		}
		set.bits.Count = n // a single-valued column has a document once
	default:
		set.bits = o.r.bitset()
		o.c.EachDoc(func(d docID, ord int) bool {
			if ord >= o.lo && ord < o.hi {
				set.bits.mark(d)
			}
			return true
		})
		set.bits.Count = n
	}
	o.walk = set.Scorer(float64(o.sameScore))
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
func (o *ordinalScorer) cost() int { return o.to - o.from }
