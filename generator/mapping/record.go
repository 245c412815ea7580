// This file records the values of items, so that the fields of any selection of items need no
// second reading.

package mapping

import (
	"bytes"
	"encoding/binary"
)

// Recorder records items. Each numbers its paths differently, and belongs to one goroutine.
type Recorder struct {
	paths   *Paths
	byID    []pathTally // by path ID
	touched []int       // the IDs with values in the current item
	visit   func(*Leaf)
	base    int64
	shapes  *shapes
}

type pathTally struct {
	count  [Kinds]int
	first  [Kinds]int64 // offset in the file
	broken [Kinds]bool  // some string is not a date, some number has a fraction

	beyond      [numberRanges]int   // numbers
	firstBeyond [numberRanges]int64 // offset in the file
}

// NewRecorder returns a recorder that knows no path.
func NewRecorder() *Recorder {
	r := &Recorder{paths: NewPaths()}
	r.visit, r.shapes = r.leaf, newShapes(r.paths, 0, true)
	return r
}

// Begin begins an item of a template.
func (r *Recorder) Begin(template string) { r.shapes.begin(template) }

// Member counts the values of a member of the current item, as Survey.Member does.
func (r *Recorder) Member(name string, text []byte, at int, base Place, added []Added) {
	r.base = base.Offset
	r.shapes.walkMember(name, text, at, added, r.visit)
}

// References returns the same as Survey.References.
func (r *Recorder) References() []RefersFrom { return r.shapes.references }

func (r *Recorder) leaf(l *Leaf) {
	for len(r.byID) <= l.Path.ID {
		r.byID = append(r.byID, pathTally{})
	}
	t := &r.byID[l.Path.ID]
	if t.count == [Kinds]int{} {
		r.touched = append(r.touched, l.Path.ID)
	}
	if t.count[l.Kind] == 0 {
		t.first[l.Kind] = place(l, r.base)
	}
	t.count[l.Kind]++
	plain := (!t.broken[l.Kind] || l.undecided()) && plainer(l)
	t.broken[l.Kind] = t.broken[l.Kind] || plain
	outside := beyond(l)
	r.shapes.leaf(l, plain, outside[longRange])
	for of, is := range outside {
		if !is {
			continue
		}
		if t.beyond[of] == 0 {
			t.firstBeyond[of] = place(l, r.base)
		}
		t.beyond[of]++
	}
}

func place(l *Leaf, base int64) int64 {
	at := base + int64(l.Offset)
	if l.Kind == String {
		at-- // the place of a string is the place of its quote
	}
	return at
}

// plainer reports whether a leaf makes its path text instead of dates, or fractions instead of integers.
func plainer(l *Leaf) bool {
	switch l.Kind {
	case String:
		return !isDate(l)
	case Number:
		return bytes.ContainsAny(l.Text, ".eE")
	}
	return false
}

const (
	kindBits = int(Kinds)

	flagBroken = 1 << 0
	flagBeyond = 1 << 1 // counts and offsets of ranges follow
	flagBits   = 2
)

// Append ends the item and appends its record: its shape, then its paths.
func (r *Recorder) Append(dst []byte) []byte {
	dst = r.shapes.append(dst)
	for _, id := range r.touched {
		t, set := &r.byID[id], uint64(0)
		for k, n := range t.count {
			if n > 0 {
				set |= 1 << k
			}
		}
		dst = binary.AppendUvarint(dst, uint64(id)<<kindBits|set)
		for k, n := range t.count {
			if n == 0 {
				continue
			}
			x := uint64(n) << flagBits
			if t.broken[k] {
				x |= flagBroken
			}
			beyond := Kind(k) == Number && t.beyond != [numberRanges]int{}
			if beyond {
				x |= flagBeyond
			}
			dst = binary.AppendUvarint(dst, x)
			dst = binary.AppendUvarint(dst, uint64(t.first[k]))
			for r := 0; beyond && r < len(t.beyond); r++ {
				dst = binary.AppendUvarint(dst, uint64(t.beyond[r]))
				dst = binary.AppendUvarint(dst, uint64(t.firstBeyond[r]))
			}
		}
		*t = pathTally{}
	}
	r.touched = r.touched[:0]
	return dst
}

// Add counts the values in a record of the recorder r. The text of the record begins at base.
func (s *Survey) Add(r *Recorder, record []byte, base Place) {
	next := func() uint64 {
		x, n := binary.Uvarint(record)
		record = record[n:]
		return x
	}
	at := func(offset uint64) Place { return Place{base.File, base.Offset + int64(offset)} }
	s.addShape(r, next)
	for len(record) > 0 {
		x := next()
		f := s.found(int(x>>kindBits), r.paths)
		f.Items++
		for k := range Kinds {
			if x>>k&1 == 0 {
				continue
			}
			count, offset := next(), next()
			f.add(k, int(count>>flagBits), at(offset))
			f.words = f.words || k == String && count&flagBroken != 0
			f.fraction = f.fraction || k == Number && count&flagBroken != 0
			for of := 0; count&flagBeyond != 0 && of < len(f.beyond); of++ {
				n, first := next(), next()
				f.beyond[of].add(int(n), at(first))
			}
		}
	}
}
