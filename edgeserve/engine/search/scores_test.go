// This file tests the scores of hits.

package search_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

// evalHits answers a body with scores, in the order of a sort.
func evalHits(t *testing.T, r *snapshot.Reader, text []byte, from, size int, sort []query.SortKey) *search.Result {
	t.Helper()
	b, err := body.Parse(text)
	if err != nil {
		t.Skipf("%s: %v", text, err)
	}
	b.Window.From, b.Window.Size, b.Order.Keys, b.Aggs, b.Collapse = from, size, sort, nil, nil
	b.Collapse, b.Rescore, b.Window.After, b.TerminateAfter = nil, nil, nil, 0 // they make other pages
	res, err := search.EvalHits(scorer.NewWorkLimit(t.Context()), r, b)
	if err != nil {
		t.Skipf("%s: %v", text, err)
	}
	return res
}

// Each way to select a page reports the same score of a document.
func TestScoresOfPages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	items := searchtest.Items(rnd, 300)
	r := searchtest.Snaptest(t, items)
	next := searchtest.Bodies(t, rnd, items)
	byScore, byID := query.SortKey{Field: "_score"}, query.SortKey{Field: "_id", Asc: true}
	scored := 0
	for range 400 {
		body := next()
		t.Run("", func(t *testing.T) {
			all := evalHits(t, r, body, 0, 300, nil)
			want := map[snapshot.DocID]float32{}
			for i, d := range all.Docs {
				want[d] = all.Scores.Of[i]
			}
			if !slices.IsSortedFunc(all.Scores.Of, func(a, b float32) int { return cmp.Compare(b, a) }) {
				t.Errorf("%s: scores do not descend: %v", body, all.Scores.Of)
			}
			if len(all.Docs) > 0 && all.Scores.Best != all.Scores.Of[0] {
				t.Errorf("%s: best %v of %v", body, all.Scores.Best, all.Scores.Of)
			}
			for _, sort := range [][]query.SortKey{nil, {byScore}, {byScore, byID}, {byID, byScore}, {{Field: "_score", Asc: true}}} {
				page := evalHits(t, r, body, 3, 7, sort)
				if len(page.Scores.Of) != len(page.Docs) {
					t.Fatalf("%s by %v: %d scores of %d documents", body, sort, len(page.Scores.Of), len(page.Docs))
				}
				for i, d := range page.Docs {
					scored++
					if page.Scores.Of[i] != want[d] {
						t.Errorf("%s by %v: document %d has %v, want %v", body, sort, d, page.Scores.Of[i], want[d])
					}
				}
			}
		})
	}
	if scored < 1000 {
		t.Errorf("only %d scores were compared", scored)
	}
}

// An order that needs no scores has none; nor have pages without documents.
func TestNoScores(t *testing.T) {
	r := searchtest.Snaptest(t, named("fox", "dog"))
	for _, c := range []struct {
		sort []query.SortKey
		size int
		body string
	}{
		{[]query.SortKey{{Field: "Name.keyword", Asc: true}}, 5, `{}`},
		{[]query.SortKey{{Field: "_doc", Asc: true}}, 5, `{}`},
		{nil, 0, `{"query":{"match":{"Name":"fox"}}}`},
		{nil, 5, `{"query":{"match":{"Name":"cat"}}}`},
		{nil, 5, `{"query":{"match_none":{}}}`},
	} {
		res := evalHits(t, r, []byte(c.body), 0, c.size, c.sort)
		if res.Scores.Of != nil || !math.IsNaN(float64(res.Scores.Best)) {
			t.Errorf("%s by %v: %v", c.body, c.sort, res.Scores)
		}
	}
}
