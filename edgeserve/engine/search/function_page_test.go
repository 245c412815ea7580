// This file tests function_score and optional clauses where most matches cannot reach the page.

package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

// functionItems are items with a number and words. They fill several windows.
func functionItems(t *testing.T, n int, number func(i int) float64) *snapshot.Reader {
	rnd := rand.New(rand.NewPCG(3, 4))
	words := []string{"fox", "dog", "cat", "owl"}
	items := make([]string, n)
	for i := range items {
		text := []string{"all"}
		for range rnd.IntN(9) {
			text = append(text, words[rnd.IntN(len(words))])
		}
		numbers := ""
		if i%7 > 0 {
			numbers = fmt.Sprintf(`"n":%v,`, number(i))
		}
		items[i] = fmt.Sprintf(`{"ContentID":"%05d","CreatedAt":"20%02d-04-23T00:00:00.000Z","Data":{%s"t":%q}}`, i, rnd.IntN(30), numbers, strings.Join(text, " "))
	}
	return searchtest.Snaptest(t, items)
}

func functionBodies() (bodies []string) {
	functions := []string{
		`"field_value_factor":{"field":"Data.n","missing":1,"modifier":"%s","factor":0.3}`,
		`"gauss":{"CreatedAt":{"origin":"2010-01-01","scale":"400d"}}`,
		`"linear":{"Data.n":{"origin":5,"scale":7}},"weight":0.1`,
		`"random_score":{"seed":3}`,
		`"weight":0.5`,
		`"weight":0`,
		`"filter":{"match":{"Data.t":"owl"}},"exp":{"Data.n":{"origin":3,"scale":0.1,"decay":0.2}}`,
		`"filter":{"term":{"Data.n":3}},"weight":0.2`,
	}
	queries := []string{`{"match":{"Data.t":"fox"}}`, `{"match":{"Data.t":"fox cat"}}`, `{"range":{"Data.n":{"gt":2}}}`}
	modifiers := []string{"none", "log1p", "log2p", "ln1p", "square", "sqrt", "reciprocal"}
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, boost := range []string{"multiply", "replace", "sum", "avg", "max", "min"} {
		for _, score := range []string{"multiply", "sum", "avg", "first", "max", "min"} {
			for k := range 9 {
				var list []string
				for range 1 + k%3 {
					f := functions[rnd.IntN(len(functions))]
					if strings.Contains(f, "%s") {
						f = fmt.Sprintf(f, modifiers[rnd.IntN(len(modifiers))])
					}
					list = append(list, "{"+f+"}")
				}
				more := []string{"", `,"min_score":0.4`, `,"max_boost":0.3`}[rnd.IntN(3)]
				bodies = append(bodies, fmt.Sprintf(`{"query":{"function_score":{"query":%s,"functions":[%s],"score_mode":"%s","boost_mode":"%s"%s}}}`,
					queries[rnd.IntN(len(queries))], strings.Join(list, ","), score, boost, more))
			}
		}
	}
	return bodies
}

func evalPage(t *testing.T, r *snapshot.Reader, text string, size int) (*search.Result, error) {
	t.Helper()
	body, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	body.Window.Size = size
	return search.EvalHits(scorer.NewWorkLimit(t.Context()), r, body)
}

// optionalBodies have a clause that must match, beside some that need not.
func optionalBodies() (bodies []string) {
	shoulds := []string{
		`{"match":{"Data.t":{"query":"owl","boost":%g}}}`,
		`{"term":{"Data.n":{"value":3,"boost":%g}}}`,
		`{"distance_feature":{"field":"CreatedAt","origin":"2012-03-04","pivot":"300d","boost":%g}}`,
		`{"function_score":{"query":{"match":{"Data.t":"cat"}},"field_value_factor":{"field":"Data.n","missing":1},"boost":%g}}`,
		`{"match":{"Data.t":{"query":"dog cat","boost":%g}}}`,
	}
	for _, must := range []string{`{"match":{"Data.t":"fox"}}`, `{"match":{"Data.t":"fox all"}}`, `{"range":{"Data.n":{"gt":2}}}`, `{"match_phrase":{"Data.t":"fox cat"}}`} {
		for i := range shoulds {
			for _, boost := range []float64{0.01, 0.4, 7} {
				list := []string{fmt.Sprintf(shoulds[i], boost)}
				if i%2 == 0 {
					list = append(list, fmt.Sprintf(shoulds[(i+1)%len(shoulds)], boost/3))
				}
				bodies = append(bodies, fmt.Sprintf(`{"query":{"bool":{"must":%s,"should":[%s]}}}`, must, strings.Join(list, ",")))
			}
		}
	}
	return bodies
}

