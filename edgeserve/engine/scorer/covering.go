// This file matches documents that have enough of a list of terms; each document states how many it needs.

package scorer

// Covering matches a document d if at least need(d) of subs match it.
func (r *Request) Covering(subs []Scorer, need func(d docID) int) Scorer {
	xs, ok := explanations(subs)
	if subs = some(subs); len(subs) == 0 {
		return nil
	}
	s := &covering{&disjunction{subs: subs, docs: make([]docID, len(subs)), need: 1}, need}
	if ok {
		return explainCovering(s, xs)
	}
	return s
}

type covering struct {
	*disjunction
	least func(d docID) int
}

func (c *covering) next() docID { return nextBySeek(c, c.on, c.cur) }

func (c *covering) seek(d docID) docID {
	for d = c.disjunction.seek(d); d != noMore && c.matching() < c.least(d); {
		d = c.disjunction.seek(d + 1)
	}
	return d
}

func (c *covering) fill(w *window, base, end docID, scoring bool) docID {
	return fillByNext(c, w, base, end, scoring)
}
