package scorer

import (
	"maps"
	"testing"
)

// boolDocs have every combination of the words a, b, c that a clause distinguishes.
var boolDocs = []string{"a", "b", "c", "a b", "a c c", "b c x", "a b c x", "x x", "a b c d e f"}

// sumOf adds up the scores of the words in each of docs. Each word is once in a text, but c twice in the fifth.
func sumOf(docs []int, words ...string) scores {
	out := scores{}
	for _, d := range docs {
		out[d] = 0
		for _, w := range words {
			out[d] += boolScore(d, w)
		}
	}
	return out
}

// boolScore is the score of a word that a document has.
func boolScore(doc int, word string) float64 {
	tf := 1.0
	if doc == 4 && word == "c" {
		tf = 2
	}
	return bm25Of(boolDocs, doc, tf, word)
}

// both joins the scores of different documents.
func both(parts ...scores) scores {
	out := scores{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}

// boolOf makes a bool query of words.
func boolOf(must, filter, should, not string, need int) func(*corpus, *Request) Scorer {
	return func(c *corpus, r *Request) Scorer {
		list := func(words string) (out []Scorer) {
			for _, w := range words {
				out = append(out, c.word(r, string(w)))
			}
			return out
		}
		return r.Combine(&Clauses{Must: list(must), Filter: list(filter), Should: list(should), Not: list(not), Need: need, Asked: need})
	}
}

func TestBool(t *testing.T) {
	checkCases(t, texts(t, boolDocs...), []scoreCase{
		{"must", boolOf("a", "", "", "", 0), sumOf([]int{0, 3, 4, 6, 8}, "a")},
		{"two musts", boolOf("ab", "", "", "", 0), sumOf([]int{3, 6, 8}, "a", "b")},
		{"three musts", boolOf("abc", "", "", "", 0), sumOf([]int{6, 8}, "a", "b", "c")},
		{"the same must twice", boolOf("aa", "", "", "", 0), sumOf([]int{0, 3, 4, 6, 8}, "a", "a")},
		{"a must without matches", boolOf("az", "", "", "", 0), scores{}},
		{"musts that never meet", boolOf("ed", "", "", "x", 0), sumOf([]int{8}, "d", "e")},
		{"filter", boolOf("", "b", "", "", 0), scores{1: 0, 3: 0, 5: 0, 6: 0, 8: 0}},
		{"two filters", boolOf("", "bc", "", "", 0), scores{5: 0, 6: 0, 8: 0}},
		{"a filter without matches", boolOf("a", "z", "", "", 0), scores{}},
		{"must and filter", boolOf("a", "c", "", "", 0), sumOf([]int{4, 6, 8}, "a")},
		{"must and filters", boolOf("c", "ab", "", "", 0), sumOf([]int{6, 8}, "c")},
		{"should", boolOf("", "", "ab", "", 1), both(sumOf([]int{3, 6, 8}, "a", "b"), sumOf([]int{0, 4}, "a"), sumOf([]int{1, 5}, "b"))},
		{"a should without matches", boolOf("", "", "az", "", 1), sumOf([]int{0, 3, 4, 6, 8}, "a")},
		{"two of two shoulds", boolOf("", "", "ab", "", 2), sumOf([]int{3, 6, 8}, "a", "b")},
		{
			"two of three shoulds", boolOf("", "", "abc", "", 2),
			both(sumOf([]int{3}, "a", "b"), sumOf([]int{4}, "a", "c"), sumOf([]int{5}, "b", "c"), sumOf([]int{6, 8}, "a", "b", "c")),
		},
		{"three of three shoulds", boolOf("", "", "abc", "", 3), sumOf([]int{6, 8}, "a", "b", "c")},
		{"three of two shoulds", boolOf("", "", "ab", "", 3), scores{}},
		{"two of two shoulds, one without matches", boolOf("", "", "az", "", 2), scores{}},
		{"must and should", boolOf("a", "", "c", "", 0), both(sumOf([]int{0, 3}, "a"), sumOf([]int{4, 6, 8}, "a", "c"))},
		{"must and needed should", boolOf("a", "", "c", "", 1), sumOf([]int{4, 6, 8}, "a", "c")},
		{"filter and should", boolOf("", "a", "c", "", 0), both(scores{0: 0, 3: 0}, sumOf([]int{4, 6, 8}, "c"))},
		{"filter and one of two shoulds", boolOf("", "x", "bd", "", 1), sumOf([]int{5, 6}, "b")},
		{"must_not", boolOf("a", "", "", "b", 0), sumOf([]int{0, 4}, "a")},
		{"two must_nots", boolOf("a", "", "", "bc", 0), sumOf([]int{0}, "a")},
		{"should and must_not", boolOf("", "", "ab", "c", 1), both(sumOf([]int{0}, "a"), sumOf([]int{1}, "b"), sumOf([]int{3}, "a", "b"))},
		{"must_not of everything", boolOf("a", "", "", "a", 0), scores{}},
		{"must_not without matches", boolOf("d", "", "", "z", 0), sumOf([]int{8}, "d")},
		{"all four", boolOf("a", "c", "bx", "d", 0), both(sumOf([]int{4}, "a"), sumOf([]int{6}, "a", "b", "x"))},
	})
}

// TestBoolOnlyExcludes has no clause that must match: every other document does, with the score 0.
func TestBoolOnlyExcludes(t *testing.T) {
	near := texts(t, boolDocs...)[:1]
	checkCases(t, near, []scoreCase{
		{"must_not", boolOf("", "", "", "ax", 0), scores{1: 0, 2: 0}},
		{"optional should and must_not", boolOf("", "", "b", "ax", 0), both(scores{2: 0}, sumOf([]int{1}, "b"))},
	})
}

// TestBoolInBool has conjunctions of what is not a word: disjunctions, exclusions, sets and everything.
func TestBoolInBool(t *testing.T) {
	any := func(c *corpus, r *Request, words ...string) Scorer { return Disjunction(c.wordList(r, words...), 1) }
	checkCases(t, texts(t, boolDocs...), []scoreCase{
		{"all of an any", func(c *corpus, r *Request) Scorer {
			return r.Combine(&Clauses{Must: []Scorer{any(c, r, "a", "b"), any(c, r, "c", "d")}})
		}, both(sumOf([]int{4}, "a", "c"), sumOf([]int{5}, "b", "c"), sumOf([]int{6}, "a", "b", "c"), sumOf([]int{8}, "a", "b", "c", "d"))},
		{"any of two alls", func(c *corpus, r *Request) Scorer {
			return Disjunction([]Scorer{boolOf("ab", "", "", "", 0)(c, r), boolOf("bc", "", "", "", 0)(c, r)}, 1)
		}, both(sumOf([]int{3}, "a", "b"), sumOf([]int{5}, "b", "c"), sumOf([]int{6, 8}, "a", "b", "b", "c"))},
		{"an exclusion of an exclusion", func(c *corpus, r *Request) Scorer {
			return Exclusion(c.word(r, "a"), []Scorer{Exclusion(c.word(r, "b"), []Scorer{c.word(r, "c")})})
		}, sumOf([]int{0, 4, 6, 8}, "a")},
		{"an exclusion of a set", func(c *corpus, r *Request) Scorer {
			return Exclusion(c.word(r, "a"), []Scorer{r.TermPrefix(c.text(), "c", 1)})
		}, sumOf([]int{0, 3}, "a")},
		{"everything and a word", func(c *corpus, r *Request) Scorer {
			return r.Combine(&Clauses{Must: []Scorer{r.All(2), c.word(r, "d")}})
		}, scores{8: 2 + boolScore(8, "d")}},
		{"a word that everything filters", func(c *corpus, r *Request) Scorer {
			return r.Combine(&Clauses{Must: []Scorer{c.word(r, "d")}, Filter: []Scorer{r.All(2)}})
		}, sumOf([]int{8}, "d")},
		{"a constant and its own filter", func(c *corpus, r *Request) Scorer {
			return r.Combine(&Clauses{Must: []Scorer{Constant(c.word(r, "b"), 0.5)}, Filter: []Scorer{Constant(c.word(r, "c"), 7)}})
		}, scores{5: 0.5, 6: 0.5, 8: 0.5}},
	})
}

func TestDisMax(t *testing.T) {
	best := func(tie float32, words ...string) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return DisjunctionMax(c.wordList(r, words...), tie) }
	}
	// c is in fewer texts than a, and b in as many; the fifth has c twice
	tied := func(tie float64) scores {
		out := both(sumOf([]int{0, 3}, "a"), sumOf([]int{2, 5}, "c"))
		for _, d := range []int{4, 6, 8} {
			a, c := boolScore(d, "a"), boolScore(d, "c")
			out[d] = max(a, c) + tie*min(a, c)
		}
		return out
	}
	checkCases(t, texts(t, boolDocs...), []scoreCase{
		{"the best", best(0, "a", "c"), tied(0)},
		{"and a share of the others", best(0.3, "a", "c"), tied(0.3)},
		{"and the others", best(1, "a", "c"), tied(1)},
		{"of one", best(0.3, "b"), sumOf([]int{1, 3, 5, 6, 8}, "b")},
		{"of one with matches", best(0.3, "b", "z"), sumOf([]int{1, 3, 5, 6, 8}, "b")},
		{"of none with matches", best(0.3, "y", "z"), scores{}},
		{"of constants", func(c *corpus, r *Request) Scorer {
			return DisjunctionMax([]Scorer{Constant(c.word(r, "d"), 4), Constant(c.word(r, "x"), 2), Constant(c.word(r, "c"), 3)}, 0.5)
		}, scores{2: 3, 4: 3, 5: 4, 6: 4, 7: 2, 8: 5.5}},
	})
}

