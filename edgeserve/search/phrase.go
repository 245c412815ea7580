// This file matches phrases: the words of a text in order, or near each other.

package search

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/snapshot"
)

// slot is a place of a phrase: the term key, or, with prefix, any of several terms that
// begin with it.
type slot struct {
	terms  []snapshot.TermInfo
	key    string
	prefix bool
}

// shares tells that some term may stand for both slots.
func (s *slot) shares(o *slot) bool {
	return s.key == o.key || s.prefix && strings.HasPrefix(o.key, s.key)
}

// slotCursor walks the documents that have a slot's term.
type slotCursor struct {
	ps  []*snapshot.Postings
	cur docID
	on  bool
	pos []uint32
	off uint32 // place in the phrase
	df  int
	k   int // sloppy: index in pos
	at  int // sloppy: position less place
}

func (c *slotCursor) seek(d docID) docID {
	if c.on && c.cur >= d {
		return c.cur
	}
	c.on = true
	if len(c.ps) == 1 {
		c.cur = c.ps[0].Seek(d)
		return c.cur
	}
	c.cur = noMore
	for _, p := range c.ps {
		c.cur = min(c.cur, p.Seek(d))
	}
	return c.cur
}

// positions loads the positions in the current document, ascending.
func (c *slotCursor) positions() {
	c.pos = c.pos[:0]
	if len(c.ps) == 1 {
		c.pos = c.ps[0].Positions(c.pos)
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

// phraseScorer matches a phrase on one field.
type phraseScorer struct {
	slots   []*slotCursor // in the order of the phrase
	byCost  []*slotCursor
	slop    int
	weight  float32
	inv     *[256]float32
	norms   *snapshot.DocMap
	cur     docID
	on      bool
	freq    float32
	rough   bool // freq only tells that there is a place
	repeats bool // sloppy: two slots may come to stand on one token
	pair    bool // the two rarest slots have one term each
	any     bool // one place is enough: nobody asks for the score
	queue   []*slotCursor
	tick    func(int) error
	terms   int // of all slots
	work    int // since it was last told
}

func (b *builder) phraseOf(f *snapshot.Field, slots []slot, slop int, weight float32) scorer {
	p := &phraseScorer{slop: slop, weight: weight, inv: &similarityOf(f).inv, norms: f.Norms(), tick: b.tick}
	for i, s := range slots {
		c := &slotCursor{off: uint32(i)}
		for _, info := range s.terms {
			ps := b.postings()
			ps.Reset(f.Terms(), info)
			c.ps = append(c.ps, ps)
			c.df += info.DF
		}
		p.terms += len(c.ps)
		p.slots = append(p.slots, c)
	}
	p.byCost = slices.Clone(p.slots)
	slices.SortStableFunc(p.byCost, func(a, b *slotCursor) int { return cmp.Compare(a.df, b.df) })
	if p.pair = len(p.byCost[0].ps) == 1 && len(p.byCost[1].ps) == 1; p.pair {
		p.tick((p.byCost[0].df + min(p.byCost[1].df, 16*p.byCost[0].df)) / 8)
	}
	if slop > 0 {
		p.repeats = repeats(slots)
	}
	return p
}

// repeats tells that some two slots share a term.
func repeats(slots []slot) bool {
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

// together is the first document at or above d that has all terms.
func (p *phraseScorer) together(d docID) docID {
	first := 0
	if p.pair {
		first = 2
		d = p.meet(d)
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
			d, i = p.meet(e), first
		default:
			d, i = e, first
		}
	}
	if p.spent() {
		return noMore
	}
	return d
}

// meet is together for the two rarest terms.
func (p *phraseScorer) meet(d docID) docID {
	p.work += 2
	a, b := p.byCost[0], p.byCost[1]
	a.cur = snapshot.Meet(a.ps[0], b.ps[0], d)
	b.cur = a.cur
	return a.cur
}

// spent tells the request of the work done, now and then, and whether it may go on.
func (p *phraseScorer) spent() bool {
	if p.work < tickEvery/8 {
		return false
	}
	n := p.work
	p.work = 0
	return p.tick(n) != nil
}

func (p *phraseScorer) frequency() float32 {
	n := 0
	for _, s := range p.slots {
		s.positions()
		n += len(s.pos)
	}
	p.work += n / 4
	if p.slop == 0 {
		return p.exact()
	}
	return p.sloppy()
}

// exact counts the places where every term stands in its place.
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
	for _, at := range lead.pos {
		if at < lead.off {
			continue
		}
		start := at - lead.off
		for _, s := range p.slots {
			want := start + s.off
			for s.k < len(s.pos) && s.pos[s.k] < want {
				s.k++
			}
			if s.k == len(s.pos) {
				return float32(n)
			}
			if s.pos[s.k] != want {
				continue next
			}
		}
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

// score counts all places of a document that was met while nobody asked for scores.
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

// bound is that of the slot that can score least: a phrase stands nowhere more often
// than any of its terms.
func (p *phraseScorer) bound(base, end docID) float32 {
	least := byte(255)
	for _, s := range p.slots {
		if p.slop == 0 && len(s.ps) == 1 {
			least = min(least, greatestImpact(s.ps[0], base, end))
		}
	}
	return impactBound(p.weight, least)
}

// forward moves a slot to its next position; false at the end.
func (c *slotCursor) forward() bool {
	if c.k++; c.k >= len(c.pos) {
		return false
	}
	c.at = int(c.pos[c.k]) - int(c.off)
	return true
}

func (c *slotCursor) before(o *slotCursor) bool {
	return c.at < o.at || c.at == o.at && c.off < o.off
}

// sloppy adds up 1/(1+width) over the windows met when the slot that lies furthest
// left is always the one to move: each slot stands at its position less its place,
// and a window is as wide as they lie apart.
func (p *phraseScorer) sloppy() float32 {
	if !p.begin() {
		return 0
	}
	end := p.slots[0].at
	for _, s := range p.slots {
		end = max(end, s.at)
	}
	p.queue = append(p.queue[:0], p.slots...)
	freq := float32(0)
	for {
		s := p.pop()
		width, next := end-s.at, p.least().at
		for {
			if !s.forward() {
				return freq + windowScore(width, p.slop)
			}
			end = max(end, s.at)
			ok := false
			if end, ok = p.settle(s, end); !ok {
				return freq + windowScore(width, p.slop)
			}
			if s.at > next {
				break
			}
			width = min(width, end-s.at)
		}
		freq += windowScore(width, p.slop)
		p.queue = append(p.queue, s)
	}
}

func windowScore(width, slop int) float32 {
	if width > slop {
		return 0
	}
	return 1 / float32(1+width)
}

// begin stands every slot on its first position; of slots with the same term the
// second then moves on to the second position, and so on.
func (p *phraseScorer) begin() bool {
	for _, s := range p.slots {
		s.k = -1
		s.forward()
	}
	for _, s := range p.slots {
		if _, ok := p.settle(s, 0); !ok {
			return false
		}
	}
	return true
}

func (p *phraseScorer) least() *slotCursor {
	m := p.queue[0]
	for _, s := range p.queue[1:] {
		if s.before(m) {
			m = s
		}
	}
	return m
}

func (p *phraseScorer) pop() *slotCursor {
	m := p.least()
	p.queue = slices.DeleteFunc(p.queue, func(s *slotCursor) bool { return s == m })
	return m
}

// settle resolves that s stands on the token of another slot: the lesser of the two
// moves on, until no two share a token.
func (p *phraseScorer) settle(s *slotCursor, end int) (int, bool) {
	for {
		o := p.collision(s)
		if o == nil {
			return end, true
		}
		if o.before(s) {
			s = o
		}
		if !s.forward() {
			return end, false
		}
		end = max(end, s.at)
	}
}

func (p *phraseScorer) collision(s *slotCursor) *slotCursor {
	if !p.repeats {
		return nil
	}
	for _, o := range p.slots {
		if o != s && o.pos[o.k] == s.pos[s.k] {
			return o
		}
	}
	return nil
}
