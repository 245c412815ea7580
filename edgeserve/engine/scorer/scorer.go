// This file defines Scorer and the code that Scorers share.

package scorer

import (
	"math/bits"

	"contentedge/edgeserve/engine/snapshot"
)

type docID = snapshot.DocID

const noMore = snapshot.NoMore

// Scorer walks its matches in ascending order; nil has none. next and seek set doc and score.
type Scorer interface {
	doc() docID                    // the current document; noMore at the end
	next() docID                   // the first call moves to the first document
	seek(target docID) docID       // to the first match at or above target; never back
	score() float32                // of the current document
	cost() int                     // approximate number of matches
	bound(base, end docID) float32 // no score in [base, end) is greater

	// fill adds the remaining matches in [base, end) to an empty window, with scores if scoring. It
	// returns a lower bound of the rest, at least end. Then callers may use only seek and fill.
	fill(w *window, base, end docID, scoring bool) docID
}

// floored is embedded by Scorers that skip low scores: fill need not compute a
// score that is not above floor, but must not report it above floor.
type floored struct{ floor float32 }

func (f *floored) raise(floor float32) { f.floor = floor }

// prober is a Scorer that can test any document, in any order.
type prober interface {
	Scorer
	probe(d docID) bool
}

// Constant gives all matches of a Scorer the same score.
func Constant(s Scorer, score float64) Scorer {
	if s == nil {
		return nil
	}
	c := &constant{s, float32(score)}
	if x, ok := s.(*Explained); ok {
		return (&Explained{Scorer: c, text: asConstant(s), boost: 1, r: x.r}).paid()
	}
	return c
}

type constant struct {
	Scorer
	s float32
}

func (c *constant) fill(w *window, base, end docID, scoring bool) docID {
	d := c.Scorer.fill(w, base, end, false)
	w.setScores(c.s, scoring)
	return d
}
func (c *constant) score() float32           { return c.s }
func (c *constant) bound(_, _ docID) float32 { return c.s }

// nextBySeek implements next. cur is the current document, if on is set.
func nextBySeek(s Scorer, on bool, cur docID) docID {
	switch {
	case !on:
		return s.seek(0)
	case cur == noMore:
		return noMore
	}
	return s.seek(cur + 1)
}

// at moves a Scorer to d, or past d if it does not match d.
func at(s Scorer, d docID) bool { return s.seek(d) == d }

func fillByNext(s Scorer, w *window, base, end docID, scoring bool) docID {
	if w.only != nil {
		return fillOnly(s, w, base, end, scoring)
	}
	d := s.seek(base)
	for ; d < end; d = s.next() {
		var sc float32
		if scoring {
			sc = s.score()
		}
		w.put(d-base, sc, false)
	}
	return d
}

// fillOnly is fillByNext for the matches that are needed.
func fillOnly(s Scorer, w *window, base, end docID, scoring bool) docID {
	d := base
	for k, word := range w.only {
		for ; word != 0; word &= word - 1 {
			want := base + docID(k<<6+bits.TrailingZeros64(word))
			if want < d {
				continue
			}
			if d = s.seek(want); d != want {
				continue
			}
			var sc float32
			if scoring {
				sc = s.score()
			}
			w.put(d-base, sc, false)
		}
	}
	return max(d, end)
}
