// This file computes quantiles and ranks of numbers as Elasticsearch 7.10 does while its t-digest
// still holds every value: it interpolates between neighbours. Here every value is held always.

package aggs

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// sample is a multiset of numbers in ascending order, as runs of equal ones.
type sample struct {
	values []float64
	ends   []int // number of values up to the end of each run
}

// add adds a value n times. The value is at least the last one.
func (s *sample) add(v float64, n int) {
	if k := len(s.values); k > 0 && s.values[k-1] == v {
		s.ends[k-1] += n
		return
	}
	s.values = append(s.values, v)
	s.ends = append(s.ends, s.count()+n)
}

func (s *sample) count() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

func (s *sample) reset() { s.values, s.ends = s.values[:0], s.ends[:0] }

// at returns the value at a place from 0.
func (s *sample) at(place int) float64 {
	return s.values[sort.SearchInts(s.ends, place+1)]
}

// quantile returns the value with a share q, from 0 to 1, of the values below it. A value counts half before itself and
// half after itself. NaN means no values.
func (s *sample) quantile(q float64) float64 {
	n := s.count()
	if n == 0 {
		return math.NaN()
	}
	index := float64(q * float64(n))
	place := min(int(max(index-0.5, 0)), n-1)
	if index <= 0.5 || place == n-1 {
		return s.at(place)
	}
	after := index - (float64(place) + 0.5)
	before := float64(place) + 1.5 - index
	lo, hi := s.at(place), s.at(place+1)
	return max(lo, min((float64(lo*before)+float64(hi*after))/(before+after), hi))
}

// rank returns the share of the values, from 0 to 1, that is at most v. A value represents the numbers up to half of
// the way to its neighbours; equal values represent only themselves. NaN means no values.
func (s *sample) rank(v float64) float64 {
	n := s.count()
	if n == 0 {
		return math.NaN()
	}
	if n == 1 && v < s.values[0] {
		return 0
	}
	for i := max(0, sort.SearchFloat64s(s.values, v)-1); i < len(s.values); i++ {
		at, last := s.values[i], i == len(s.values)-1
		left, right, from := 0.0, 0.0, 0
		if !last {
			right = (s.values[i+1] - at) / 2
		}
		switch single := s.ends[i] == 1; {
		case i > 0:
			left, from = (at-s.values[i-1])/2, s.ends[i-1]
		case single:
			left = right
		}
		if s.ends[i]-from > 1 {
			if v < at {
				return part(from, n, v, at-left, at)
			}
			left, from = 0, s.ends[i]-1
		}
		if !last && v < at+right {
			return part(from, n, v, at-left, at+right)
		}
	}
	return 1
}

// part is the share of from values among n. Of the next values it adds as much as v has passed of the way from lo
// to hi.
func part(from, n int, v, lo, hi float64) float64 {
	return min(max(0, (float64(from)+(v-lo)/(hi-lo))/float64(n)), 1)
}

// deviation returns the median of the distances from the median.
func (s *sample) deviation() float64 {
	median := s.quantile(0.5)
	runs := make([]run, len(s.values))
	from := 0
	for i, v := range s.values {
		runs[i] = run{math.Abs(median - v), s.ends[i] - from}
		from = s.ends[i]
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.value, b.value) })
	var distances sample
	for _, r := range runs {
		distances.add(r.value, r.n)
	}
	return distances.quantile(0.5)
}
