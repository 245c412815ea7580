// This file cuts the text around matches into passages and keeps the best ones, as Lucene's
// unified highlighter does.

package highlight

import (
	"cmp"
	"slices"

	"contentedge/edgeserve/engine/portable"
)

// passage is a piece of a part with its matches.
type passage struct {
	part       int
	start, end int // bytes of the part
	first      int // unit of the start in the joined text
	units      int // length
	matches    []match
	score      float32
}

// breaker finds the boundaries of passages of a part, in units.
type breaker interface {
	// around returns the passage that contains the unit at offset. Callers pass increasing offsets.
	around(offset int) (start, end int)
	reset(p *part)
	steps() int
}

// passages returns the best passages around matches in the order of the text. They are valid until
// the next call.
func (u *unified) passages(list []match) []passage {
	best, j := &u.best, &u.joined
	best.Items = best.Items[:0]
	var current passage
	add := func() {
		if current.matches == nil {
			return
		}
		current.rate(j.units)
		if len(best.Items) == u.limit && current.score < best.Items[0].score {
			return
		}
		best.Push(current)
		if len(best.Items) > u.limit {
			best.Pop()
		}
	}
	for i, m := range list {
		p := &j.parts[m.part]
		looked := u.breaker.steps()
		if p.start == j.units || !u.account.goOn(2+looked-u.looked) {
			break // an empty value at the end
		}
		u.looked = looked
		other := current.matches == nil || current.part != int(m.part)
		if other || int(m.start) >= current.end && p.text != "" {
			add()
			if other {
				u.breaker.reset(p)
			}
			start, end := u.breaker.around(p.unit(int(m.start)))
			current = passage{part: int(m.part), start: p.byteDown(start), end: p.byteUp(end), first: p.start + start, units: end - start, matches: list[i:i]}
		}
		current.matches = current.matches[:len(current.matches)+1]
	}
	add()
	slices.SortFunc(best.Items, func(a, b passage) int { return cmp.Compare(a.first, b.first) })
	return best.Items
}

// worse reports whether p is left out before q. Of passages with equal scores, the earlier is left out.
func (p passage) worse(q passage) bool {
	return p.score < q.score || p.score == q.score && p.first < q.first
}

// Lucene's constants for the score of a passage: BM25's parameters, and the usual length of a passage.
const k1, lengthShare, pivot = float32(1.2), float32(0.75), float32(87)

// rate computes the score of a passage. units is the length of the whole text.
func (p *passage) rate(units int) {
	type found struct {
		n, inField int
	}
	var terms []found
	at := map[string]int{}
	for _, m := range p.matches {
		i, ok := at[m.term]
		if !ok {
			i = len(terms)
			at[m.term] = i
			terms = append(terms, found{inField: m.frequency})
		}
		terms[i].n++
	}
	norm := float32(k1 * ((1 - lengthShare) + float32(lengthShare*(float32(p.units)/pivot))))
	for _, f := range terms {
		tf := float32(f.n) / (float32(f.n) + norm)
		p.score += float32(tf * weight(units, f.inField))
	}
	p.score *= 1 + 1/float32(portable.Log(float64(pivot+float32(p.first))))
}

func weight(units, frequency int) float32 {
	passages := 1 + float32(units)/pivot
	return (k1 + 1) * float32(portable.Log(1+(float64(passages)+0.5)/(float64(frequency)+0.5)))
}

// whole makes each part a passage.
type whole struct{ units int }

func (w *whole) reset(p *part)         { w.units = p.units }
func (w *whole) around(int) (int, int) { return 0, w.units }
func (w *whole) steps() int            { return 0 }

// iterator finds boundaries in bytes: sentences or words.
type iterator interface {
	reset(text string)
	preceding(offset int) int
	following(offset int) int
	looked() int
}

// single makes each sentence, or each word, a passage.
type single struct {
	part *part
	of   iterator
}

func (s *single) reset(p *part) {
	s.part = p
	s.of.reset(p.text)
}

func (s *single) around(offset int) (start, end int) {
	start = s.of.preceding(s.part.byteUp(offset + 1))
	end = s.of.following(s.part.byteDown(offset))
	return s.part.unit(start), s.part.unit(end)
}

func (s *single) steps() int { return s.of.looked() }

// bounded makes passages of as many sentences as fit into a size. It cuts a longer sentence between
// words. It follows Elasticsearch's breaker.
type bounded struct {
	part      *part
	size      int
	sentences sentences
	words     words

	windowStart, windowEnd int // sentences
	start, end             int // passage
}

func (b *bounded) reset(p *part) {
	b.part = p
	b.sentences.reset(p.text)
	b.words.reset(p.text)
	b.windowStart, b.windowEnd, b.start, b.end = none, none, none, 0
}

func (b *bounded) steps() int { return b.sentences.looked() + b.words.looked() }

func (b *bounded) around(at int) (start, end int) {
	offset, p := at+1, b.part
	if offset > b.windowStart && offset < b.windowEnd {
		b.start, b.end = b.end, b.windowEnd
	} else {
		b.start = p.unit(b.sentences.preceding(p.byteUp(offset)))
		b.end = p.unit(b.sentences.following(p.byteDown(at)))
		b.windowStart, b.windowEnd = b.start, b.end
		for b.end-b.start < b.size {
			next := b.sentences.following(p.byteUp(b.end))
			if next == none || p.unit(next)-b.start > b.size {
				break
			}
			b.end = p.unit(next)
			b.windowEnd = b.end
		}
	}
	if b.end-b.start > b.size {
		if offset-b.size > b.start {
			b.start = max(b.start, p.unit(b.words.preceding(p.byteUp(offset-b.size))))
		}
		if rest := max(0, b.size-(offset-b.start)); offset+rest < b.windowEnd {
			b.end = min(b.windowEnd, p.unit(b.words.followingUnit(p, offset+rest)))
		}
	}
	return b.start, b.end
}
