package scorer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// manyTexts has words of every frequency in texts of many lengths: word7 is in about each seventh text.
func manyTexts(t *testing.T, n int) *corpus {
	rnd := rand.New(rand.NewPCG(11, 12))
	items := make([]string, n)
	for i := range items {
		var words []string
		for _, share := range []int{1, 2, 3, 7, 50, 700} {
			for rnd.IntN(share) == 0 && len(words) < 60 {
				words = append(words, fmt.Sprintf("word%d", share))
				if rnd.IntN(3) > 0 {
					break
				}
			}
		}
		for range rnd.IntN(1 + rnd.IntN(80)) {
			words = append(words, "filler")
		}
		items[i] = fmt.Sprintf(`{"ContentID":"c%05d","Data":{"t":"%s","n":%d}}`, i, strings.Join(words, " "), rnd.IntN(100))
	}
	env := snaptest.Env{Items: items, Analysis: snaptest.Analysis{Length: analysis.EncodeLength, Factors: analysis.LengthFactors}}
	return &corpus{name: "many", reader: snaptest.Open(t, env), stride: 1}
}

// topKCases are Scorers that Collect walks in different ways.
func topKCases() []scoreCase {
	any := func(c *corpus, r *Request, words ...string) Scorer { return Disjunction(c.wordList(r, words...), 1) }
	functions := func(s Scorer, c *corpus, r *Request, f FunctionScore) Scorer {
		column := c.reader.Field("Data.n").Column()
		f.Functions = append(f.Functions, Function{Weight: 1, Most: 100, Value: func(d docID) float64 { return float64(column.Least(d)) }})
		f.ScoreMode, f.MaxBoost = "sum", math.MaxFloat32
		return r.FunctionScore(s, f)
	}
	half := 0.5
	var out []scoreCase
	add := func(name string, make func(c *corpus, r *Request) Scorer) {
		out = append(out, scoreCase{name: name, scorer: make})
	}
	for _, word := range []string{"word1", "word2", "word7", "word50", "word700", "filler", "none"} {
		add(word, func(c *corpus, r *Request) Scorer { return c.word(r, word) })
	}
	add("any of two", func(c *corpus, r *Request) Scorer { return any(c, r, "word3", "word50") })
	add("any of all", func(c *corpus, r *Request) Scorer {
		return any(c, r, "word1", "word2", "word3", "word7", "word50", "word700")
	})
	add("two of four", func(c *corpus, r *Request) Scorer {
		return Disjunction(c.wordList(r, "word2", "word3", "word7", "word50"), 2)
	})
	add("two words", boolWords([]string{"word2", "word7"}, nil, nil))
	add("three words", boolWords([]string{"word2", "word3", "word50"}, nil, nil))
	add("a word and an optional one", boolWords([]string{"word2"}, []string{"word7"}, nil))
	add("a word and a frequent optional one", boolWords([]string{"word50"}, []string{"word1", "word2"}, nil))
	add("a word and not another", boolWords([]string{"word2"}, nil, []string{"word3"}))
	add("rare without frequent", boolWords([]string{"word700"}, nil, []string{"word2"}))
	add("the best", func(c *corpus, r *Request) Scorer {
		return DisjunctionMax(c.wordList(r, "word2", "word7", "word50"), 0)
	})
	add("the best and a share", func(c *corpus, r *Request) Scorer {
		return DisjunctionMax(c.wordList(r, "word2", "word7", "word50"), 0.4)
	})
	add("a phrase", phraseOf("word2 word3", 0, 1))
	add("a sloppy phrase", phraseOf("word1 word7", 2, 1))
	add("demoted", func(c *corpus, r *Request) Scorer { return Demoted(c.word(r, "word3"), c.word(r, "word2"), 0.2, 1) })
	add("promoted", func(c *corpus, r *Request) Scorer { return Demoted(c.word(r, "word3"), c.word(r, "word50"), 5, 2) })
	add("constant", func(c *corpus, r *Request) Scorer { return Constant(c.word(r, "word7"), 3) })
	add("everything", func(_ *corpus, r *Request) Scorer { return r.All(1) })
	add("numbers", func(c *corpus, r *Request) Scorer { return r.Ordinals(c.reader.Field("Data.n").Column(), 10, 60, 1) })
	add("few numbers", func(c *corpus, r *Request) Scorer { return r.Ordinals(c.reader.Field("Data.n").Column(), 10, 11, 1) })
	add("functions of a word", func(c *corpus, r *Request) Scorer {
		return functions(c.word(r, "word3"), c, r, FunctionScore{BoostMode: "multiply"})
	})
	add("functions of a word, replaced", func(c *corpus, r *Request) Scorer {
		return functions(c.word(r, "word3"), c, r, FunctionScore{BoostMode: "replace"})
	})
	add("functions of any", func(c *corpus, r *Request) Scorer {
		return functions(any(c, r, "word3", "word7"), c, r, FunctionScore{BoostMode: "sum"})
	})
	add("functions with a filter and a least score", func(c *corpus, r *Request) Scorer {
		boost := Function{Filter: c.word(r, "word2"), Filtered: true, Weight: 40, Most: 1}
		return functions(any(c, r, "word3", "word7"), c, r, FunctionScore{BoostMode: "multiply", Functions: []Function{boost}, MinScore: &half})
	})
	return out
}

// boolWords makes a bool query of words.
func boolWords(must, should, not []string) func(*corpus, *Request) Scorer {
	return func(c *corpus, r *Request) Scorer {
		return r.Combine(&Clauses{Must: c.wordList(r, must...), Should: c.wordList(r, should...), Not: c.wordList(r, not...)})
	}
}

