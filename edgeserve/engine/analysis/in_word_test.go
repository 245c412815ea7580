// These tests prove by all code points, and by random texts, what patterns on whole values rely on.

package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestInWord(t *testing.T) {
	for r, want := range map[rune]bool{'a': true, 'Z': true, '7': true, 'é': true, 'ς': true, 'ſ': true, 'я': true,
		' ': false, '_': false, '-': false, '東': false, 'カ': false, 'א': false, 'İ': false, '™': false, utf8.RuneError: false} {
		if got := InWord(r); got != want {
			t.Errorf("InWord(%q) = %v", r, got)
		}
	}
}

// Case variants are alike, and where no other character has the lower case of one, a word with it has one of them.
func TestInWordInAnyCase(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if next := unicode.SimpleFold(r); InWord(r) != InWord(next) {
			t.Errorf("%q and %q differ", r, next)
		}
		if lower := lowerOf(r); !sameLetter(r, lower) && !IsLowerOfAnother(lower) {
			t.Errorf("%q has the lower case %q", r, lower)
		}
	}
	if !IsLowerOfAnother('i') || IsLowerOfAnother('k') {
		t.Error("i is the lower case of İ too, k of no other character")
	}
}

func TestRunsAreInOneTerm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 36))
	byClass := make([][]rune, classCount)
	for r := rune(0); r < planes; r++ {
		if c := classOf(r); len(byClass[c]) < 500 {
			byClass[c] = append(byClass[c], r)
		}
	}
	for range 20_000 {
		var text []rune
		for range rng.IntN(30) {
			some := byClass[rng.IntN(len(byClass))]
			if rng.IntN(2) == 0 {
				some = byClass[letter+class(rng.IntN(3))]
			}
			if len(some) > 0 {
				text = append(text, some[rng.IntN(len(some))])
			}
		}
		if rng.IntN(50) == 0 {
			text = append([]rune(strings.Repeat("x", rng.IntN(600))), text...)
		}
		if rng.IntN(50) == 0 {
			text = []rune(strings.Repeat("x", 250+rng.IntN(8)) + "y𐐨z")
		}
		terms := Terms(string(text))
		for from := 0; from < len(text); from++ {
			to := from
			for to < len(text) && InWord(text[to]) {
				to++
			}
			if run := string(text[from:to]); to > from && !inSome(terms, run) {
				t.Fatalf("%q: no term has %q: %q", string(text), run, terms)
			}
			from = to
		}
	}
}

// inSome reports whether a term contains a run in lower case, or is cut.
func inSome(terms []string, run string) bool {
	for _, term := range terms {
		if len(term) >= CutTerm || strings.Contains(term, Lower(run)) {
			return true
		}
	}
	return false
}
