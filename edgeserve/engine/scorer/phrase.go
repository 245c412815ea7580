// This file matches phrases: terms in order, or near each other.

package scorer

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// Slot is a position of a phrase: the term Key, or with Prefix any of several that begin with Key.
type Slot struct {
	Terms  []snapshot.TermInfo
	Key    string
	Prefix bool
}

func (s *Slot) shares(o *Slot) bool {
	return s.Key == o.Key || s.Prefix && strings.HasPrefix(o.Key, s.Key)
}

type slotCursor struct {
	ps   []*snapshot.Postings
	cur  docID
	on   bool
	pos  []uint32
	off  uint32      // position in the phrase
	same *slotCursor // an earlier slot with the same term, which reads the positions; may be nil
	df   int
	k    int // sloppy: index in pos
	at   int // sloppy: position minus off
}

func (c *slotCursor) seek(d docID) docID {
	if c.on && c.cur >= d {
		return c.cur
	}
	if len(c.ps) == 1 {
		c.on, c.cur = true, c.ps[0].Seek(d)
		return c.cur
	}
	c.cur = noMore
	for _, p := range c.ps {
		at := p.Doc()
		if at < d || !c.on {
			at = p.Seek(d)
		}
		c.cur = min(c.cur, at)
	}
	c.on = true
	return c.cur
}

func (c *slotCursor) positions() {
	if c.same != nil {
		c.pos = c.same.pos
		return
	}
	c.pos = c.pos[:0]
	if len(c.ps) == 1 {
		c.pos = c.ps[0].Positions(slices.Grow(c.pos, max(c.ps[0].TF(), fewPositions)))
		return
	}
	for _, p := range c.ps {
		if p.Doc() == c.cur {
			c.pos = p.Positions(c.pos)
		}
	}
	slices.Sort(c.pos)
	c.pos = slices.Compact(c.pos)
}

type phraseScorer struct {
	r       *Request
	slots   []*slotCursor // in phrase order
	byCost  []*slotCursor
	slop    int
	weight  float32
	inv     *[256]float32
	norms   *snapshot.DocMap
	cur     docID
	on      bool
	freq    float32
	rough   bool // freq counts only one occurrence
	repeats bool // sloppy: two slots may match the same token
	pair    bool // each of the two rarest slots has one term
	any     bool // one occurrence is enough: no score is needed
	queue   []*slotCursor
	terms   int // number of terms in all slots
	work    int // steps that are not yet charged
	held    int // bytes of positions
}

// Phrase matches the documents with the slots in order or, with a slop, near each other.
func (r *Request) Phrase(f *snapshot.Field, slots []Slot, slop int, boost float64) Scorer {
	p := &phraseScorer{r: r, slop: slop, inv: &similarityOf(f).inv, norms: f.Norms()}
	sum := 0.0
	for i, s := range slots {
		c := &slotCursor{off: uint32(i)}
		for _, info := range s.Terms {
			ps := r.postings()
			ps.Reset(f.Terms(), info)
			c.ps = append(c.ps, ps)
			c.df += info.DF
			sum += float64(idf(f.Docs, info.DF))
		}
		p.terms += len(c.ps)
		p.slots = append(p.slots, c)
	}
	p.share(slots)
	p.weight = float32(boost) * (analysis.K1 + 1) * float32(sum)
	p.byCost = slices.Clone(p.slots)
	slices.SortStableFunc(p.byCost, func(a, b *slotCursor) int { return cmp.Compare(a.df, b.df) })
	if p.pair = len(p.byCost[0].ps) == 1 && len(p.byCost[1].ps) == 1; p.pair {
		r.Work.Charge((p.byCost[0].df + min(p.byCost[1].df, 16*p.byCost[0].df)) / 8)
	}
	if slop > 0 {
		p.repeats = repeats(slots)
	}
	if r.Explain {
		return r.explainPhrase(p, f, slots, boost)
	}
	return p
}

// share lets slots with the same term read its positions once.
func (p *phraseScorer) share(slots []Slot) {
	if !repeats(slots) {
		return
	}
	first := map[string]*slotCursor{}
	for i := range slots {
		if slots[i].Prefix {
			continue
		}
		if s := first[slots[i].Key]; s != nil {
			p.slots[i].same = s
		} else {
			first[slots[i].Key] = p.slots[i]
		}
	}
}

func repeats(slots []Slot) bool {
	for i := range slots {
		for j := range i {
			if slots[i].shares(&slots[j]) {
				return true
			}
		}
	}
	return false
}

