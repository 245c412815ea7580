package scorer

import (
	"math"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/explain"
)

// explainedOutline is an explanation in one line: descriptions, with the parts in brackets. It leaves out the factors of
// BM25, which explanations of a word end with.
func explainedOutline(e *explain.Explanation) string {
	text, found := strings.CutSuffix(e.Description, "[PerFieldSimilarity], result of:")
	if found || len(e.Details) == 0 {
		return strings.TrimSpace(text)
	}
	var parts []string
	for i := range e.Details {
		parts = append(parts, explainedOutline(&e.Details[i]))
	}
	return text + " [" + strings.Join(parts, "; ") + "]"
}

// TestExplanations has the words of Lucene for documents that match, and for other documents.
func TestExplanations(t *testing.T) {
	c := texts(t, boolDocs...)[0]
	text := func(s string) func() string { return func() string { return s } }
	four := func(word string, boost float64) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return Boosted(r.Word(c.text(), []byte(word), boost), boost) }
	}
	for _, row := range []struct {
		name string
		make func(c *corpus, r *Request) Scorer
		doc  docID
		want string
	}{
		{"a word", four("a", 1), 0, "weight(Data.t:a in 0)"},
		{"another document", four("a", 1), 1, "no matching term"},
		{"a word of no document", four("z", 1), 1, "no matching term"},
		{"nothing", func(*corpus, *Request) Scorer { return nil }, 1, "no matching term"},
		{"a constant", func(c *corpus, r *Request) Scorer { return Constant(four("a", 1)(c, r), 2) }, 0, "ConstantScore(Data.t:a)^2.0"},
		{"a constant of 1", func(c *corpus, r *Request) Scorer { return Constant(four("a", 1)(c, r), 1) }, 0, "ConstantScore(Data.t:a)"},
		{"a constant of a constant", func(c *corpus, r *Request) Scorer {
			return Constant(Constant(four("a", 1)(c, r), 2), 3)
		}, 0, "ConstantScore(Data.t:a)^3.0"},
		{"a constant that does not match", func(c *corpus, r *Request) Scorer { return Constant(four("a", 1)(c, r), 2) }, 1, "ConstantScore(Data.t:a) doesn't match id 1"},
		{"a boost of 0", func(c *corpus, r *Request) Scorer { return Boosted(Constant(four("a", 1)(c, r), 0), 0) }, 0, "ConstantScore(Data.t:a)^0.0"},
		{"everything", func(_ *corpus, r *Request) Scorer { return r.All(1) }, 0, "*:*"},
		{"described", func(c *corpus, r *Request) Scorer {
			return r.WithDescription(r.TermPrefix(c.text(), "a", 3), text("Data.t:a*"))
		}, 0, "Data.t:a*^3.0"},
		{"described, another document", func(c *corpus, r *Request) Scorer {
			return r.WithDescription(r.TermPrefix(c.text(), "a", 3), text("Data.t:a*"))
		}, 1, "Data.t:a* doesn't match id 1"},
		{"must and should", boolOf("a", "", "c", "", 0), 4, "sum of: [weight(Data.t:a in 4); weight(Data.t:c in 4)]"},
		{"a filter", boolOf("a", "c", "", "", 0), 4, "sum of: [weight(Data.t:a in 4); match on required clause, product of: [# clause; Data.t:c]]"},
		{"a filter that does not match", boolOf("a", "c", "", "", 0), 0, "Failure to meet condition(s) of required/prohibited clause(s)" +
			" [weight(Data.t:a in 0); no match on required clause (Data.t:c) [Data.t:c doesn't match id 0]]"},
		{"an exclusion", boolOf("a", "", "", "b", 0), 3, "Failure to meet condition(s) of required/prohibited clause(s)" +
			" [weight(Data.t:a in 3); match on prohibited clause (Data.t:b) [Data.t:b]]"},
		{"a must of no document", boolOf("az", "", "", "", 0), 0, "Failure to meet condition(s) of required/prohibited clause(s)" +
			" [weight(Data.t:a in 0); no match on required clause (Data.t:z) [no matching term]]"},
		{"too few optional clauses", boolOf("", "", "abc", "", 2), 0, "Failure to match minimum number of optional clauses: 2 [weight(Data.t:a in 0)]"},
		{"no optional clause", boolOf("", "", "abc", "", 1), 7, "No matching clauses"},
		{"one clause", boolOf("a", "", "", "", 0), 0, "weight(Data.t:a in 0)"},
		{"one filter", boolOf("", "a", "", "", 0), 0, "ConstantScore(Data.t:a)^0.0"},
		{"a bool in a bool", func(c *corpus, r *Request) Scorer {
			return r.Combine(&Clauses{Must: []Scorer{boolOf("", "", "ab", "", 1)(c, r)}, Filter: []Scorer{boolOf("bc", "", "", "", 0)(c, r)}})
		}, 0, "Failure to meet condition(s) of required/prohibited clause(s) [sum of: [weight(Data.t:a in 0)];" +
			" no match on required clause (+Data.t:b +Data.t:c) [+Data.t:b +Data.t:c doesn't match id 0]]"},
		{"the best", func(c *corpus, r *Request) Scorer { return DisjunctionMax(c.wordList(r, "a", "c"), 0) }, 4, "max of: [weight(Data.t:a in 4); weight(Data.t:c in 4)]"},
		{"the best and a share", func(c *corpus, r *Request) Scorer { return DisjunctionMax(c.wordList(r, "a", "c"), 0.5) }, 0, "max plus 0.5 times others of: [weight(Data.t:a in 0)]"},
		{"the best of none", func(c *corpus, r *Request) Scorer { return DisjunctionMax(c.wordList(r, "a", "c"), 0.5) }, 7, "No matching clause"},
		{"demoted", func(c *corpus, r *Request) Scorer { return Demoted(c.word(r, "a"), c.word(r, "c"), 0.5, 1) }, 4,
			"weight(FunctionScoreQuery(Data.t:a, scored by boost(queryboost(score(Data.t:c))^0.5))), result of:" +
				" [product of: [weight(Data.t:a in 4); Matched boosting query score(Data.t:c)]]"},
		{"not demoted, boosted", func(c *corpus, r *Request) Scorer { return Demoted(c.word(r, "a"), c.word(r, "c"), 0.5, 2) }, 0,
			"weight(FunctionScoreQuery(Data.t:a, scored by boost(queryboost(score(Data.t:c))^0.5))), product of: [boost; weight(Data.t:a in 0)]"},
		{"covering", func(c *corpus, r *Request) Scorer {
			return r.Covering(c.wordList(r, "a", "b"), func(docID) int { return 2 })
		}, 3, "2 matches for 2 required matches, sum of: [weight(Data.t:a in 3); weight(Data.t:b in 3)]"},
		{"a phrase", func(c *corpus, r *Request) Scorer { return phraseOf("a b", 0, 1)(c, r) }, 3, `weight(Data.t:"a b" in 3)`},
		{"a sloppy phrase", func(c *corpus, r *Request) Scorer { return phraseOf("a b", 2, 1)(c, r) }, 3, `weight(Data.t:"a b"~2 in 3)`},
		{"a phrase with several words in a place", func(c *corpus, r *Request) Scorer { return phraseOf("a b*", 0, 1)(c, r) }, 3, `weight(Data.t:"a b" in 3)`},
	} {
		r := &Request{Explain: true}
		r.Open(NewWorkLimit(t.Context()), c.reader.Items())
		e := r.ExplainScore(row.make(c, r), row.doc)
		if got := explainedOutline(&e); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.name, got, row.want)
		}
		r.Close()
	}
}

