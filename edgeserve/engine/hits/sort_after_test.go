// This file tests which integer a value of search_after stands for.

package hits

import (
	"math"
	"testing"

	"contentedge/edgeserve/engine/query"
)

// The expectations are Elasticsearch 7.10.2's.
func TestNearestLong(t *testing.T) {
	for text, want := range map[string]int64{
		"12": 12, "-1.5": -1, "9223372036854775807": math.MaxInt64, "9223372036854775808": math.MaxInt64, "12345678901234567890": math.MaxInt64,
		"18446744073709551615": math.MaxInt64, "-12345678901234567890": math.MinInt64, "1e19": math.MaxInt64,
	} {
		if n, ok := nearestLong(&query.Value{Kind: query.Number, Text: text}); !ok || n != want {
			t.Errorf("%s: %d %v, want %d", text, n, ok, want)
		}
	}
}
