// This file tests quantiles with what Elasticsearch 7.10.2 answers over the same numbers.

package aggs

import (
	"math"
	"slices"
	"testing"
)

// sampleOf returns a sample of numbers in any order.
func sampleOf(values ...float64) *sample {
	slices.Sort(values)
	s := &sample{}
	for _, v := range values {
		s.add(v, 1)
	}
	return s
}

// several are of different sizes, some of them equal.
var several = []float64{5, 3, 100, 0.02, 7777, 64, 0, 12.5, 99999, 3, 3}

// compare compares the results of a function for arguments.
func compare(t *testing.T, name string, f func(float64) float64, args, want []float64) {
	t.Helper()
	for i, x := range args {
		if got := f(x); math.Abs(got-want[i]) > 1e-12*math.Abs(want[i]) {
			t.Errorf("%s of %v: got %v, want %v", name, x, got, want[i])
		}
	}
}

func TestQuantiles(t *testing.T) {
	percentile := func(s *sample) func(float64) float64 {
		return func(p float64) float64 { return s.quantile(p / 100) }
	}
	rank := func(s *sample) func(float64) float64 {
		return func(v float64) float64 { return s.rank(v) * 100 }
	}
	s := sampleOf(several...)
	compare(t, "percentile", percentile(s), []float64{0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100},
		[]float64{0, 0.0010000000000000009, 0.012000000000000002, 2.1060000000000003, 3, 3, 5, 17.64999999999998, 71.19999999999997, 2403.1000000000054, 44665.80000000003, 95387.89999999994, 99999})
	compare(t, "rank", rank(s), []float64{-1, 0, 0.001, 0.01, 0.02, 1, 2.9, 3, 3.5, 4, 4.5, 99, 100, 100.02, 1e9},
		[]float64{0, 4.545454545454546, 5, 9.090909090909092, 9.15151515151515, 15.090909090909092, 26.66259914582062, 36.36363636363637, 40.909090909090914, 45.45454545454545, 46.41148325358852, 72.76734674634325, 72.7697040415827, 72.76975118748747, 100})
	equal := sampleOf(3, 3, 3)
	compare(t, "percentile of equal ones", percentile(equal), []float64{0, 1, 50, 99, 100}, []float64{3, 3, 3, 3, 3})
	compare(t, "rank among equal ones", rank(equal), []float64{2, 2.9, 3, 3.5}, []float64{0, 0, 100, 100})
	compare(t, "rank after equal ones", rank(sampleOf(3, 3, 3, 99999)), []float64{2, 2.9, 3, 3.5, 99999, 1e5}, []float64{0, 0, 50, 50.0002500100004, 100, 100})
	compare(t, "rank beside one", rank(sampleOf(5)), []float64{2, 5, 5.5}, []float64{0, 100, 100})
	if got := s.deviation(); got != 5 {
		t.Errorf("median absolute deviation %v, want 5", got)
	}
	none := sampleOf()
	for _, got := range []float64{none.quantile(0.5), none.rank(1), none.deviation()} {
		if !math.IsNaN(got) {
			t.Errorf("%v of nothing", got)
		}
	}
}

func TestHDR(t *testing.T) {
	s := sampleOf(several...)
	percents := []float64{0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100}
	for digits, want := range map[int][]float64{
		3: {0, 0, 0, 0.019989013671875, 3.0019378662109375, 3.0019378662109375, 5.0038909912109375, 12.507797241210938, 64.06248474121094, 100.06248474121094, 7779.999984741211, 7779.999984741211, 100031.99998474121},
		1: {0, 0, 0, 0.01953125, 3.1240234375, 3.1240234375, 5.2490234375, 12.9990234375, 67.9990234375, 103.9990234375, 7935.9990234375, 7935.9990234375, 102399.9990234375},
	} {
		h, ok := newHDR(digits, s)
		if !ok {
			t.Fatal("refused")
		}
		compare(t, "percentile", func(p float64) float64 { return h.percentile(s, p) }, percents, want)
	}
	h, _ := newHDR(3, s)
	compare(t, "rank", func(v float64) float64 { return h.rank(s, v) * 100 }, []float64{0, 0.01, 0.02, 3, 3.0001, 3.002, 99, 100, 100.02, 100.1, 1e5},
		[]float64{9.090909090909092, 9.090909090909092, 18.181818181818183, 45.45454545454545, 45.45454545454545, 45.45454545454545, 72.72727272727273, 81.81818181818181, 81.81818181818181, 81.81818181818181, 100})
	small := sampleOf(3, 4, 5, 6, 9)
	h, _ = newHDR(0, small)
	compare(t, "percentile of no digits", func(p float64) float64 { return h.percentile(small, p) }, []float64{1, 50, 99}, []float64{2, 6, 14})
	for _, s := range []*sample{sampleOf(-1, 2), sampleOf(1e-300, 1e300)} {
		if _, ok := newHDR(3, s); ok {
			t.Errorf("%v is taken", s.values)
		}
	}
}
