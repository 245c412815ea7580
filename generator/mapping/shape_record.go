// This file records the shapes of items, so that the shapes of any selection of items need no second reading.

package mapping

import "encoding/binary"

const traitBits = 3 // of a node's traits, in records

// append ends the item and appends its shape: how many nodes have values, then each with its counts.
func (t *shapes) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(t.touched)))
	for _, n := range t.touched {
		n.traits &^= touchedInItem
		dst = binary.AppendUvarint(dst, uint64(n.id))
		dst = binary.AppendUvarint(dst, uint64(len(n.inside))<<traitBits|uint64(n.traits))
		dst = n.direct.append(dst)
		for i := range n.inside {
			dst = n.inside[i].append(dst)
		}
		n.tally = tally{inside: n.inside[:0]}
	}
	t.touched = t.touched[:0]
	return dst
}

func (c *counts) append(dst []byte) []byte {
	set := uint64(0)
	for k, n := range c {
		if n > 0 {
			set |= 1 << k
		}
	}
	dst = binary.AppendUvarint(dst, set)
	for _, n := range c {
		if n > 0 {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	return dst
}

// addShape adds the shape at the beginning of a record.
func (s *Survey) addShape(r *Recorder, next func() uint64) {
	counted := func(c *counts) {
		set := next()
		for k := range c {
			if set>>k&1 != 0 {
				c[k] += uint32(next())
			}
		}
	}
	for rest := next(); rest > 0; rest-- {
		var nowhere Node
		n := s.node(r.shapes.nodes[next()])
		if n == nil {
			n = &nowhere
		}
		levels := next()
		n.traits |= traits(levels & (1<<traitBits - 1))
		counted(&n.direct)
		for level := range int(levels >> traitBits) {
			counted(n.tally.at(level + 1))
		}
	}
}

// node returns the survey's node for the place of a recorder's node, or nil if the survey has too many.
func (s *Survey) node(from *Node) *Node {
	for len(s.own) <= from.id {
		s.own = append(s.own, nil)
	}
	if n := s.own[from.id]; n != nil {
		return n
	}
	var n *Node
	if from.parent == nil {
		n = s.shapes.rootOf(from.key)
	} else if parent := s.node(from.parent); parent != nil {
		n = parent.child([]byte(from.key), -1)
	}
	if n == nil {
		return nil
	}
	for len(s.from) <= n.id {
		s.from = append(s.from, nil)
	}
	s.own[from.id], s.from[n.id] = n, from
	return n
}
