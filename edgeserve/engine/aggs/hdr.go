// This file rounds numbers as an HDR histogram does. It counts values in intervals whose width grows with the value;
// a percentile is the end of its interval.

package aggs

import (
	"math"
	"math/bits"
)

// hdr is the intervals of a histogram of numbers that are not negative.
type hdr struct {
	unit float64 // width of the least intervals, a power of two
	bits int     // values of up to this many bits, counted in units, have intervals of one unit
}

// newHDR returns the intervals of a histogram with some significant digits for a sample. ok is false if a histogram
// cannot hold the values, because some are negative or their sizes differ too much.
func newHDR(digits int, s *sample) (h hdr, ok bool) {
	h = hdr{unit: 1, bits: bits.Len64(uint64(2*math.Pow10(digits)) - 1)}
	for _, v := range s.values {
		if v < 0 {
			return h, false
		}
		if v > 0 {
			_, exp := math.Frexp(v)
			h.unit = math.Ldexp(1, exp-h.bits)
			return h, s.values[len(s.values)-1]/h.unit < 1<<62
		}
	}
	return h, true
}

// interval returns the first and the last multiple of a unit in the interval of v.
func (h hdr) interval(v float64) (first, last float64) {
	n := int64(min(v/h.unit, 1<<62))
	shift := max(0, bits.Len64(uint64(n))-h.bits)
	n = n >> shift << shift
	return float64(n) * h.unit, float64(n+1<<shift-1) * h.unit
}

// percentile returns the end of the interval that has a percentile of a sample.
func (h hdr) percentile(s *sample, percent float64) float64 {
	n := s.count()
	if n == 0 {
		return math.NaN()
	}
	place := max(1, min(int(float64(percent/100*float64(n))+0.5), n)) - 1
	first, last := h.interval(s.at(place))
	if percent == 0 {
		return first
	}
	return last
}

// rank returns which part of a sample is in the interval of v or before that interval.
func (h hdr) rank(s *sample, v float64) float64 {
	n := s.count()
	if n == 0 {
		return math.NaN()
	}
	_, last := h.interval(max(v, 0))
	end := 0
	for i, at := range s.values {
		if first, _ := h.interval(at); first > last {
			break
		}
		end = s.ends[i]
	}
	return float64(end) / float64(n)
}
