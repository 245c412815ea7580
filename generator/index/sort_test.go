// These tests compare sorting by digits with a stable sort that compares.

package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
)

// mixes make values that sorts find hard: long shared beginnings, equal numbers of other texts, short texts, zeros.
var mixes = map[string]func(r *rand.Rand) (mapping.Kind, string){
	"integers": func(r *rand.Rand) (mapping.Kind, string) { return mapping.Number, fmt.Sprint(r.Int64() >> r.IntN(64)) },
	"equal numbers": func(r *rand.Rand) (mapping.Kind, string) {
		return mapping.Number, pickOne(r, "0", "-0", "0.0", "1", "1.0", "10e-1", "1e400", "2e400", "-1e400", "1e-400", "9007199254740992", "9007199254740993", "-1e-400")
	},
	"a shared beginning": func(r *rand.Rand) (mapping.Kind, string) {
		return mapping.String, "Content_0000-" + strings.Repeat("0", r.IntN(20)) + fmt.Sprintf("%08d", r.IntN(2000))
	},
	"zeros": func(r *rand.Rand) (mapping.Kind, string) { return mapping.String, strings.Repeat("\x00", r.IntN(30)) },
	"prefixes": func(r *rand.Rand) (mapping.Kind, string) {
		return mapping.String, strings.Repeat("abcdefghij", 4)[:r.IntN(40)]
	},
	"all kinds": func(r *rand.Rand) (mapping.Kind, string) {
		switch r.IntN(4) {
		case 0:
			return mapping.Boolean, pickOne(r, "true", "false")
		case 1:
			return mapping.Number, fmt.Sprint(r.NormFloat64())
		case 2:
			return mapping.String, fmt.Sprint(r.IntN(50))
		}
		return mapping.Number, fmt.Sprint(r.IntN(50))
	},
}

func pickOne(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

func TestSortedAsByComparing(t *testing.T) {
	for name, mix := range mixes {
		for _, n := range []int{0, 1, 7, radixMin, 5000} {
			r := rand.New(rand.NewPCG(uint64(n), 3))
			values := make([]value, n)
			for i := range values {
				kind, text := mix(r)
				values[i] = value{text: []byte(text), kind: kind}
			}
			for order, o := range map[string]*ordering{"texts": &byText, "rest": &inRest} {
				want := make([]uint32, n)
				for i := range want {
					want[i] = uint32(i)
				}
				slices.SortStableFunc(want, func(a, b uint32) int { return o.compare(&values[a], &values[b]) })
				if got := sortValues(values, o); !slices.Equal(got, want) {
					t.Errorf("%s in the order of %s: %d values are in another order", name, order, n)
				}
				for i := 1; i < n; i++ {
					a, b := &values[want[i-1]], &values[want[i]]
					if o.same(a, b) != (o.compare(a, b) == 0) {
						t.Errorf("%s in the order of %s: %q and %q", name, order, a.text, b.text)
					}
				}
			}
		}
	}
}

func TestNumbersSortedAsByComparing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, n := range []int{1, 100, 3000} {
		var ints []numberOfDoc[int64]
		var floats []numberOfDoc[float64]
		for range n {
			rank := uint32(r.IntN(300))
			ints = append(ints, numberOfDoc[int64]{(r.Int64() - r.Int64()) >> r.IntN(64), rank})
			floats = append(floats, numberOfDoc[float64]{float64(r.NormFloat64()*float64(r.IntN(3))) + 0, rank})
		}
		checkNumbers(t, ints)
		checkNumbers(t, floats)
	}
}

func checkNumbers[K int64 | float64](t *testing.T, vs []numberOfDoc[K]) {
	t.Helper()
	want := slices.Clone(vs)
	slices.SortFunc(want, func(a, b numberOfDoc[K]) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.rank, b.rank))
	})
	if got := sortNumbers(vs); !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%d numbers are in another order", len(want))
	}
}

// BenchmarkIntegers sorts a million integers of arrays, as lists order them.
func BenchmarkIntegers(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]value, 1_000_000)
	for i := range values {
		values[i] = value{text: fmt.Append(nil, r.IntN(1e9)), kind: mapping.Number, doc: snapshot.DocID(i / 1000)}
	}
	for b.Loop() {
		sortValues(values, &inRest)
	}
}
