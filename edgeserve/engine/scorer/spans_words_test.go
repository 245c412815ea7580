package scorer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// wordPlaces are textSpans whose end is their position, as in intervals.
type wordPlaces struct{ textSpans }

func (p *wordPlaces) next() bool {
	if !p.textSpans.next() {
		return false
	}
	p.end = p.start
	return true
}

// TestWordsInOrder compares the places of words that are found at once with those that are found
// one after the other.
func TestWordsInOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	free := func(int) error { return nil }
	for range 30_000 {
		w := TextSpanWork(free)
		var parts []Spans
		words := make([]*termSpans, 2+rnd.IntN(3))
		shortest, most := rnd.IntN(2) == 0, rnd.IntN(6)
		for i := range words {
			var at []uint32
			for p := range uint32(1 + rnd.IntN(24)) {
				if rnd.IntN(3) == 0 {
					at = append(at, p)
				}
			}
			words[i] = &termSpans{pos: at}
			text := textSpans{w: w, pos: at}
			if shortest {
				parts = append(parts, &wordPlaces{text})
			} else {
				parts = append(parts, &text)
			}
		}
		var slow Spans = &orderedSpans{together: together{w: w, parts: parts}, slop: most}
		if shortest {
			slow = &gapFilter{Spans: &orderedIntervals{together: together{w: w, parts: parts}}, w: w, most: most}
		}
		var want []span
		for slow.begin(); slow.next(); {
			want = append(want, *slow.current())
		}
		fast := &wordsInOrder{words: words, shortest: shortest, most: most}
		fast.find()
		if !slices.Equal(fast.found, want) {
			for _, w := range words {
				t.Log(w.pos)
			}
			t.Fatalf("shortest %t, at most %d words between: %v, want %v", shortest, most, fast.found, want)
		}
	}
}