// TestExplainedFactors has the factors of BM25 in the explanation of a word.
func TestExplainedFactors(t *testing.T) {
	docs := []string{"a a b", "a", strings.TrimSuffix(strings.Repeat("b ", 50), " ")}
	c := texts(t, docs...)[0]
	r := &Request{Explain: true}
	r.Open(NewWorkLimit(t.Context()), c.reader.Items())
	defer r.Close()
	e := r.ExplainScore(r.Word(c.text(), []byte("a"), 3), 0)
	factors := map[string]float64{}
	var walk func(e *explain.Explanation)
	walk = func(e *explain.Explanation) {
		name, _, _ := strings.Cut(e.Description, ",")
		factors[name] = e.Value
		for i := range e.Details {
			walk(&e.Details[i])
		}
	}
	walk(&e)
	for name, want := range map[string]float64{
		"boost": 6.6, "idf": idfOf(docs, "a"), "n": 2, "N": 3, "freq": 2, "dl": 3, "avgdl": 18, "k1": 1.2, "b": 0.75,
		"tf": 2 / (2 + 1.2*(0.25+0.75*3/18)),
	} {
		if math.Abs(factors[name]-want) > 1e-6 {
			t.Errorf("%s is %v, want %v", name, factors[name], want)
		}
	}
}
