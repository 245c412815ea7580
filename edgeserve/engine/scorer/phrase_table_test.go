package scorer

import (
	"strings"
	"testing"
)

var phraseDocs = []string{
	"red fox",
	"fox red",
	"quick quick quick fox",
	"red blue fox",
	"red fox red fox red",
	"red",
	"the red fox the red hen the red fox",
	"red red fox",
	"hen fox red",
}

// phraseOf makes a phrase of words. A word with a star at its end stands for all words that begin with it.
func phraseOf(phrase string, slop int, boost float64) func(*corpus, *Request) Scorer {
	return func(c *corpus, r *Request) Scorer {
		var slots []Slot
		for _, w := range strings.Fields(phrase) {
			begin, prefix := strings.CutSuffix(w, "*")
			s := Slot{Terms: c.infos(w), Key: begin, Prefix: prefix}
			if prefix {
				s.Terms = Expand(c.text(), begin, 50)
			}
			slots = append(slots, s)
		}
		return r.Phrase(c.text(), slots, slop, boost)
	}
}

// frequent returns the scores of documents by the frequencies of a phrase.
func frequent(phrase string, frequencies map[int]float64) scores {
	out := scores{}
	for doc, f := range frequencies {
		out[doc] = bm25Of(phraseDocs, doc, f, strings.Fields(phrase)...)
	}
	return out
}

func TestPhrase(t *testing.T) {
	exact := func(phrase string, frequencies map[int]float64) scoreCase {
		return scoreCase{phrase, phraseOf(phrase, 0, 1), frequent(phrase, frequencies)}
	}
	checkCases(t, texts(t, phraseDocs...), []scoreCase{
		exact("red fox", map[int]float64{0: 1, 4: 2, 6: 2, 7: 1}),
		exact("fox red", map[int]float64{1: 1, 4: 2, 8: 1}),
		exact("red red", map[int]float64{7: 1}),
		exact("quick quick", map[int]float64{2: 2}),
		exact("quick quick quick", map[int]float64{2: 1}),
		exact("quick quick quick quick", nil),
		exact("red blue fox", map[int]float64{3: 1}),
		exact("the red fox", map[int]float64{6: 2}),
		exact("fox the red hen the", map[int]float64{6: 1}),
		exact("red fox red fox red", map[int]float64{4: 1}),
		exact("blue red", nil),
		exact("quick hen", nil),
		{"boosted", phraseOf("red blue", 0, 3), scores{3: 3 * bm25Of(phraseDocs, 3, 1, "red", "blue")}},
	})
}

// TestSloppyPhrase has a slop: words n places from theirs count 1/(1+n), and two neighbours that change places are
// two places away.
func TestSloppyPhrase(t *testing.T) {
	sloppy := func(phrase string, slop int, frequencies map[int]float64) scoreCase {
		return scoreCase{phrase, phraseOf(phrase, slop, 1), frequent(phrase, frequencies)}
	}
	third := 1.0 / 3
	checkCases(t, texts(t, phraseDocs...), []scoreCase{
		sloppy("red fox", 1, map[int]float64{0: 1, 3: 0.5, 4: 2, 6: 2, 7: 1}),
		sloppy("fox red", 1, map[int]float64{1: 1, 4: 2, 6: 0.5, 8: 1}),
		sloppy("red fox", 2, map[int]float64{0: 1, 1: third, 3: 0.5, 4: 2, 6: 2, 7: 1, 8: third}),
		sloppy("hen red", 1, map[int]float64{6: 0.5, 8: 0.5}),
		sloppy("hen blue", 9, nil),
		sloppy("quick fox", 1, map[int]float64{2: 1}),
		sloppy("red blue", 2, map[int]float64{3: 1}),
		sloppy("blue red", 2, map[int]float64{3: third}),
		sloppy("blue red", 1, nil),
		// one token is never two words of a phrase
		sloppy("red red", 1, map[int]float64{4: 1, 7: 1}),
		sloppy("red red", 9, map[int]float64{4: 1, 6: third + third, 7: 1}),
		sloppy("red fox red", 1, map[int]float64{4: 2, 6: 0.5}),
	})
}

// TestPhrasePrefix has several words in the last place; each adds its idf.
func TestPhrasePrefix(t *testing.T) {
	prefix := func(phrase string, slop int, words string, frequencies map[int]float64) scoreCase {
		return scoreCase{phrase, phraseOf(phrase, slop, 1), frequent(words, frequencies)}
	}
	checkCases(t, texts(t, phraseDocs...), []scoreCase{
		prefix("red f*", 0, "red fox", map[int]float64{0: 1, 4: 2, 6: 2, 7: 1}),
		prefix("the red *", 0, "the red blue fox hen quick red the", map[int]float64{6: 3}),
		prefix("quick q*", 0, "quick quick", map[int]float64{2: 2}),
		prefix("quick quick*", 1, "quick quick", map[int]float64{2: 2}),
		prefix("red b* fox", 0, "red blue fox", map[int]float64{3: 1}),
	})
}

func TestTextPhrase(t *testing.T) {
	r := &Request{}
	r.Open(NewWorkLimit(t.Context()), 1)
	defer r.Close()
	for _, row := range []struct {
		phrase string
		slop   int
		prefix bool
		text   string
		want   bool
	}{
		{"2021 04", 0, false, "2021-04-23", true},
		{"2021 04", 0, false, "04 2021", false},
		{"2021 04", 2, false, "04 2021", true},
		{"2021 04", 1, false, "04 2021", false},
		{"2021 23", 0, false, "2021-04-23", false},
		{"2021 23", 1, false, "2021-04-23", true},
		{"2021 2", 1, false, "2021-04-23", false},
		{"2021 04 2", 0, true, "2021-04-23", true},
		{"2021 0 2", 0, true, "2021-04-23", false},
		{"04 04", 1, false, "04 05 04", true},
		{"04 04", 1, false, "04 05 06", false},
		{"04", 0, false, "2021-04-23", true},
		{"04", 3, false, "2021-04-23", true},
		{"0", 0, false, "2021-04-23", false},
		{"0", 0, true, "2021-04-23", true},
		{"true", 0, false, "TRUE", true},
		{"2021", 0, false, "", false},
	} {
		m := r.TextPhrase(strings.Fields(row.phrase), row.slop, row.prefix)
		for range 2 { // the second text meets what the first has left
			if got, _ := m.Test([]byte(row.text), 0); got != row.want {
				t.Errorf("%q~%d (prefix %t) in %q: %t, want %t", row.phrase, row.slop, row.prefix, row.text, got, row.want)
			}
			m.Test([]byte("2021 04 23"), 0)
		}
	}
}
