package scorer

import (
	"math"
	"strings"
	"testing"
)

// TestWord has texts of several lengths, an empty text, and words that are rare, frequent and in every text.
func TestWord(t *testing.T) {
	docs := []string{"red fox", "red red hen", "the red fox and the hen and the red dog", "", "red"}
	score := func(doc int, tf float64, word string) float64 { return bm25Of(docs, doc, tf, word) }
	word := func(word string, boost float64) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return r.Word(c.text(), []byte(word), boost) }
	}
	checkCases(t, texts(t, docs...), []scoreCase{
		{"in one document", word("dog", 1), scores{2: score(2, 1, "dog")}},
		{"the shorter text is first", word("fox", 1), scores{0: score(0, 1, "fox"), 2: score(2, 1, "fox")}},
		{"in every text", word("red", 1), scores{0: score(0, 1, "red"), 1: score(1, 2, "red"), 2: score(2, 2, "red"), 4: score(4, 1, "red")}},
		{"three times", word("the", 1), scores{2: score(2, 3, "the")}},
		{"boosted", word("hen", 2.5), scores{1: 2.5 * score(1, 1, "hen"), 2: 2.5 * score(2, 1, "hen")}},
		{"boost 0", word("hen", 0), scores{1: 0, 2: 0}},
		{"in no document", word("owl", 1), scores{}},
		{"before the first word", word("", 1), scores{}},
		{"after the last word", word("zoo", 1), scores{}},
		{"the begin of a word", word("re", 1), scores{}},
		{"scored as if all five had it", func(c *corpus, r *Request) Scorer {
			return r.Term(c.text(), []byte("dog"), c.infos("dog")[0], c.infos("red")[0].DF, 1)
		}, scores{2: score(2, 1, "dog") / idfOf(docs, "dog") * idfOf(docs, "red")}},
	})
}

// TestWordOfALongText has lengths that the index stores rounded: 100 words count as 96, 41 as 40, 39 as 39.
func TestWordOfALongText(t *testing.T) {
	var docs []string
	for _, words := range []int{100, 41, 39, 2} {
		docs = append(docs, "a"+strings.Repeat(" b", words-1))
	}
	word := func(word string) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return c.word(r, word) }
	}
	at := func(length int, tf float64, word string) float64 { return bm25At(docs, length, tf, word) }
	checkCases(t, texts(t, docs...), []scoreCase{
		{"once in each", word("a"), scores{0: at(96, 1, "a"), 1: at(40, 1, "a"), 2: at(39, 1, "a"), 3: at(2, 1, "a")}},
		{"often in each", word("b"), scores{0: at(96, 99, "b"), 1: at(40, 40, "b"), 2: at(39, 38, "b"), 3: at(2, 1, "b")}},
	})
}

// TestKeywordScore has the score of a value without frequencies and lengths.
func TestKeywordScore(t *testing.T) {
	for _, c := range corpora(t, `{"k":"a"}`, `{"k":["a","b"]}`, `{"k":["b","c","d"]}`, `{}`) {
		column := c.reader.Field("Data.k").Column()
		idf := func(df float64) float64 { return math.Log(1 + (3-df+0.5)/(df+0.5)) } // three documents have a value
		part := 1 / (1 + 1.2*(0.25+0.75/2))                                          // two values each
		for df, boost := range map[int]float64{1: 1, 2: 3} {
			if got, want := KeywordScore(column, df, boost), boost*2.2*idf(float64(df))*part; math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: a value of %d documents has the score %v, want %v", c.name, df, got, want)
			}
		}
		name := func() string { return "Data.k:b" }
		checkCases(t, []*corpus{c}, []scoreCase{{"keyword", func(c *corpus, r *Request) Scorer {
			return r.Keyword(c.reader.Field("Data.k").Column(), 1, 2, 3, name)
		}, scores{1: 6.6 * idf(2) * part, 2: 6.6 * idf(2) * part}}})
	}
}