func TestScoresOfSmallPages(t *testing.T) {
	const items = 5000
	r := functionItems(t, items, func(i int) float64 { return float64(i % 11) })
	for _, body := range append(functionBodies(), optionalBodies()...) {
		all, err := evalPage(t, r, body, items)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		small, err := evalPage(t, r, body, 5)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		n := min(5, len(all.Docs))
		if !slices.Equal(small.Docs, all.Docs[:n]) || !slices.Equal(small.Scores.Of, all.Scores.Of[:n]) || small.Total != all.Total {
			t.Errorf("%s\n got %v %v of %d\nwant %v %v of %d", body, small.Docs, small.Scores.Of, small.Total, all.Docs[:n], all.Scores.Of[:n], all.Total)
		}
	}
}

// top_hits have the best matches of each bucket, also those that are not on the page.
func TestTopHitsBeyondSmallPages(t *testing.T) {
	const items = 5000
	r := functionItems(t, items, func(i int) float64 { return float64(i % 11) })
	for _, body := range functionBodies() {
		with := strings.TrimSuffix(body, "}") + `,"aggs":{"n":{"terms":{"field":"Data.n","size":20},"aggs":{"best":{"top_hits":{"size":2,"_source":false}}}}}}`
		all, err := evalPage(t, r, with, items)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		small, err := evalPage(t, r, with, 1)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if string(small.Aggregations) != string(all.Aggregations) {
			t.Errorf("%s\n got %s\nwant %s", with, small.Aggregations, all.Aggregations)
		}
	}
}

// A match whose score is an error is one even if a page has better matches.
func TestFunctionScoreErrorsBeyondPages(t *testing.T) {
	const items = 5000
	r := functionItems(t, items, func(i int) float64 {
		if i == items-1 {
			return -1000
		}
		return 5
	})
	for _, boost := range []string{"multiply", "replace", "sum", "avg", "max", "min"} {
		for _, clause := range []string{`{"match":{"Data.t":"all"}}`, `{"match":{"Data.t":"all fox"}}`, `{"match_all":{}}`} {
			for _, modifier := range []string{"none", "sqrt"} {
				_, err := evalPage(t, r, fmt.Sprintf(`{"query":{"function_score":{"query":%s,"field_value_factor":{"field":"Data.n","missing":1,"modifier":%q},"boost_mode":%q}}}`, clause, modifier, boost), 1)
				if err == nil {
					t.Errorf("%s %s %s: no error", boost, clause, modifier)
				}
			}
		}
	}
}

// A function that fails for an item is no error if other clauses do not match it.
func TestFunctionScoreErrorsBesideMatches(t *testing.T) {
	const items = 5000
	r := functionItems(t, items, func(i int) float64 {
		if i == items-1 {
			return -1000
		}
		return 5
	})
	for _, clauses := range []string{`{"must":%s,"should":%s}`, `{"must":[%s,%s]}`} {
		clause := fmt.Sprintf(clauses, `{"range":{"Data.n":{"gt":0}}}`, `{"function_score":{"field_value_factor":{"field":"Data.n","missing":1}}}`)
		if _, err := evalPage(t, r, `{"query":{"bool":`+clause+`}}`, 10); err != nil {
			t.Errorf("%s: %v", clause, err)
		}
	}
}
