package suggest

import (
	"testing"

	"contentedge/edgeserve/engine/query"
)

// TestSuggest shows how similar words are by each distance. Elasticsearch 7.10 has the same results.
func TestSuggest(t *testing.T) {
	for _, c := range []struct {
		distance query.StringDistance
		a, b     string
		want     float32
	}{
		{query.DistanceLevenshtein, "bred", "bread", 0.8},
		{query.DistanceLevenshtein, "bred", "bed", 0.75},
		{query.DistanceLevenshtein, "bred", "be", 0.5},
		{query.DistanceLevenshtein, "wintr", "winter", 0.8333333},
		{query.DistanceLevenshtein, "", "a", 0},
		{query.DistanceJaroWinkler, "bred", "bread", 0.9533333},
		{query.DistanceJaroWinkler, "bred", "bed", 0.925},
		{query.DistanceJaroWinkler, "bred", "be", 0.84999996},
		{query.DistanceJaroWinkler, "bred", "bare", 0.84999996},
		{query.DistanceJaroWinkler, "bred", "blend", 0.80499995},
		{query.DistanceJaroWinkler, "wintr", "winter", 0.96666664},
		{query.DistanceJaroWinkler, "wintr", "wind", 0.8483333},
		{query.DistanceJaroWinkler, "wintr", "with", 0.82666665},
		{query.DistanceJaroWinkler, "wintr", "winds", 0.81333333},
		{query.DistanceJaroWinkler, "ab", "xy", 0},
		{query.DistanceNGram, "bred", "bread", 0.7},
		{query.DistanceNGram, "bred", "bed", 0.625},
		{query.DistanceNGram, "bred", "bad", 0.5},
		{query.DistanceNGram, "bred", "blend", 0.5},
		{query.DistanceNGram, "wintr", "winter", 0.75},
		{query.DistanceNGram, "wintr", "wind", 0.7},
		{query.DistanceNGram, "wintr", "with", 0.6},
		{query.DistanceNGram, "a", "ab", 0.5},
	} {
		if got := similarityOf(c.distance, c.a, c.b, func(int) error { return nil }); got != c.want {
			t.Errorf("distance %d of %q and %q: %v, want %v", c.distance, c.a, c.b, got, c.want)
		}
	}
}
