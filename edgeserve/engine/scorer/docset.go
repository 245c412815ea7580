// This file collects documents in any order.

package scorer

import (
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

// listShare limits lists to this share of all documents: sorting is then cheaper than a bit set.
const listShare = 1024

// DocSet collects documents in any order: a list while it is short, then a bit set.
type DocSet struct {
	r    *Request
	list []docID
	bits *Bitset
}

// DocSet returns an empty set of the request.
func (r *Request) DocSet() DocSet { return DocSet{r: r} }

// Add adds a document.
func (s *DocSet) Add(d docID) {
	if s.bits != nil {
		s.bits.Add(d)
		return
	}
	s.list = append(s.list, d)
	if len(s.list) > s.r.Items/listShare+16 {
		s.spread()
	}
}

// AddColumn adds the documents with a value in a column.
func (s *DocSet) AddColumn(c *snapshot.Column) {
	if s.r.Work.Charge(c.DocCount/2) == nil {
		c.EachDoc(func(d docID, _ int) bool { s.Add(d); return true })
	}
}

func (s *DocSet) addPairs(c *snapshot.Column, lo, hi int) {
	p, end := c.Start(lo), c.Start(hi)
	if s.r.Work.Charge((end-p)/2) != nil {
		return
	}
	if !s.lists(end - p) {
		for ; p < end; p++ {
			s.bits.Add(c.Doc(p))
		}
		return
	}
	for ; p < end; p++ {
		s.list = append(s.list, c.Doc(p))
	}
}

// lists reports whether the set stays a list with n documents more. If not, it becomes a bit set.
func (s *DocSet) lists(more int) bool {
	if s.bits == nil && len(s.list)+more > s.r.Items/listShare+16 {
		s.spread()
	}
	return s.bits == nil
}

func (s *DocSet) addAll(docs []docID) {
	if s.lists(len(docs)) {
		s.list = append(s.list, docs...)
		return
	}
	for _, d := range docs {
		s.bits.Add(d)
	}
}

func (s *DocSet) spread() {
	s.bits = s.r.bitset()
	for _, d := range s.list {
		s.bits.Add(d)
	}
	s.list = nil
}

// Scorer walks the set with a constant score. It is nil if the set is empty.
func (s *DocSet) Scorer(score float64) Scorer {
	if s.bits != nil {
		return &bitScorer{set: s.bits, sameScore: sameScore(score)}
	}
	if len(s.list) == 0 {
		return nil
	}
	slices.Sort(s.list)
	return &listScorer{docs: slices.Compact(s.list), sameScore: sameScore(score)}
}
