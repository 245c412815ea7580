// This file compares fuzzy matching with the full distance table. The matcher computes only
// a band of it.

package pattern

import (
	"math"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFuzzyDistance(t *testing.T) {
	tests := []struct {
		name, word    string
		edits, prefix int
		term          string
		d             int
		ok            bool
	}{
		{"same", "quick", 2, 0, "quick", 0, true},
		{"swap", "quikc", 1, 0, "quick", 1, true},
		{"replace", "quack", 1, 0, "quick", 1, true},
		{"insert", "quck", 1, 0, "quick", 1, true},
		{"delete", "quiick", 1, 0, "quick", 1, true},
		{"two swaps", "uqikc", 2, 0, "quick", 2, true},
		{"two edits over one", "quackk", 1, 0, "quick", 0, false},
		{"two edits", "quackk", 2, 0, "quick", 2, true},
		{"three edits", "kitten", 2, 0, "sitting", 0, false},
		{"no part is edited twice", "ca", 2, 0, "abc", 0, false},
		{"swap at the end", "abdc", 1, 0, "abcd", 1, true},
		{"code points, not bytes", "漢字", 1, 0, "漢子", 1, true},
		{"swap of long code points", "漢字", 1, 0, "字漢", 1, true},
		{"astral", "a😀b", 1, 0, "ab", 1, true},
		{"shorter than the edits", "fox", 2, 0, "to", 2, true},
		{"two edits make nothing", "ab", 2, 0, "", 2, true},
		{"empty word", "", 2, 0, "a", 0, false},
		{"empty both", "", 2, 0, "", 0, true},
		{"no edits", "fox", 0, 0, "fox", 0, true},
		{"no edits differ", "fox", 0, 0, "fog", 0, false},
		{"no edits longer", "fox", 0, 0, "foxy", 0, false},
		{"prefix kept", "quick", 2, 2, "quack", 1, true},
		{"prefix broken", "quick", 2, 3, "quack", 0, false},
		{"prefix shorter than the term", "abcd", 2, 3, "ab", 0, false},
		{"prefix is the word", "fox", 2, 3, "foxy", 0, false},
		{"prefix beyond the word", "fox", 2, 9, "fox", 0, true},
		{"edits are capped", "abcdef", 999999999, 0, "abc", 0, false},
		{"edits below nothing", "abc", -1, -1, "abd", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := CompileFuzzy(tt.word, tt.edits, tt.prefix)
			d, ok := f.Distance([]byte(tt.term))
			if ok != tt.ok || ok && d != tt.d {
				t.Errorf("%q to %q: %d %v, want %d %v", tt.word, tt.term, d, ok, tt.d, tt.ok)
			}
			if f.Match([]byte(tt.term)) != tt.ok {
				t.Errorf("Match says otherwise")
			}
		})
	}
}

func TestFuzzyPlan(t *testing.T) {
	tests := []struct {
		name, word    string
		edits, prefix int
		min, max      int
		start         string
	}{
		{"no prefix", "quick", 2, 0, 3, 7, ""},
		{"prefix", "äquick", 1, 2, 5, 7, "äq"},
		{"prefix longer than the least", "quick", 2, 4, 4, 7, "quic"},
		{"no edits", "quick", 0, 0, 5, 5, "quick"},
		{"short", "a", 2, 0, 0, 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := CompileFuzzy(tt.word, tt.edits, tt.prefix)
			if f.MinRunes() != tt.min || f.MaxRunes() != tt.max || string(f.Prefix()) != tt.start {
				t.Errorf("got %d %d %q, want %d %d %q", f.MinRunes(), f.MaxRunes(), f.Prefix(), tt.min, tt.max, tt.start)
			}
		})
	}
}

func TestFuzzySimilarity(t *testing.T) {
	tests := []struct {
		name, word, term string
		d                int
		similarity       float64
	}{
		{"same", "fox", "fox", 0, 1},
		{"empty", "", "", 0, 1},
		{"one of five", "quick", "quikc", 1, 0.8},
		{"the shorter counts", "foxes", "foxe", 1, 0.75},
		{"code points count", "漢字", "漢子", 1, 0.5},
		{"nothing left", "fox", "to", 2, 0},
		{"below nothing", "a", "bc", 2, -1},
		{"empty term", "ab", "", 2, math.Inf(-1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := CompileFuzzy(tt.word, 2, 0)
			if s := f.Similarity(tt.d, []byte(tt.term)); s != tt.similarity {
				t.Errorf("Similarity %v, want %v", s, tt.similarity)
			}
		})
	}
}

