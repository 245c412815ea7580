package scorer

import (
	"errors"
	"math"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

// functionDocs have the score 1 for the word a of the query, so that rows show only what functions do.
var functionDocs = []string{"a", "a b", "a c", "a b c", "a b c d", "d"}

// functionCase is a row: two functions, and what they make of a query score of 1 in the five documents with a.
type functionCase struct {
	scoreMode, boostMode string
	max                  float64
	want                 [5]float64
}

// functionScoreOf has a function with the weight 3 for texts with b, and one with the weight 2 for texts with c whose
// value is the number of the document.
func functionScoreOf(c *corpus, r *Request, row functionCase, minScore *float64) Scorer {
	number := func(d docID) float64 { return float64(d / c.stride) }
	return r.FunctionScore(Constant(c.word(r, "a"), 1), FunctionScore{
		Functions: []Function{
			{Filter: c.word(r, "b"), Filtered: true, Weight: 3, Weighted: true, Most: 1},
			{Filter: c.word(r, "c"), Filtered: true, Weight: 2, Weighted: true, Most: 5, Value: number},
		},
		ScoreMode: row.scoreMode, BoostMode: row.boostMode, MaxBoost: row.max, MinScore: minScore,
	})
}

// TestFunctionScoreModes has documents for which no function counts, one, the other, and both. The factors are 3 for the
// second document and 4 for the third. The fourth has 3 and 6, the fifth 3 and 8.
func TestFunctionScoreModes(t *testing.T) {
	const unlimited = math.MaxFloat32
	rows := []functionCase{
		{"multiply", "multiply", unlimited, [5]float64{1, 3, 4, 18, 24}},
		{"sum", "multiply", unlimited, [5]float64{1, 3, 4, 9, 11}},
		{"avg", "multiply", unlimited, [5]float64{1, 1, 2, 9.0 / 5, 11.0 / 5}}, // by the sum of the weights
		{"first", "multiply", unlimited, [5]float64{1, 3, 4, 3, 3}},
		{"max", "multiply", unlimited, [5]float64{1, 3, 4, 6, 8}},
		{"min", "multiply", unlimited, [5]float64{1, 3, 4, 3, 3}},
		{"sum", "replace", unlimited, [5]float64{1, 3, 4, 9, 11}},
		{"sum", "sum", unlimited, [5]float64{2, 4, 5, 10, 12}},
		{"sum", "avg", unlimited, [5]float64{1, 2, 2.5, 5, 6}},
		{"sum", "max", unlimited, [5]float64{1, 3, 4, 9, 11}},
		{"sum", "min", unlimited, [5]float64{1, 1, 1, 1, 1}},
		{"multiply", "multiply", 20, [5]float64{1, 3, 4, 18, 20}},
		{"sum", "sum", 3.5, [5]float64{2, 4, 4.5, 4.5, 4.5}},
		{"max", "replace", 0.5, [5]float64{0.5, 0.5, 0.5, 0.5, 0.5}},
	}
	var cases []scoreCase
	for _, row := range rows {
		name := row.scoreMode + " " + row.boostMode
		want, least := scores{}, scores{}
		for doc, score := range row.want {
			want[doc] = score
			if score >= 4 {
				least[doc] = score
			}
		}
		cases = append(cases, scoreCase{name, func(c *corpus, r *Request) Scorer { return functionScoreOf(c, r, row, nil) }, want},
			scoreCase{name + " from 4", func(c *corpus, r *Request) Scorer {
				four := 4.0
				return functionScoreOf(c, r, row, &four)
			}, least})
	}
	checkCases(t, texts(t, functionDocs...), cases)
}

func TestFunctionScoreFunctions(t *testing.T) {
	number := func(c *corpus) func(d docID) float64 {
		return func(d docID) float64 { return float64(d / c.stride) }
	}
	of := func(make func(c *corpus, r *Request) FunctionScore) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			f := make(c, r)
			f.ScoreMode, f.BoostMode, f.MaxBoost = "sum", "sum", math.MaxFloat32
			return r.FunctionScore(c.word(r, "b"), f)
		}
	}
	score := func(doc int) float64 { return bm25Of(functionDocs, doc, 1, "b") }
	least := 1.2
	checkCases(t, texts(t, functionDocs...), []scoreCase{
		{"none", of(func(*corpus, *Request) FunctionScore { return FunctionScore{} }), scores{1: score(1), 3: score(3), 4: score(4)}},
		{"a weight", of(func(*corpus, *Request) FunctionScore {
			return FunctionScore{Functions: []Function{{Weight: 2.5, Weighted: true, Most: 1}}}
		}), scores{1: 2.5 + score(1), 3: 2.5 + score(3), 4: 2.5 + score(4)}},
		{"a value", of(func(c *corpus, _ *Request) FunctionScore {
			return FunctionScore{Functions: []Function{{Weight: 1, Most: 5, Value: number(c)}}}
		}), scores{1: 1 + score(1), 3: 3 + score(3), 4: 4 + score(4)}},
		{"a value without a bound", of(func(c *corpus, _ *Request) FunctionScore {
			return FunctionScore{Functions: []Function{{Weight: 1, Most: math.Inf(1), Value: number(c)}}}
		}), scores{1: 1 + score(1), 3: 3 + score(3), 4: 4 + score(4)}},
		{"weights of 0", of(func(*corpus, *Request) FunctionScore {
			return FunctionScore{Functions: []Function{{Weight: 0, Weighted: true, Most: 1}}}
		}), scores{1: 1 + score(1), 3: 1 + score(3), 4: 1 + score(4)}},
		{"a filter that matches nothing", of(func(c *corpus, r *Request) FunctionScore {
			return FunctionScore{Functions: []Function{{Filter: c.word(r, "z"), Filtered: true, Weight: 9, Weighted: true, Most: 1}}}
		}), scores{1: 1 + score(1), 3: 1 + score(3), 4: 1 + score(4)}},
		{"a filter of a set", of(func(c *corpus, r *Request) FunctionScore {
			set := r.WithDescription(r.TermPrefix(c.text(), "d", 1), func() string { return "d*" })
			return FunctionScore{Functions: []Function{{Filter: set, Filtered: true, Weight: 9, Weighted: true, Most: 1}}}
		}), scores{1: 1 + score(1), 3: 1 + score(3), 4: 9 + score(4)}},
		{"only a least score", of(func(*corpus, *Request) FunctionScore { return FunctionScore{MinScore: &least} }), func() scores {
			out := scores{}
			for _, doc := range []int{1, 3, 4} {
				if score(doc) >= least {
					out[doc] = score(doc)
				}
			}
			return out
		}()},
		{"of nothing", func(c *corpus, r *Request) Scorer {
			return r.FunctionScore(c.word(r, "z"), FunctionScore{MinScore: &least})
		}, scores{}},
	})
}

