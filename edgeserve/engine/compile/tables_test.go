package compile_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

// index is the items that the queries of a table search.
type index struct {
	t *testing.T
	r *snapshot.Reader
}

// scores maps items of an index to their scores.
type scores map[int]float64

// scoreCase is a row: a query, and the scores of the items that it matches.
type scoreCase struct {
	name, query string
	want        scores
}

// newIndex returns an index of items, each given as the JSON of its Data.
func newIndex(t *testing.T, data ...string) *index {
	t.Helper()
	items := make([]string, len(data))
	for i, d := range data {
		items[i] = `{"ContentID":"` + string(rune('a'+i)) + `","Data":` + d + `}`
	}
	return &index{t, searchtest.Snaptest(t, items)}
}

// request calls f with a request of its own.
func (x *index) request(explain bool, f func(r *scorer.Request)) {
	x.t.Helper()
	r := &scorer.Request{KeepScores: true, Explain: explain}
	r.Open(scorer.NewWorkLimit(x.t.Context()), x.r.Items())
	defer r.Close()
	f(r)
	if err := r.Work.Failed(); err != nil {
		x.t.Fatal(err)
	}
}

// compiled compiles the JSON of a query.
func (x *index) compiled(r *scorer.Request, text string) (scorer.Scorer, error) {
	b, err := body.Parse([]byte(`{"query":` + text + `}`))
	if err != nil {
		return nil, err
	}
	c := &compile.Compiler{}
	c.Open(r, fields.Resolver{Reader: x.r, Spend: r.Work.Charge})
	return c.Compile(b.Query)
}

// must is compiled for a query that is valid.
func (x *index) must(r *scorer.Request, text string) scorer.Scorer {
	x.t.Helper()
	s, err := x.compiled(r, text)
	if err != nil {
		x.t.Fatalf("%s: %v", text, err)
	}
	return s
}

// word is the score that package scorer gives an item for a word of a path. Rows say how queries combine it.
func (x *index) word(item int, path, word string) float64 {
	x.t.Helper()
	f := x.r.Field(path)
	info, ok := f.Terms().Lookup([]byte(word))
	if !ok {
		x.t.Fatalf("no item has %s in %s", word, path)
	}
	return x.asCommon(item, path, word, info.DF)
}

// asCommon is word, as if df items had the word.
func (x *index) asCommon(item int, path, word string, df int) (score float64) {
	x.t.Helper()
	x.request(false, func(r *scorer.Request) {
		f := x.r.Field(path)
		info, _ := f.Terms().Lookup([]byte(word))
		score = float64(r.ScoresOf(r.Term(f, []byte(word), info, df, 1), []snapshot.DocID{snapshot.DocID(item)})[0])
	})
	if math.IsNaN(score) {
		x.t.Fatalf("item %d does not have %s in %s", item, word, path)
	}
	return score
}

// check compares the matches, scores and explanations of queries with the rows.
func (x *index) check(cases []scoreCase) {
	x.t.Helper()
	for _, row := range cases {
		x.t.Run(row.name, func(t *testing.T) {
			x := &index{t, x.r}
			x.request(false, func(r *scorer.Request) { x.checkPage(r, row) })
			x.request(true, func(r *scorer.Request) { x.checkExplanations(r, row) })
		})
	}
}

func (x *index) checkPage(r *scorer.Request, row scoreCase) {
	h := r.Collect(x.must(r, row.query), nil, 0, 100, false)
	got := scores{}
	for i, d := range h.Docs {
		got[int(d)] = float64(h.Of[i])
		if want, ok := row.want[int(d)]; !ok || !near(got[int(d)], want) {
			x.t.Errorf("item %d has the score %.7f, want %.7f (it matches: %t)", d, got[int(d)], want, ok)
		}
	}
	for item := range row.want {
		if _, ok := got[item]; !ok {
			x.t.Errorf("item %d does not match", item)
		}
	}
	if !slices.IsSortedFunc(h.Of, func(a, b float32) int { return cmp.Compare(b, a) }) {
		x.t.Errorf("the page is not in the order of scores: %v", h.Of)
	}
}

func (x *index) checkExplanations(r *scorer.Request, row scoreCase) {
	s := x.must(r, row.query)
	for d := range snapshot.DocID(x.r.Items()) {
		e := r.ExplainScore(s, d)
		want, matches := row.want[int(d)]
		if e.Matches != matches || matches && !near(e.Value, want) {
			x.t.Errorf("explanation of item %d: %.7f, want %.7f (it matches: %t)\n%s", d, e.Value, want, matches, e.Append(nil))
		}
	}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-5*max(1, math.Abs(want)) }

// each gives items one score.
func each(score float64, items ...int) scores {
	out := scores{}
	for _, i := range items {
		out[i] = score
	}
	return out
}
