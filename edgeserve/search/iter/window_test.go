package iter

import "testing"

func TestAllFillsWindows(t *testing.T) {
	for _, n := range []docID{1, 63, 64, 65, windowLen - 1, windowLen, windowLen + 1, 3*windowLen + 7} {
		for _, start := range []docID{0, 1, 63, 64, windowLen - 1, windowLen + 5} {
			s, w := &allScorer{n: n, sameScore: 2}, &window{}
			got := start
			for d := s.seek(start); d != noMore; {
				base := d &^ 63
				w.clear()
				d = s.fill(w, base, base+windowLen, true)
				w.each(func(i uint32) {
					if base+i != got || w.scores[i] != 2 {
						t.Fatalf("%d of %d from %d: document %d, score %v", got, n, start, base+i, w.scores[i])
					}
					got++
				})
			}
			if got != max(n, start) {
				t.Errorf("%d documents from %d: ended before %d", n, start, got)
			}
		}
	}
}
