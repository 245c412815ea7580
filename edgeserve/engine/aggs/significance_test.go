package aggs

import (
	"math"
	"testing"

	"contentedge/edgeserve/engine/query"
)

// The scores are those of Elasticsearch 7.10.2.
func TestSignificance(t *testing.T) {
	for _, c := range []struct {
		options query.Significance
		f       frequencies
		want    float64
	}{
		{query.Significance{Measure: "jlh"}, frequencies{1, 1, 1, 56}, 55},
		{query.Significance{Measure: "jlh"}, frequencies{1, 1, 12, 56}, 3.666666666666667},
		{query.Significance{Measure: "jlh"}, frequencies{5, 34, 1, 18}, 0.24221453287197237},
		{query.Significance{Measure: "jlh"}, frequencies{1, 34, 1, 18}, 0},
		{query.Significance{Measure: "percentage"}, frequencies{1, 1, 3, 56}, 0.3333333333333333},
		{query.Significance{Measure: "percentage"}, frequencies{1, 1, 0, 56}, 0},
		{query.Significance{Measure: "chi_square", Superset: true}, frequencies{1, 1, 1, 56}, 56},
		{query.Significance{Measure: "chi_square", Superset: true}, frequencies{11, 34, 11, 56}, 8.857516339869282},
		{query.Significance{Measure: "chi_square", Negatives: true}, frequencies{1, 1, 2, 56}, 18.321428571428573},
		{query.Significance{Measure: "chi_square"}, frequencies{6, 34, 0, 1}, 0.2129817444219067},
		{query.Significance{Measure: "chi_square", Superset: true}, frequencies{1, 10, 30, 56}, math.Inf(-1)},
		{query.Significance{Measure: "gnd", Superset: true}, frequencies{1, 1, 1, 56}, 1},
		{query.Significance{Measure: "gnd", Superset: true}, frequencies{1, 1, 2, 56}, 0.8418146380625197},
		{query.Significance{Measure: "gnd"}, frequencies{1, 1, 1, 56}, 0.8424494651487399},
		{query.Significance{Measure: "gnd"}, frequencies{6, 34, 0, 1}, 0.37397612424060356},
		{query.Significance{Measure: "gnd"}, frequencies{0, 34, 1, 1}, 0},
		{query.Significance{Measure: "mutual_information", Superset: true, Negatives: true}, frequencies{1, 1, 1, 56}, 0.12923377484588472},
		{query.Significance{Measure: "mutual_information", Superset: true}, frequencies{11, 34, 11, 56}, 0.1633334765569683},
		{query.Significance{Measure: "mutual_information"}, frequencies{6, 34, 0, 1}, 0.007875941413588834},
	} {
		got, ok := significance(&c.options, c.f)
		if !ok || got != c.want && math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%+v of %v: %v, want %v", c.options, c.f, got, c.want)
		}
	}
	for _, f := range []frequencies{{2, 3, 1, 10}, {1, 11, 1, 10}, {1, 5, 10, 10}} {
		if _, ok := significance(&query.Significance{Measure: "gnd", Superset: true}, f); ok {
			t.Errorf("%v: the background cannot include this", f)
		}
	}
}
