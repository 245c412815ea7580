// This file matches documents by a number of terms that each of them says.

package scorer

// Covering matches the documents that at least as many of subs match as need says.
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