func (p *phraseScorer) doc() docID { return p.cur }

func (p *phraseScorer) next() docID { return nextBySeek(p, p.on, p.cur) }

func (p *phraseScorer) seek(d docID) docID {
	if p.on && p.cur >= d {
		return p.cur
	}
	p.on = true
	for {
		d = p.together(d)
		p.cur = d
		if d == noMore {
			return d
		}
		p.work += 8 * p.terms
		if p.freq, p.rough = p.frequency(), p.any; p.freq > 0 {
			return d
		}
		d++
	}
}

// together returns the first document at or above d with all terms.
func (p *phraseScorer) together(d docID) docID {
	first := 0
	if p.pair {
		first = 2
		d = p.intersect(d)
	}
	for i := first; i < len(p.byCost) && d != noMore; {
		e := p.byCost[i].seek(d)
		p.work += len(p.byCost[i].ps)
		switch {
		case e == d:
			i++
		case p.spent():
			d = noMore
		case p.pair:
			d, i = p.intersect(e), first
		default:
			d, i = e, first
		}
	}
	if p.spent() {
		return noMore
	}
	return d
}

func (p *phraseScorer) intersect(d docID) docID {
	p.work += 2
	a, b := p.byCost[0], p.byCost[1]
	a.cur = snapshot.Intersect(a.ps[0], b.ps[0], d)
	b.cur = a.cur
	return a.cur
}

// spent charges the work from time to time and reports whether the limit is reached.
func (p *phraseScorer) spent() bool { return p.work >= LookEvery/8 && p.chargeWork() != nil }

func (p *phraseScorer) chargeWork() error {
	n := p.work
	p.work = 0
	return p.r.Work.Charge(n)
}

// fewPositions is the number of positions that a list has room for at first.
const fewPositions = 8

// positionBytes is the memory of a position, in lists that double.
const positionBytes = 8

func (p *phraseScorer) frequency() float32 {
	n, held := 0, 0
	for _, s := range p.slots {
		s.positions()
		if n += len(s.pos); s.same == nil {
			held += positionBytes * len(s.pos)
		}
	}
	if p.work += n/8 + held/positionBytes/4; held > p.held {
		p.r.Work.Hold(held - p.held)
		p.held = held
	}
	if p.slop == 0 {
		return p.exact()
	}
	return p.sloppy()
}

// chargedPositions is the number of positions after which steps are charged.
const chargedPositions = 256

func (p *phraseScorer) exact() float32 {
	if len(p.slots) == 2 {
		return p.adjacent()
	}
	lead := p.byCost[0]
	n := 0
	for _, s := range p.slots {
		s.k = 0
		if len(s.pos) < len(lead.pos) {
			lead = s
		}
	}
next:
	for i, at := range lead.pos {
		if at < lead.off {
			continue
		}
		if i%chargedPositions == chargedPositions-1 && p.spent() {
			break
		}
		start := at - lead.off
		for k, s := range p.slots {
			want := start + s.off
			for s.k < len(s.pos) && s.pos[s.k] < want {
				s.k++
			}
			if s.k == len(s.pos) {
				return float32(n)
			}
			if s.pos[s.k] != want {
				p.work += k / 4
				continue next
			}
		}
		p.work += len(p.slots) / 4
		if n++; p.any {
			break
		}
	}
	return float32(n)
}

// adjacent is exact for two terms.
func (p *phraseScorer) adjacent() float32 {
	a, b := p.slots[0].pos, p.slots[1].pos
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i]+1, b[j]; {
		case x < y:
			i++
		case x > y:
			j++
		case p.any:
			return 1
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return float32(n)
}

// score first counts all occurrences if the search has stopped at the first.
func (p *phraseScorer) score() float32 {
	if p.rough {
		p.freq, p.rough = p.frequency(), false
	}
	return bm25(p.weight, p.freq, p.inv[byte(p.norms.At(p.cur))])
}

func (p *phraseScorer) fill(w *window, base, end docID, scoring bool) docID {
	p.any = !scoring
	d := fillByNext(p, w, base, end, scoring)
	p.any = false
	return d
}
func (p *phraseScorer) cost() int { return p.byCost[0].df }

// bound is the least bound of the slots, because a phrase is never more frequent than its terms.
func (p *phraseScorer) bound(base, end docID) float32 {
	least := byte(255)
	for _, s := range p.slots {
		if p.slop == 0 && len(s.ps) == 1 {
			least = min(least, greatestImpact(s.ps[0], base, end))
		}
	}
	return impactBound(p.weight, least)
}
