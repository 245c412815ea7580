package scorer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTopKKeepsTheLeast(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		k := 1 + rnd.IntN(40)
		b := NewTopK(nil, k, 1, func(x, y int) int { return x - y })
		for range 2 { // it starts anew after sorted
			var all []int
			for range rnd.IntN(300) {
				x := rnd.IntN(100)
				all = append(all, x)
				b.Add(x)
			}
			slices.SortFunc(all, b.Compare)
			if got := b.Sorted(); !slices.Equal(got, all[:min(k, len(all))]) {
				t.Fatalf("k=%d: got %v, want the first of %v", k, got, all)
			}
			b.Reset()
		}
	}
}
