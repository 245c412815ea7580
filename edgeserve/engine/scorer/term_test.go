package scorer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// No document below the frequency that reaching returns has a score above the least one of the page, and not many more
// are computed than needed.
func TestReachingSkipsNoScoreOfThePage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	skipped, kept := 0, 0
	for range 200_000 {
		s := &termScorer{weight: float32(math.Exp2(rnd.Float64()*20 - 10))}
		switch rnd.IntN(8) {
		case 0: // boosts of a body may be as small or as large as a number can be
			s.weight = float32(math.Exp2(rnd.Float64()*280 - 150))
		case 1:
			s.weight = [...]float32{0, math.SmallestNonzeroFloat32, math.MaxFloat32, float32(math.Inf(1))}[rnd.IntN(4)]
		}
		of := float32(1+rnd.IntN(50)) * float32(math.Exp2(rnd.Float64()*12-8))
		x := of
		if rnd.IntN(2) == 0 { // a neighbour of the page's last document
			for range rnd.IntN(40) {
				x = math.Nextafter32(x, float32(math.Inf(1)))
			}
		} else {
			x *= float32(math.Exp2(rnd.Float64()*2 - 1))
		}
		least := saturate(s.weight, of)
		if rnd.IntN(50) == 0 {
			least = -1 // the page is not full
		}
		above := saturate(s.weight, x) > least
		if above && x < s.reaching(least) {
			t.Fatalf("weight %g: the frequency %g has the score %g above %g, but %g is needed", s.weight, x, saturate(s.weight, x), least, s.reaching(least))
		}
		if !above && s.weight > 1e-3 && s.weight < 1e3 && of < 16 && x < of*0.99 {
			if kept++; x < s.reaching(least) {
				kept--
				skipped++
			}
		}
	}
	if kept > skipped/100 {
		t.Errorf("%d documents below the page are skipped, %d are not", skipped, kept)
	}
}
