// This file finds numbers that the type of their path cannot hold.

package mapping

import (
	"bytes"
	"math"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// numberRange is the range of a type of numbers.
type numberRange uint8

const (
	longRange  numberRange = iota // integers of 64 bits
	floatRange                    // fractions of 32 bits
	numberRanges
)

// outside counts the numbers beyond a range, and has the place of the first.
type outside struct {
	count int
	first Place
}

func (o *outside) add(n int, first Place) {
	if n > 0 && (o.count == 0 || first.compare(o.first) < 0) {
		o.first = first
	}
	o.count += n
}

// beyond reports which ranges a leaf is beyond, as the index reads it.
func beyond(l *Leaf) (of [numberRanges]bool) {
	const longDigits, floatDigits = 19, 39 // shorter numbers without an exponent are in range
	exponent := bytes.ContainsAny(l.Text, "eE")
	if l.Kind != Number || len(l.Text) < longDigits && !exponent {
		return of
	}
	if !bytes.ContainsAny(l.Text, ".eE") {
		_, ok := analysis.ReadLong(string(l.Text))
		of[longRange] = !ok
	}
	if exponent || len(l.Text) >= floatDigits {
		f, ok := analysis.ReadDouble(string(l.Text))
		of[floatRange] = !ok || math.IsInf(float64(float32(f)), 0)
	}
	return of
}

// Range describes the numbers that a path of numbers can hold.
func (f *Field) Range() string {
	if f.Type == snapshot.Long {
		return "integers have 64 bits"
	}
	return "numbers with fractions have 32 bits, up to 3.4e38"
}