// sortedHits walks a Scorer document by document and sorts the matches by score.
func sortedHits(s Scorer) (hits []hit) {
	if s == nil {
		return nil
	}
	for d := s.next(); d != noMore; d = s.next() {
		hits = append(hits, hit{doc: d, score: s.score()})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return hits
}

// TestTopOfMany compares pages of the best matches with all matches, sorted. Pages leave out most scores.
func TestTopOfMany(t *testing.T) {
	c := manyTexts(t, 3*windowLen+500)
	for _, row := range topKCases() {
		t.Run(row.name, func(t *testing.T) {
			r := &Request{KeepScores: true}
			r.Open(NewWorkLimit(t.Context()), c.reader.Items())
			defer r.Close()
			sorted := sortedHits(row.scorer(c, r))
			for _, page := range [][2]int{{0, 1}, {0, 10}, {7, 10}, {0, 300}, {290, 20}, {0, 0}, {c.reader.Items() - 2, 10}} {
				for _, all := range []bool{false, true} {
					r.KeepTable = all
					h := r.Collect(row.scorer(c, r), nil, page[0], page[1], all)
					checkPage(t, fmt.Sprintf("page %v, all %t", page, all), h, sorted, page[0], page[1])
					if all {
						checkSet(t, r, h.Set, sorted)
					}
				}
			}
			if err := r.Work.Failed(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// checkPage compares a page with its part of all matches. Sums of several scores may be rounded differently, so
// documents with nearly equal scores may change places.
func checkPage(t *testing.T, name string, h Hits, sorted []hit, from, size int) {
	t.Helper()
	want := sorted[min(from, len(sorted)):min(from+size, len(sorted))]
	if h.Total != len(sorted) || len(h.Docs) != len(want) {
		t.Fatalf("%s: %d documents of %d, want %d of %d", name, len(h.Docs), h.Total, len(want), len(sorted))
	}
	score := map[docID]float32{}
	for _, match := range sorted {
		score[match.doc] = match.score
	}
	close := func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-5*math.Abs(float64(b)) }
	for i, d := range h.Docs {
		own, ok := score[d]
		if !ok || !close(h.Of[i], own) || !close(own, want[i].score) || slices.Contains(h.Docs[:i], d) {
			t.Fatalf("%s: match %d is document %d with the score %v, want %d with %v", name, i, d, h.Of[i], want[i].doc, want[i].score)
		}
	}
}

// checkSet compares all matches and the table of their scores.
func checkSet(t *testing.T, r *Request, set *Bitset, sorted []hit) {
	t.Helper()
	if set.Count != len(sorted) {
		t.Fatalf("the set has %d documents, want %d", set.Count, len(sorted))
	}
	table, sum, want := r.KeptTable(), 0.0, 0.0
	for _, match := range sorted {
		if !set.Has(match.doc) {
			t.Fatalf("document %d is not in the set", match.doc)
		}
		sum, want = sum+float64(table[match.doc]), want+float64(match.score)
	}
	for _, score := range table {
		sum -= float64(score)
	}
	if math.Abs(sum) > 1e-3 || len(sorted) > 0 && want > 0 && slices.Max(table) == 0 {
		t.Fatalf("the table has scores that differ by %v from the scores of the matches", sum)
	}
}

// TestHeadOfMany ends a walk after some matches, and reports the next one.
func TestHeadOfMany(t *testing.T) {
	c := manyTexts(t, windowLen+500)
	for _, word := range []string{"word1", "word7", "word700"} {
		r := &Request{}
		r.Open(NewWorkLimit(t.Context()), c.reader.Items())
		var all []docID
		for s := c.word(r, word); s.next() != noMore; {
			all = append(all, s.doc())
		}
		for _, n := range []int{0, 1, 3, 64, len(all) - 1, len(all), len(all) + 1} {
			head := NewHead(c.word(r, word), n)
			found := r.Matches(head)
			end, ended := head.End()
			if n = min(n, len(all)); found.Count != n || ended != (n < len(all)) || ended && end != all[n] {
				t.Errorf("%s: the first %d of %d matches are %d, before %d (%t)", word, n, len(all), found.Count, end, ended)
			}
			for _, d := range all[:n] {
				if !found.Has(d) {
					t.Errorf("%s: document %d is not among the first %d", word, d, n)
				}
			}
		}
		r.Close()
	}
}

// TestRankingOfParts selects the best of every tenth match, from a table of scores.
func TestRankingOfParts(t *testing.T) {
	c := manyTexts(t, windowLen+500)
	r := &Request{}
	r.Open(NewWorkLimit(t.Context()), c.reader.Items())
	defer r.Close()
	for _, none := range []float32{0, -1} {
		table := r.ScoreTable(c.word(r, "word3"), none)
		ranking := r.NewRanking(nil, table, 2, 5)
		for part := range 3 {
			var want []hit
			ranking.Reset()
			for i, match := range sortedHits(c.word(r, "word3")) {
				if i%10 == part {
					want = append(want, match)
					ranking.Add([]docID{match.doc})
				}
			}
			h := ranking.Hits()
			checkPage(t, fmt.Sprintf("part %d", part), h, want, 2, 5)
			if h.Best != want[0].score {
				t.Errorf("part %d: the best score is %v, want %v", part, h.Best, want[0].score)
			}
		}
		for d, score := range table {
			if s := c.word(r, "word3"); (s.seek(docID(d)) != docID(d)) != (score == none) {
				t.Fatalf("document %d has the score %v in the table", d, score)
			}
		}
	}
}