// TestAtLeast leaves out what has a lower score than the third document.
func TestAtLeast(t *testing.T) {
	score := func(doc int) float64 { return bm25Of(functionDocs, doc, 1, "c") }
	all := texts(t, functionDocs...)
	checkCases(t, all, []scoreCase{
		{"some", func(c *corpus, r *Request) Scorer {
			s := c.word(r, "c")
			return atLeastWithoutExplanation(s, float32(score(3))*0.999)
		}, scores{2: score(2), 3: score(3)}},
		{"all", func(c *corpus, r *Request) Scorer { return atLeastWithoutExplanation(c.word(r, "c"), 0) }, scores{2: score(2), 3: score(3), 4: score(4)}},
		{"none", func(c *corpus, r *Request) Scorer { return atLeastWithoutExplanation(c.word(r, "c"), 9) }, scores{}},
		{"of nothing", func(c *corpus, r *Request) Scorer { return AtLeast(nil, 0) }, scores{}},
	})
}

// atLeastWithoutExplanation applies the limit of a body to what an explanation would see.
func atLeastWithoutExplanation(s Scorer, min float32) Scorer {
	if x, ok := s.(*Explained); ok {
		s = x.Scorer
	}
	return AtLeast(s, min)
}

// TestFunctionScoreRefuses has functions whose results cannot be scores.
func TestFunctionScoreRefuses(t *testing.T) {
	c := texts(t, functionDocs...)[0]
	for name, value := range map[string]float64{"negative": -0.5, "no number": math.NaN()} {
		r := &Request{}
		r.Open(NewWorkLimit(t.Context()), c.reader.Items())
		s := r.FunctionScore(c.word(r, "a"), FunctionScore{
			Functions: []Function{{Weight: 1, Most: math.Inf(1), Value: func(docID) float64 { return value }}},
			ScoreMode: "sum", BoostMode: "replace", MaxBoost: math.MaxFloat32,
		})
		r.Collect(s, nil, 0, 3, false)
		var bad *query.Error
		if err := r.Work.Failed(); !errors.As(err, &bad) || bad.Code != problem.BadQuery {
			t.Errorf("%s: %v", name, err)
		}
		r.Close()
	}
}