// distanceTable implements the definition: distances between all prefixes.
func distanceTable(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// wanted applies the rules for edits and prefix to the table.
func wanted(word, term string, edits, prefix int) (d int, ok bool) {
	a, b := []rune(word), []rune(term)
	edits, prefix = min(max(edits, 0), MaxEdits), max(prefix, 0)
	if edits == 0 || prefix >= len(a) {
		return 0, string(a) == string(b)
	}
	if len(b) < prefix || string(a[:prefix]) != string(b[:prefix]) {
		return 0, false
	}
	d = distanceTable(a, b)
	return d, d <= edits
}

// checkFuzzy compares the matcher with the table on a term.
func checkFuzzy(t *testing.T, word, term string, edits, prefix int) bool {
	t.Helper()
	f := CompileFuzzy(word, edits, prefix)
	d, ok := f.Distance([]byte(term))
	wantD, wantOK := wanted(word, term, edits, prefix)
	if ok != wantOK || ok && d != wantD {
		t.Fatalf("%q edits %d prefix %d to %q: %d %v, want %d %v", word, edits, prefix, term, d, ok, wantD, wantOK)
	}
	if ok && !strings.HasPrefix(term, string(f.Prefix())) {
		t.Fatalf("%q matches %q without its prefix %q", word, term, f.Prefix())
	}
	if n := utf8.RuneCountInString(term); ok && (n < f.MinRunes() || n > f.MaxRunes()) {
		t.Fatalf("%q matches %q, out of its bounds", word, term)
	}
	return ok
}

func TestFuzzyAgreesWithTable(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	letters := []string{"a", "b", "c", "é", "漢"}
	matches := 0
	for range 15_000 {
		word, term := randomText(r, letters, 6), randomText(r, letters, 6)
		if checkFuzzy(t, word, term, r.Intn(3), max(0, r.Intn(5)-2)) {
			matches++
		}
	}
	if matches < 1_000 {
		t.Errorf("only %d matches: the draw proves little", matches)
	}
}

// TestFuzzyLongWords makes a few edits in long words.
func TestFuzzyLongWords(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	letters := []string{"a", "b", "é", "😀"}
	for range 300 {
		word := []rune(strings.Repeat("x", 60) + randomText(r, letters, 200))
		term := append([]rune{}, word...)
		for n := r.Intn(4); n > 0; n-- {
			i := r.Intn(len(term) - 1)
			switch r.Intn(3) {
			case 0:
				term[i], term[i+1] = term[i+1], term[i]
			case 1:
				term = append(term[:i], term[i+1:]...)
			default:
				term[i] = 'é'
			}
		}
		f := CompileFuzzy(string(word), 2, 0)
		d, ok := f.Distance([]byte(string(term)))
		want := distanceTable(word, term)
		if ok != (want <= 2) || ok && d != want {
			t.Fatalf("%q to %q: %d %v, want %d", string(word), string(term), d, ok, want)
		}
	}
}

func TestFuzzyInvalidUTF8(t *testing.T) {
	f := CompileFuzzy("abc", 1, 0)
	if d, ok := f.Distance([]byte("a\xffc")); !ok || d != 1 {
		t.Errorf("got %d %v: an invalid byte is one code point", d, ok)
	}
	CompileFuzzy("a\xff", 2, 1).Distance([]byte("a\xff\xf0\x9f"))
}

func BenchmarkFuzzy(b *testing.B) {
	f := CompileFuzzy("elasticsearch", 2, 0)
	for _, term := range []string{"elasticsaerch", "elephant", "zebra"} {
		b.Run(term, func(b *testing.B) {
			text := []byte(term)
			b.ReportAllocs()
			for b.Loop() {
				f.Distance(text)
			}
		})
	}
}