func TestConstantAndDemoted(t *testing.T) {
	constant := func(word string, score float64) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return Constant(c.word(r, word), score) }
	}
	demoted := func(positive, negative string, factor, boost float64) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			return Demoted(c.word(r, positive), c.word(r, negative), factor, boost)
		}
	}
	times := func(factor float64, of scores) scores {
		for d := range of {
			of[d] *= factor
		}
		return of
	}
	b := func(docs ...int) scores { return sumOf(docs, "b") }
	checkCases(t, texts(t, boolDocs...), []scoreCase{
		{"constant", constant("c", 1.5), scores{2: 1.5, 4: 1.5, 5: 1.5, 6: 1.5, 8: 1.5}},
		{"constant 0", constant("d", 0), scores{8: 0}},
		{"constant without matches", constant("z", 2), scores{}},
		{"demoted", demoted("b", "c", 0.25, 1), both(b(1, 3), times(0.25, b(5, 6, 8)))},
		{"promoted", demoted("b", "c", 4, 1), both(b(1, 3), times(4, b(5, 6, 8)))},
		{"demoted to 0", demoted("b", "c", 0, 1), both(b(1, 3), times(0, b(5, 6, 8)))},
		{"demoted and boosted", demoted("b", "c", 0.25, 2), both(times(2, b(1, 3)), times(0.5, b(5, 6, 8)))},
		{"none is demoted", demoted("b", "z", 0.25, 2), times(2, b(1, 3, 5, 6, 8))},
		{"demoted without matches", demoted("z", "b", 0.25, 2), scores{}},
		{"demoted by a set", func(c *corpus, r *Request) Scorer {
			return Demoted(c.word(r, "b"), r.TermPrefix(c.text(), "c", 1), 0.25, 1)
		}, both(b(1, 3), times(0.25, b(5, 6, 8)))},
	})
}

// TestCovering has documents that state how many of three words they need.
func TestCovering(t *testing.T) {
	needs := []int{1, 2, 1, 2, 3, 2, 3, 1, 4}
	covering := func(words ...string) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			return r.Covering(c.wordList(r, words...), func(d docID) int { return needs[d/c.stride] })
		}
	}
	checkCases(t, texts(t, boolDocs...), []scoreCase{
		{"three words", covering("a", "b", "c"), both(
			sumOf([]int{0}, "a"), sumOf([]int{2}, "c"), sumOf([]int{3}, "a", "b"), sumOf([]int{5}, "b", "c"), sumOf([]int{6}, "a", "b", "c"))},
		{"two words and one without matches", covering("a", "z", "b"), both(sumOf([]int{0}, "a"), sumOf([]int{3}, "a", "b"))},
		{"no word with matches", covering("y", "z"), scores{}},
	})
}
