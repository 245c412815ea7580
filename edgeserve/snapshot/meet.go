// This file finds the documents that two lists share. Lists of about one length are
// walked side by side, block by block.

package snapshot

// farApart is how much longer a list must be for seeking in it to cost less than
// passing its documents one by one.
const farApart = 16

// Meet moves two cursors to the first document at or above target that both hold.
// It is quickest if p is the shorter list.
func Meet(p, q *Postings, target DocID) DocID {
	apart := p.df*farApart < q.df
	if !apart && p.doc == q.doc && p.doc < target && p.step(target) && q.step(target) {
		if target = meet(p, q); target == p.doc && target == q.doc {
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
			if target = meet(p, q); target == p.doc && target == q.doc {
				return target
			}
		}
	}
}

// step moves to the next document of the loaded block, if that is at least target.
func (p *Postings) step(target DocID) bool {
	i := p.i + 1
	if p.i < 0 || i >= p.n || p.docs[i] < target {
		return false
	}
	p.i, p.doc = i, p.docs[i]
	return true
}

// meet is Meet within the loaded blocks: where they do not meet, it returns a document
// that none they share lies below.
func meet(p, q *Postings) DocID {
	a, b := p.docs[:p.n], q.docs[:q.n]
	i, j := p.i, q.i
	for i < len(a) && j < len(b) {
		x, y := int64(a[i]), int64(b[j])
		if x == y {
			p.i, p.doc, q.i, q.doc = i, a[i], j, b[j]
			return p.doc
		}
		i += int(uint64(x-y) >> 63) // without a branch, which would be guessed wrong
		j += int(uint64(y-x) >> 63)
	}
	last := min(a[len(a)-1], b[len(b)-1])
	p.i, q.i = min(i, len(a)-1), min(j, len(b)-1)
	p.doc, q.doc = a[p.i], b[q.i]
	return last + 1
}
