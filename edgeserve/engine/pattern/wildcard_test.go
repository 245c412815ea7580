// This file compares wildcards with equivalent expressions of package regexp, and their
// steps with the limit.

package pattern

import (
	"bytes"
	"errors"
	"math"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIsInfix(t *testing.T) {
	tests := []struct {
		pat  string
		fold Fold
		want bool
	}{
		{"*abc*", FoldAll, true},
		{"*ÄbC*", FoldAll, true},
		{"**a**", FoldAll, true},
		{`*a\**`, FoldAll, true},
		{"*abc*", FoldASCII, false},
		{"*abc*", FoldNone, false},
		{"abc*", FoldAll, false},
		{"*abc", FoldAll, false},
		{"*a?c*", FoldAll, false},
		{"*?abc*", FoldAll, false},
		{"*?*", FoldAll, false},
		{"*a*b*", FoldAll, false},
		{"*", FoldAll, false},
		{"", FoldAll, false},
	}
	for _, tt := range tests {
		if got := CompileWildcard(tt.pat, tt.fold).IsInfix(); got != tt.want {
			t.Errorf("%s, fold %d: %t, want %t", tt.pat, tt.fold, got, tt.want)
		}
	}
}

func TestWildcardMatch(t *testing.T) {
	tests := []struct {
		name, pat, term string
		fold            Fold
		want            bool
	}{
		{"empty matches empty", "", "", FoldNone, true},
		{"empty matches nothing else", "", "a", FoldNone, false},
		{"whole term", "new", "news", FoldNone, false},
		{"star at end", "new*", "news", FoldNone, true},
		{"star takes nothing", "new*", "new", FoldNone, true},
		{"star at start", "*ork", "new york", FoldNone, true},
		{"star inside", "n*k", "new york", FoldNone, true},
		{"ends overlap", "aba*aba", "ababa", FoldNone, false},
		{"single letter is both ends", "a*a", "a", FoldNone, false},
		{"two stars", "*a*b*", "xxaxxbxx", FoldNone, true},
		{"order counts", "*b*a*", "xxaxxbxx", FoldNone, false},
		{"first place is enough", "*ab*b", "abb", FoldNone, true},
		{"last must not reuse the middle", "*ab*b", "ab", FoldNone, false},
		{"an escaped letter has its case", `n\eW*`, "NEws", FoldASCII, false},
		{"and only that letter", `n\EW*`, "NEws", FoldASCII, true},
		{"at the start", `\new`, "New", FoldASCII, false},
		{"behind a star", `*x\Wx*`, "xwxWxXWX", FoldASCII, true},
		{"an escaped letter of any case", `n\eW`, "NEW", FoldAll, true},
		{"question mark is one", "?o*", "fox", FoldNone, true},
		{"question mark is not none", "what?", "what", FoldNone, false},
		{"question mark is a code point", "?", "漢", FoldNone, true},
		{"question mark is an astral code point", "a?b", "a😀b", FoldNone, true},
		{"question marks between stars", "*?a?*", "xaa", FoldNone, true},
		{"question marks between stars need room", "*?a?*", "ax", FoldNone, false},
		{"question mark in the last segment", "*a?", "bébaé", FoldNone, true},
		{"question marks never cut a code point", "*??b", "漢b", FoldNone, false},
		{"question marks never cut a code point between stars", "*??b*", "漢b", FoldNone, false},
		{"newline is a code point", "a*?b", "a\nb", FoldNone, true},
		{"escaped star", `a\*b`, "a*b", FoldNone, true},
		{"escaped star is no wildcard", `a\*b`, "axb", FoldNone, false},
		{"escaped question mark", `a\?`, "ab", FoldNone, false},
		{"escaped backslash", `a\\*`, `a\b`, FoldNone, true},
		{"escaped letter", `\a`, "a", FoldNone, true},
		{"backslash at the end", `a\`, `a\`, FoldNone, true},
		{"case counts", "New*", "news", FoldNone, false},
		{"ascii case", "nEW*", "News", FoldASCII, true},
		{"ascii case only", "É", "é", FoldASCII, false},
		{"ascii does not fold the kelvin sign", "k", "\u212a", FoldASCII, false},
		{"all case", "*CAFÉ*", "le café noir", FoldAll, true},
		{"final sigma", "ΟΔΟΣ", "οδος", FoldAll, true},
		{"kelvin sign", "*k", "5\u212a", FoldAll, true},
		{"long s", "*S?", "Baſe", FoldAll, true},
		{"dotted capital i stays apart", "i", "İ", FoldAll, false},
		{"sharp s has a capital", "straße", "STRAẞE", FoldAll, true},
		{"a sharp s is not two letters", "strasse", "straße", FoldAll, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := CompileWildcard(tt.pat, tt.fold)
			if got := w.Match([]byte(tt.term)); got != tt.want {
				t.Errorf("%q matches %q: %v, want %v", tt.pat, tt.term, got, tt.want)
			}
		})
	}
}

func TestWildcardPlan(t *testing.T) {
	tests := []struct {
		name, pat string
		fold      Fold
		prefix    string
		literals  string // joined by |
		all       bool
		minRunes  int
	}{
		{"empty", "", FoldNone, "", "", false, 0},
		{"star", "*", FoldNone, "", "", true, 0},
		{"stars", "***", FoldAll, "", "", true, 0},
		{"question mark", "?", FoldNone, "", "", false, 1},
		{"exact", `a\*é`, FoldNone, "a*é", "a*é", false, 3},
		{"exact folded", "ÀB", FoldAll, "", "àb", false, 2},
		{"prefix", "ab*cd?e*", FoldNone, "ab", "ab|cd|e", false, 6},
		{"question mark ends the prefix", "a?b", FoldNone, "a", "a|b", false, 3},
		{"leading star", "*ab", FoldNone, "", "ab", false, 2},
		{"prefix without case", "12-A*", FoldAll, "12-", "12-a", false, 4},
		{"umlaut has no ascii case", "Ä1a*", FoldASCII, "Ä1", "Ä1a", false, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := CompileWildcard(tt.pat, tt.fold)
			if got := string(w.Prefix()); got != tt.prefix {
				t.Errorf("Prefix %q, want %q", got, tt.prefix)
			}
			if got := string(bytes.Join(w.Literals(), []byte("|"))); got != tt.literals {
				t.Errorf("Literals %q, want %q", got, tt.literals)
			}
			if w.MatchesAll() != tt.all {
				t.Errorf("MatchesAll %v, want %v", w.MatchesAll(), tt.all)
			}
			if w.MinRunes() != tt.minRunes {
				t.Errorf("MinRunes %d, want %d", w.MinRunes(), tt.minRunes)
			}
		})
	}
}

// translate converts pat to a regular expression of package regexp.
func translate(pat string, fold Fold) *regexp.Regexp {
	out := "(?s)"
	if fold == FoldAll {
		out = "(?si)"
	}
	out += `\A(?:`
	for _, t := range scanWildcard(pat) {
		switch {
		case t.special && t.r == '*':
			out += ".*"
		case t.special:
			out += "."
		case fold == FoldASCII && t.r < utf8.RuneSelf && !t.escaped:
			c := string(t.r)
			out += "[" + regexp.QuoteMeta(strings.ToLower(c)) + regexp.QuoteMeta(strings.ToUpper(c)) + "]"
		default:
			out += regexp.QuoteMeta(string(t.r))
		}
	}
	return regexp.MustCompile(out + `)\z`)
}

// counted matches a term, and counts the steps.
func counted(w *Wildcard, term string) (ok bool, steps int) {
	c := matchWork{next: math.MaxInt}
	ok = w.match([]byte(term), &c)
	return ok, c.steps
}

// MatchWithin charges long terms while it compares them. An error of charge ends the comparison.
func TestMatchWithin(t *testing.T) {
	w := CompileWildcard("*"+strings.Repeat("?", 100)+"b*", FoldAll)
	term := []byte(strings.Repeat("a", 1<<20))
	enough := errors.New("enough")
	charged, calls := 0, 0
	if w.MatchWithin(term, func(n int) error { charged += n; return nil }) || charged < 99*len(term)/matchPerStep {
		t.Errorf("charged %d steps", charged)
	}
	if w.MatchWithin(term, func(int) error { calls++; return enough }) || calls != 1 {
		t.Errorf("went on to call %d", calls)
	}
	free := func(n int) error { t.Errorf("charged %d steps for one pass", n); return nil }
	if !CompileWildcard("*needle?*", FoldAll).MatchWithin(append(term, "needles"...), free) {
		t.Error("found nothing")
	}
}

// checkWildcard compares a pattern with its twin on a term. It also checks Prefix, MinRunes and
// Literals.
func checkWildcard(t *testing.T, pat, term string, fold Fold) (matched bool) {
	t.Helper()
	w := CompileWildcard(pat, fold)
	got, steps := counted(w, term)
	if want := translate(pat, fold).MatchString(term); got != want {
		t.Fatalf("%q fold %d matches %q: %v, want %v", pat, fold, term, got, want)
	}
	if limit := (len(pat) + 1) * (len(term) + 1) * 2; steps > limit {
		t.Fatalf("%q on %q took %d steps, limit %d", pat, term, steps, limit)
	}
	if !got {
		return false
	}
	if !strings.HasPrefix(term, string(w.Prefix())) {
		t.Fatalf("%q fold %d matches %q without its prefix %q", pat, fold, term, w.Prefix())
	}
	if utf8.RuneCountInString(term) < w.MinRunes() {
		t.Fatalf("%q matches %q, shorter than %d", pat, term, w.MinRunes())
	}
	checkFolded(t, w, pat, term)
	return true
}

// checkFolded looks for the literals in a matching term.
func checkFolded(t *testing.T, w *Wildcard, pat, term string) {
	t.Helper()
	var folded []byte
	for _, r := range term {
		folded = utf8.AppendRune(folded, w.fold.rune(r))
	}
	for _, l := range w.Literals() {
		i := bytes.Index(folded, l)
		if i < 0 {
			t.Fatalf("%q matches %q without the literal %q", pat, term, l)
		}
		folded = folded[i+len(l):]
	}
}

// randomText returns up to n of the letters.
func randomText(r *rand.Rand, letters []string, n int) string {
	var b strings.Builder
	for n = r.Intn(n + 1); n > 0; n-- {
		b.WriteString(letters[r.Intn(len(letters))])
	}
	return b.String()
}

func TestWildcardAgreesWithRegexp(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	patterns := []string{"a", "A", "b", "s", "é", "É", "*", "*", "?", `\`, "\u017f", "漢", "\n"}
	terms := []string{"a", "a", "A", "b", "s", "S", "é", "É", "\u017f", "*", "?", `\`, "漢", "\n"}
	matches := 0
	for range 15_000 {
		pat, term := randomText(r, patterns, 7), randomText(r, terms, 8)
		if checkWildcard(t, pat, term, Fold(r.Intn(3))) {
			matches++
		}
	}
	if matches < 500 {
		t.Errorf("only %d matches: the draw proves little", matches)
	}
}

func TestWildcardHostile(t *testing.T) {
	as := strings.Repeat("a", 10_000)
	tests := []struct{ name, pat, term string }{
		{"stars and one letter", "*a*a*a*b", as},
		{"many stars and one letter", strings.Repeat("*a", 5000) + "*b", as},
		{"long almost matching segment", "*" + strings.Repeat("a", 500) + "b*", as},
		{"question marks", "*" + strings.Repeat("a?", 200) + "b*c", as},
		{"many stars", strings.Repeat("*", 15_000), as},
		{"many question marks", strings.Repeat("*?", 12_000), as},
	}
	for _, tt := range tests {
		for _, fold := range []Fold{FoldNone, FoldAll} {
			t.Run(tt.name, func(t *testing.T) {
				w := CompileWildcard(tt.pat, fold)
				_, steps := counted(w, tt.term)
				if limit := (w.MinRunes() + 1) * (len(tt.term) + 1); steps > limit {
					t.Errorf("%d steps, limit %d", steps, limit)
				}
			})
		}
	}
	w := CompileWildcard("*a*a*a*b", FoldAll)
	if _, steps := counted(w, as); steps > 4*len(as) {
		t.Errorf("short segments took %d steps on %d bytes", steps, len(as))
	}
}

func TestWildcardInvalidUTF8(t *testing.T) {
	for _, pat := range []string{"*", "?", "a\xff*", "*\xe6\xbc", "?*?"} {
		for _, fold := range []Fold{FoldNone, FoldASCII, FoldAll} {
			w := CompileWildcard(pat, fold)
			for _, term := range []string{"\xff", "a\xffb", "\xe6\xbc", "\xf0\x9f\x98", "é\xa9"} {
				w.Match([]byte(term))
			}
		}
	}
	if !CompileWildcard("a?b", FoldNone).Match([]byte("a\xffb")) {
		t.Error("an invalid byte is not one code point")
	}
}

func BenchmarkWildcard(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 3))
	for _, bb := range []struct {
		name, pat string
		fold      Fold
	}{
		{"infix", "*lazy cat*", FoldNone},
		{"infix folded", "*LAZY cat*", FoldAll},
		{"two stars", "*quick*lazy*dog. ", FoldNone},
		{"question mark", "*l?zy c?t*", FoldNone},
	} {
		w := CompileWildcard(bb.pat, bb.fold)
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				w.Match(text)
			}
		})
	}
}
