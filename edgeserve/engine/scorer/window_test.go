package scorer

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

// A window has the scores that the documents have one by one, whatever lies in each part.
func TestDisjunctionMaxFillsWindows(t *testing.T) {
	for _, tie := range []float32{0, 0.3, 1} {
		parts := func() Scorer {
			var subs []Scorer
			for i, step := range []docID{1, 3, 700, 5000} {
				l := &listScorer{sameScore: sameScore(0.1 + 0.7*float32(i))}
				for d := step; d < 3*windowLen; d += step {
					l.docs = append(l.docs, d)
				}
				subs = append(subs, l)
			}
			return DisjunctionMax(subs, tie)
		}
		one, s, w, n := parts(), parts(), &window{}, 0
		for d := s.seek(5); d != noMore; {
			base := d &^ 63
			w.clear()
			d = s.fill(w, base, base+windowLen, true)
			w.each(func(i uint32) {
				if n++; one.seek(base+i) != base+i || one.score() != w.scores[i] {
					t.Fatalf("tie %v: document %d has score %v, want %v", tie, base+i, w.scores[i], one.score())
				}
			})
		}
		if n != 3*windowLen-5 {
			t.Errorf("tie %v: %d documents", tie, n)
		}
	}
}
