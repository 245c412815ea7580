// This file intersects postings lists. Lists of similar length advance together, block by block.

package snapshot

// seekRatio is the ratio of lengths from which seeking in the longer list is cheaper than stepping.
const seekRatio = 16

// Intersect moves both cursors to the first common document from target on. p should be shorter.
func Intersect(p, q *Postings, target DocID) DocID {
	apart := p.df*seekRatio < q.df
	if !apart && p.doc == q.doc && p.doc < target && p.step(target) && q.step(target) {
		if target = intersectBlocks(p, q); target == p.doc && target == q.doc {
			return target
		}
	}
	for {
		d := p.Seek(target)
		if d == NoMore {
			return NoMore
		}
		switch e := q.Seek(d); {
		case e == d || e == NoMore:
			return e
		case apart:
			target = e
		default:
			if target = intersectBlocks(p, q); target == p.doc && target == q.doc {
				return target
			}
		}
	}
}

func (p *Postings) step(target DocID) bool {
	i := p.i + 1
	if p.i < 0 || i >= p.n || p.docs[i] < target {
		return false
	}
	p.i, p.doc = i, p.docs[i]
	return true
}

// intersectBlocks intersects the loaded blocks. Without a common document it returns a
// document that no later common document is below.
func intersectBlocks(p, q *Postings) DocID {
	a, b := p.docs[:p.n], q.docs[:q.n]
	i, j := p.i, q.i
	for i < len(a) && j < len(b) {
		x, y := int64(a[i]), int64(b[j])
		if x == y {
			p.i, p.doc, q.i, q.doc = i, a[i], j, b[j]
			return p.doc
		}
		i += int(uint64(x-y) >> 63) // branch-free: the branch would be mispredicted often
		j += int(uint64(y-x) >> 63)
	}
	last := min(a[len(a)-1], b[len(b)-1])
	p.i, q.i = min(i, len(a)-1), min(j, len(b)-1)
	p.doc, q.doc = a[p.i], b[q.i]
	return last + 1
}
