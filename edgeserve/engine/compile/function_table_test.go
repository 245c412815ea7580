package compile_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"contentedge/edgeserve/engine/scorer"
)

// measures have a number, several numbers, a date, and one item with none of them.
var measures = []string{
	`{"t":"red","n":1,"several":[1,9],"d":"2021-01-01T00:00:00.000Z"}`,
	`{"t":"red","n":4,"several":[2,4,6],"d":"2021-01-03T00:00:00.000Z"}`,
	`{"t":"red","n":100,"several":[5],"d":["2021-01-11T00:00:00.000Z","2020-12-31T00:00:00.000Z"]}`,
	`{"t":"blue"}`,
}

// onRed is a function_score of the items 0 to 2, each with the score 2 before the functions.
func onRed(options string) string {
	return `{"function_score":{"query":{"constant_score":{"filter":{"term":{"Data.t":"red"}},"boost":2}},` + options + `}}`
}

func TestFieldValueFactor(t *testing.T) {
	x := newIndex(t, measures...)
	var cases []scoreCase
	for modifier, of := range map[string]func(v float64) float64{
		"none": func(v float64) float64 { return v }, "square": func(v float64) float64 { return v * v },
		"sqrt": math.Sqrt, "reciprocal": func(v float64) float64 { return 1 / v },
		"log": math.Log10, "log1p": func(v float64) float64 { return math.Log10(1 + v) }, "log2p": func(v float64) float64 { return math.Log10(2 + v) },
		"ln": math.Log, "ln1p": math.Log1p, "ln2p": func(v float64) float64 { return math.Log(2 + v) },
	} {
		options := fmt.Sprintf(`"field_value_factor":{"field":"Data.n","modifier":%q,"factor":3}`, modifier)
		cases = append(cases, scoreCase{modifier, onRed(options), scores{0: 2 * of(3), 1: 2 * of(12), 2: 2 * of(300)}})
	}
	x.check(append(cases, []scoreCase{
		{"the least of several", onRed(`"field_value_factor":{"field":"Data.several"}`), scores{0: 2, 1: 4, 2: 10}},
		{"without a value", `{"function_score":{"field_value_factor":{"field":"Data.n","missing":7}}}`, scores{0: 1, 1: 4, 2: 100, 3: 7}},
		{"of no item", onRed(`"field_value_factor":{"field":"Data.nope","missing":3,"factor":2}`), each(12, 0, 1, 2)},
		{"weighted", onRed(`"functions":[{"field_value_factor":{"field":"Data.n"},"weight":0.5}]`), scores{0: 1, 1: 4, 2: 100}},
	}...))
}

