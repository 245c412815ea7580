// This file walks sets of documents with a constant score.

package scorer

import (
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

type sameScore float32

func (s sameScore) score() float32           { return float32(s) }
func (s sameScore) bound(_, _ docID) float32 { return float32(s) }

// All matches every document. It is nil without documents.
func (r *Request) All(score float64) Scorer {
	if r.Items == 0 {
		return nil
	}
	s := &allScorer{n: docID(r.Items), sameScore: sameScore(score)}
	if r.Explain {
		return &Explained{Scorer: s, text: everything, boost: 1, all: true, r: r}
	}
	return s
}

// HasValue matches the documents with a value in a column.
func (r *Request) HasValue(c *snapshot.Column, score float64) Scorer {
	if c.DocCount == r.Items {
		return r.All(score)
	}
	set := r.DocSet()
	set.AddColumn(c)
	return set.Scorer(score)
}

type allScorer struct {
	sameScore
	at, n docID // at is the document after the current one
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
	d := a.seek(base)
	if d >= end {
		return d
	}
	w.setRange(d-base, min(end, a.n)-base)
	w.setScores(a.score(), scoring)
	return a.seek(end)
}
func (a *allScorer) cost() int          { return int(a.n) }
func (a *allScorer) probe(d docID) bool { return d < a.n }

type listScorer struct {
	sameScore
	docs []docID
	i    int // index after the current document
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
func (l *listScorer) cost() int { return len(l.docs) }

type bitScorer struct {
	sameScore
	set *Bitset
	cur docID
	on  bool
}

func (b *bitScorer) doc() docID  { return b.cur }
func (b *bitScorer) next() docID { return nextBySeek(b, b.on, b.cur) }

func (b *bitScorer) seek(d docID) docID {
	if !b.on || b.cur < d {
		b.on = true
		b.cur = b.set.From(d)
	}
	return b.cur
}

func (b *bitScorer) fill(w *window, base, end docID, scoring bool) docID {
	d := b.seek(base)
	if d >= end {
		return d
	}
	from := int(d>>6 - base>>6)
	copy(w.bits[from:], b.set.Words[d>>6:min(int(end>>6), len(b.set.Words))])
	w.bits[from] = w.bits[from] >> (d & 63) << (d & 63)
	w.setScores(b.score(), scoring)
	return b.seek(end)
}
func (b *bitScorer) cost() int          { return b.set.Count }
func (b *bitScorer) probe(d docID) bool { return b.set.Has(d) }

// IsAll reports whether a Scorer matches every document.
func IsAll(s Scorer) bool {
	if x, ok := s.(*Explained); ok {
		s = x.Scorer
	}
	_, all := s.(*allScorer)
	return all
}
