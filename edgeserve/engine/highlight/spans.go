// This file finds phrases as Lucene's spans: in order and side by side, or, with a slop, in any
// order within a window.

package highlight

import (
	"cmp"
	"slices"
	"strings"
)

// slotPlace is a place that fills a slot of a phrase.
type slotPlace struct {
	position int32
	of       *word
	index    int // of the place in of.at
}

// spans marks the places in a match of a phrase.
func (m *matcher) spans(l *leaf) {
	if l.kind == leafSpans {
		m.spanQuery(l.span)
		return
	}
	slots := m.slots(l)
	if slots == nil {
		return
	}
	mark := func(p slotPlace) { p.of.at[p.index].inPhrase = true }
	n := nearSpans{slots: slots, slop: l.slop, charge: m.account.charge}
	n.each(func(at []int) {
		for i, k := range at {
			mark(slots[i][k])
		}
	})
}

// slots returns the places for each word of a phrase, in the order of positions. It returns nil if a
// word has no place.
func (m *matcher) slots(l *leaf) [][]slotPlace {
	slots := make([][]slotPlace, len(l.words))
	for i, text := range l.words {
		prefix := l.kind == leafPhrasePrefix && i == len(l.words)-1
		for _, w := range m.seen {
			if w.text == text || prefix && strings.HasPrefix(w.text, text) {
				for k, p := range w.at {
					slots[i] = append(slots[i], slotPlace{p.position, w, k})
				}
			}
		}
		m.account.goOn(len(m.seen) + 4*len(slots[i]))
		if slots[i] == nil {
			return nil
		}
		if prefix {
			slices.SortFunc(slots[i], func(a, b slotPlace) int { return cmp.Compare(a.position, b.position) })
		}
	}
	return slots
}

// nearSpans are the spans of slots that are near each other.
type nearSpans struct {
	slots  [][]slotPlace
	slop   int
	charge func(steps int) error
	work   int // steps since the last charge
}

// each calls f for each span with the index of a place for each slot.
func (n *nearSpans) each(f func(at []int)) {
	if n.slop == 0 {
		n.ordered(f)
	} else {
		n.unordered(f)
	}
	n.charge(n.work)
}

// goOn charges steps and reports whether the work limit allows more.
func (n *nearSpans) goOn(steps int) bool {
	if n.work += steps; n.work < chargeEvery {
		return true
	}
	err := n.charge(n.work)
	n.work = 0
	return err == nil
}

func (n *nearSpans) ordered(f func(at []int)) {
	at := make([]int, len(n.slots))
	for at[0] = range n.slots[0] {
		first := n.slots[0][at[0]].position
		found := true
		for i := 1; i < len(n.slots) && found; i++ {
			for at[i] < len(n.slots[i]) && n.slots[i][at[i]].position < first+int32(i) {
				at[i]++
				n.work++
			}
			if at[i] == len(n.slots[i]) {
				return
			}
			found = n.slots[i][at[i]].position == first+int32(i)
		}
		if found {
			f(at)
		}
		if !n.goOn(2) {
			return
		}
	}
}

// unordered moves the slot with the least place on. After each move it checks whether all places are
// within the slop.
func (n *nearSpans) unordered(f func(at []int)) {
	at := make([]int, len(n.slots))
	last := int32(0)
	for _, s := range n.slots {
		last = max(last, s[0].position)
	}
	for n.goOn(len(n.slots)) {
		least := 0
		for i := range n.slots {
			if n.slots[i][at[i]].position < n.slots[least][at[least]].position {
				least = i
			}
		}
		if int(last+1-n.slots[least][at[least]].position)-len(n.slots) <= n.slop {
			f(at)
		}
		if at[least]++; at[least] == len(n.slots[least]) {
			return
		}
		last = max(last, n.slots[least][at[least]].position)
	}
}

// spanSet has the positions of the spans of a phrase.
type spanSet struct {
	lasts  map[int]int // first position → last position of the first span found there
	ranges [][2]int    // first and last positions; once merged, disjoint and in order
}

func (s *spanSet) add(first, last int) {
	if _, ok := s.lasts[first]; !ok {
		s.lasts[first] = last
	}
	s.ranges = append(s.ranges, [2]int{first, last})
}

func (s *spanSet) merge() {
	slices.SortFunc(s.ranges, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	merged := s.ranges[:1]
	for _, r := range s.ranges[1:] {
		if last := &merged[len(merged)-1]; r[0] <= last[1] {
			last[1] = max(last[1], r[1])
		} else {
			merged = append(merged, r)
		}
	}
	s.ranges = merged
}

// covers reports whether a position is in a span.
func (s *spanSet) covers(position int) bool {
	i, exact := slices.BinarySearchFunc(s.ranges, position, func(r [2]int, p int) int { return r[0] - p })
	return exact || i > 0 && position <= s.ranges[i-1][1]
}