func TestDecay(t *testing.T) {
	x := newIndex(t, measures...)
	numbers := func(kind, more string) string {
		return onRed(`"` + kind + `":{"Data.n":{"origin":4,"scale":6` + more + `}}`)
	}
	dates := func(kind, more string) string {
		return onRed(`"` + kind + `":{"Data.d":{"origin":"2021-01-01","scale":"4d"` + more + `}}`)
	}
	several := func(mode string) string {
		return onRed(`"linear":{"Data.several":{"origin":5,"scale":4,"decay":0.5},"multi_value_mode":"` + mode + `"}`)
	}
	// a curve is 0.5 at the scale, or what decay says; distances from 4 are 3, 0 and 96
	gauss := func(distance, scale, decay float64) float64 { return math.Pow(decay, distance*distance/(scale*scale)) }
	exp := func(distance, scale, decay float64) float64 { return math.Pow(decay, distance/scale) }
	linear := func(distance, scale, decay float64) float64 { return max(0, 1-(1-decay)*distance/scale) }
	x.check([]scoreCase{
		{"gauss", numbers("gauss", ""), scores{0: 2 * gauss(3, 6, 0.5), 1: 2, 2: 2 * gauss(96, 6, 0.5)}},
		{"exp", numbers("exp", ""), scores{0: 2 * exp(3, 6, 0.5), 1: 2, 2: 2 * exp(96, 6, 0.5)}},
		{"linear", numbers("linear", ""), scores{0: 2 * linear(3, 6, 0.5), 1: 2, 2: 0}},
		{"gauss with a decay", numbers("gauss", `,"decay":0.2`), scores{0: 2 * gauss(3, 6, 0.2), 1: 2, 2: 2 * gauss(96, 6, 0.2)}},
		{"exp with an offset", numbers("exp", `,"offset":1`), scores{0: 2 * exp(2, 6, 0.5), 1: 2, 2: 2 * exp(95, 6, 0.5)}},
		{"linear with both", numbers("linear", `,"decay":0.2,"offset":2`), scores{0: 2 * linear(1, 6, 0.2), 1: 2, 2: 0}},
		{"linear within the offset", numbers("linear", `,"offset":3`), scores{0: 2, 1: 2, 2: 0}},
		{"days", dates("exp", ""), scores{0: 2, 1: 2 * exp(2, 4, 0.5), 2: 2 * exp(1, 4, 0.5)}},
		{"days with an offset", dates("linear", `,"offset":"1d"`), scores{0: 2, 1: 2 * linear(1, 4, 0.5), 2: 2}},
		{"an item without a value", `{"function_score":{"query":{"term":{"_id":"d"}},"gauss":{"Data.n":{"origin":4,"scale":6}}}}`, each(1, 3)},

		// the distances of the values are 4 and 4; 3, 1 and 1; 0
		{"the nearest", several("min"), scores{0: 1, 1: 2 * linear(1, 4, 0.5), 2: 2}},
		{"the farthest", several("max"), scores{0: 1, 1: 2 * linear(3, 4, 0.5), 2: 2}},
		{"the mean", several("avg"), scores{0: 1, 1: 2 * linear(5.0/3, 4, 0.5), 2: 2}},
		{"the median", several("median"), scores{0: 1, 1: 2 * linear(1, 4, 0.5), 2: 2}},
		{"the sum", several("sum"), scores{0: 0, 1: 2 * linear(5, 4, 0.5), 2: 2}},
	})
}

func TestFunctionScores(t *testing.T) {
	x := newIndex(t, measures...)
	const (
		small = `{"filter":{"range":{"Data.n":{"lte":4}}},"weight":3}`
		four  = `{"filter":{"term":{"Data.n":4}},"weight":5}`
		value = `{"field_value_factor":{"field":"Data.n"}}`
	)
	x.check([]scoreCase{
		{"a weight", onRed(`"weight":3`), each(6, 0, 1, 2)},
		{"multiply", onRed(`"functions":[` + small + `,` + four + `]`), scores{0: 6, 1: 30, 2: 2}},
		{"sum", onRed(`"score_mode":"sum","functions":[` + small + `,` + four + `]`), scores{0: 6, 1: 16, 2: 2}},
		{"avg", onRed(`"score_mode":"avg","functions":[` + small + `,` + value + `]`), scores{0: 2 * (3.0 + 1) / 4, 1: 2 * (3.0 + 4) / 4, 2: 200}},
		{"first", onRed(`"score_mode":"first","functions":[` + four + `,` + small + `]`), scores{0: 6, 1: 10, 2: 2}},
		{"max", onRed(`"score_mode":"max","functions":[` + small + `,` + four + `]`), scores{0: 6, 1: 10, 2: 2}},
		{"min", onRed(`"score_mode":"min","functions":[` + small + `,` + four + `]`), scores{0: 6, 1: 6, 2: 2}},
		{"an average of one function", onRed(`"score_mode":"avg","functions":[{"weight":3}]`), each(6, 0, 1, 2)},
		{"replaced", onRed(`"boost_mode":"replace","functions":[` + value + `]`), scores{0: 1, 1: 4, 2: 100}},
		{"added", onRed(`"boost_mode":"sum","functions":[` + value + `]`), scores{0: 3, 1: 6, 2: 102}},
		{"averaged", onRed(`"boost_mode":"avg","functions":[` + value + `]`), scores{0: 1.5, 1: 3, 2: 51}},
		{"the greater", onRed(`"boost_mode":"max","functions":[` + value + `]`), scores{0: 2, 1: 4, 2: 100}},
		{"the less", onRed(`"boost_mode":"min","functions":[` + value + `]`), scores{0: 1, 1: 2, 2: 2}},
		{"limited", onRed(`"max_boost":3,"functions":[` + value + `]`), scores{0: 2, 1: 6, 2: 6}},
		{"a least score", onRed(`"min_score":8,"functions":[` + value + `]`), scores{1: 8, 2: 200}},
		{"a boost", onRed(`"boost":4,"functions":[` + value + `]`), scores{0: 8, 1: 32, 2: 800}},
		{"a boost of 0", onRed(`"boost":0,"functions":[` + value + `]`), each(0, 0, 1, 2)},
		{"no function", onRed(`"functions":[]`), each(2, 0, 1, 2)},
		{"a filter of everything", onRed(`"functions":[{"filter":{"match_all":{}},"weight":3}]`), each(6, 0, 1, 2)},
		{"no query", `{"function_score":{"weight":3}}`, each(3, 0, 1, 2, 3)},
		{"a query of nothing", `{"function_score":{"query":{"match_none":{}},"weight":3}}`, nil},
	})
}

