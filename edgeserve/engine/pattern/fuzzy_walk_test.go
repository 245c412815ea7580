// These tests compare walks of sorted dictionaries with the full distance table of each term.

package pattern

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// canExtend reports whether start matches after an ending of the word is appended. If any
// extension of start matches, one of these does, possibly after one swapped code point.
func canExtend(f *Fuzzy, start string) bool {
	for i := 0; i <= len(f.word); i++ {
		end := string(f.word[i:])
		if _, ok := wanted(string(f.word), start+end, f.edits, f.fixed); ok {
			return true
		}
		if i > 1 {
			end = string(f.word[i-2]) + end
			if _, ok := wanted(string(f.word), start+end, f.edits, f.fixed); ok {
				return true
			}
		}
	}
	return false
}

// walked returns the distances of the terms that a walk finds, by term.
func walked(t *testing.T, f *Fuzzy, terms []string) (found map[string]int, visited int) {
	t.Helper()
	found = map[string]int{}
	w := f.Walk()
	last := ""
	for i := 0; i < len(terms); visited++ {
		term := terms[i]
		same := 0
		for same < len(term) && same < len(last) && term[same] == last[same] {
			same++
		}
		d, dead, next := w.Distance([]byte(term), same)
		if last = term; d >= 0 {
			found[term] = d
		}
		i++
		switch {
		case dead > 0 && next != nil:
			t.Fatalf("%q edits %d: both %d bytes are dead and %q is next", string(f.word), f.edits, dead, next)
		case dead > 0:
			for i < len(terms) && strings.HasPrefix(terms[i], term[:dead]) {
				i++
			}
		case next != nil:
			if string(next) <= term {
				t.Fatalf("%q edits %d: %q comes after %q", string(f.word), f.edits, next, term)
			}
			if utf8.Valid(next) && !canExtend(f, string(next)) {
				t.Fatalf("%q edits %d prefix %d: nothing begins with %q, where the walk goes on", string(f.word), f.edits, f.fixed, next)
			}
			i, _ = slices.BinarySearch(terms, string(next))
		}
	}
	return found, visited
}

func TestFuzzyWalk(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	letters := []string{"a", "b", "c", "d", "é", "\ud7ff", "\ue000", "漢", "\U0010ffff"}
	matches, visits, all := 0, 0, 0
	for range 600 {
		var terms []string
		for range 120 {
			terms = append(terms, randomText(r, letters, 6))
		}
		slices.Sort(terms)
		terms = slices.Compact(terms)
		word, edits, prefix := randomText(r, letters, 6), r.Intn(3), max(0, r.Intn(5)-2)
		f := CompileFuzzy(word, edits, prefix)
		found, visited := walked(t, f, terms)
		for _, term := range terms {
			want, ok := wanted(word, term, edits, prefix)
			if d, is := found[term]; is != ok || ok && d != want {
				t.Fatalf("%q edits %d prefix %d to %q: %d %t, want %d %t", word, edits, prefix, term, d, is, want, ok)
			}
		}
		matches, visits, all = matches+len(found), visits+visited, all+len(terms)
	}
	if matches < 1000 || visits > all/2 {
		t.Errorf("%d matches, %d of %d terms visited: the draw proves little", matches, visits, all)
	}
}

// TestFuzzyWalkInvalidUTF8 walks terms with invalid bytes. They count as U+FFFD, but sort above it.
func TestFuzzyWalkInvalidUTF8(t *testing.T) {
	terms := []string{"a\x80c", "\xe4\xb8", "\xe4\xb8\xadbc", "a\xc3", "a\u00e9bc", "a\xc3c", "a\uffe0xx", "a\xff", "a\xff\xff", "a\xffc", "b\xff", "\xffbc", "\xff\xffbc"}
	slices.Sort(terms)
	for _, edits := range []int{1, 2} {
		f := CompileFuzzy("abc", edits, 0)
		found, _ := walked(t, f, terms)
		for _, term := range terms {
			if _, ok := found[term]; ok != f.Match([]byte(term)) {
				t.Errorf("%q within %d edits: found %t", term, edits, ok)
			}
		}
	}
}
