// This file matches sloppy phrases with Lucene's scores.

package scorer

import "slices"

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

// sloppy adds up 1/(1+width) over windows. A slot's offset is its position minus its position in
// the phrase; the width is the spread of offsets. The slot with the least offset moves on.
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
	for !p.spent() {
		p.work += len(p.queue) / 4
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
	return freq
}

func windowScore(width, slop int) float32 {
	if width > slop {
		return 0
	}
	return 1 / float32(1+width)
}

// begin moves slots to their first positions; the second slot of one term to the second, and so on.
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

// settle resolves a conflict of s with another slot: the lesser moves on until no two conflict.
func (p *phraseScorer) settle(s *slotCursor, end int) (int, bool) {
	for !p.spent() {
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
	return end, false
}

func (p *phraseScorer) collision(s *slotCursor) *slotCursor {
	if !p.repeats {
		return nil
	}
	p.work += len(p.slots) / 8
	for _, o := range p.slots {
		if o != s && o.pos[o.k] == s.pos[s.k] {
			return o
		}
	}
	return nil
}
