// This file fills the sub-fields of a twin. Some share documents or numbers with an earlier
// set of the field, some have values of their own.

package snapshot

import (
	"fmt"
	"math"
)

// subFields gives a field sub-fields, or none.
func (m *twinMaker) subFields(f *twinField) {
	if f.typ != Text && m.IntN(3) > 0 {
		m.texts(f)
	}
	for sub := SubLong; sub < SubCount; sub++ {
		switch earlier := f.numbersBefore(sub); {
		case m.IntN(4) == 0:
		case len(earlier) > 0 && m.IntN(4) > 0:
			f.subs[sub] = m.vary(convert(earlier[m.IntN(len(earlier))], sub))
		default:
			f.subs[sub] = m.ownNumbers(sub)
		}
	}
	f.sort = m.restOrder(f)
}

// texts gives a field of numbers the texts of its numbers. A number may have two texts.
// They are in the order of the numbers or of their bytes.
func (m *twinMaker) texts(f *twinField) {
	format, twice := []string{"%09d", "%d", "a value of some length, %d"}[m.IntN(3)], m.IntN(2) == 0
	for ord, docs := range f.column() {
		text := fmt.Sprintf(format, ord)
		for _, d := range m.tw.byRank(docs) {
			if put(f.strings, text, d); twice && m.IntN(3) == 0 {
				put(f.strings, text+".0", d)
			}
		}
		if first := m.tw.byRank(docs)[0]; m.IntN(2) == 0 {
			f.where[text] = m.place(first, text)
		}
	}
}

// numbersBefore returns the numbers of the sets before a sub-field.
func (f *twinField) numbersBefore(sub Sub) (out []*twinNumbers) {
	if f.typ != Text {
		out = append(out, f.twinNumbers)
	}
	for _, n := range f.subs[:sub] {
		if n != nil {
			out = append(out, n)
		}
	}
	return out
}

// convert converts numbers to the type of a sub-field.
func convert(n *twinNumbers, sub Sub) *twinNumbers {
	out := newTwinNumbers()
	for i, docs := range n.ints {
		for d := range docs {
			if sub == SubDouble {
				put(out.floats, float64(i), d)
			} else {
				put(out.ints, i, d)
			}
		}
	}
	for v, docs := range n.floats {
		for d := range docs {
			if sub == SubDouble {
				put(out.floats, v, d)
			} else if math.Abs(v) < 1<<62 {
				put(out.ints, int64(v), d)
			}
		}
	}
	return out
}

// vary returns the numbers unchanged, with one more document, or with other numbers for the
// same documents.
func (m *twinMaker) vary(n *twinNumbers) *twinNumbers {
	switch m.IntN(3) {
	case 0:
		for _, docs := range n.column()[:min(1, len(n.column()))] {
			docs[DocID(m.IntN(m.tw.meta.Items))] = true
		}
	case 1:
		moved := newTwinNumbers()
		for _, i := range sortedKeys(n.ints) {
			moved.ints[i/2-1] = n.ints[i] // some become equal
		}
		for _, v := range sortedKeys(n.floats) {
			moved.floats[v/2+1] = n.floats[v]
		}
		return moved
	}
	return n
}

func (m *twinMaker) ownNumbers(sub Sub) *twinNumbers {
	typ := map[Sub]Type{SubLong: Long, SubDouble: Float, SubBoolean: Boolean, SubDate: Date}[sub]
	return m.numberField("", typ, m.share(1+m.IntN(20))).twinNumbers
}

// restOrder returns nil, the order of a set, or another order of the path's values.
func (m *twinMaker) restOrder(f *twinField) []docSet {
	earlier := f.numbersBefore(SubCount)
	switch {
	case len(f.column()) == 0 || m.IntN(3) == 0:
		return nil
	case len(earlier) > 0 && m.IntN(2) == 0:
		return earlier[m.IntN(len(earlier))].column()
	}
	order := f.column()
	m.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}