func TestDistanceFeature(t *testing.T) {
	x := newIndex(t, measures...)
	of := func(origin, pivot string) string {
		return `{"distance_feature":{"field":"Data.d","origin":"` + origin + `","pivot":"` + pivot + `","boost":3}}`
	}
	at := func(days, pivot float64) float64 { return 3 * pivot / (pivot + days) }
	x.check([]scoreCase{
		{"from the first day", of("2021-01-01T00:00:00.000Z", "2d"), scores{0: 3, 1: at(2, 2), 2: at(1, 2)}}, // the nearest of two days
		{"from a later day", of("2021-01-05T00:00:00.000Z", "7d"), scores{0: at(4, 7), 1: at(2, 7), 2: at(5, 7)}},
		{"from the end of a second", of("2021-01-03T00:00:00", "999ms"), scores{0: at(2*86400+0.999, 0.999), 1: 1.5, 2: at(3*86400+0.999, 0.999)}},
		{"by hours", of("2021-01-03T00:00:00.000Z", "24h"), scores{0: at(2, 1), 1: 3, 2: at(3, 1)}},
	})
}

// TestRandomScore has numbers from 0 to below 1 that depend on the seed and the value, and on nothing else.
func TestRandomScore(t *testing.T) {
	x := newIndex(t, measures...)
	of := func(options string) map[int]float64 {
		out := map[int]float64{}
		x.request(false, func(r *scorer.Request) {
			h := r.Collect(x.must(r, `{"function_score":{"random_score":{`+options+`},"boost_mode":"replace"}}`), nil, 0, 9, false)
			for i, d := range h.Docs {
				if out[int(d)] = float64(h.Of[i]); !(h.Of[i] >= 0 && h.Of[i] < 1) {
					t.Errorf("%s: item %d has the score %v", options, d, h.Of[i])
				}
			}
		})
		return out
	}
	seven, eight := of(`"seed":7`), of(`"seed":8`)
	if !maps.Equal(seven, of(`"seed":7`)) || maps.Equal(seven, eight) || len(seven) != 4 {
		t.Errorf("seed 7 gives %v, and seed 8 %v", seven, eight)
	}
	if text := of(`"seed":"seven"`); maps.Equal(text, seven) || !maps.Equal(text, of(`"seed":"seven"`)) {
		t.Errorf("the seed seven gives %v", text)
	}
	if n := of(`"seed":7,"field":"Data.n"`); n[0] == n[1] || n[1] == n[2] || maps.Equal(n, seven) {
		t.Errorf("numbers of a field are %v", n)
	}
	of(`"field":"Data.n"`)
}
