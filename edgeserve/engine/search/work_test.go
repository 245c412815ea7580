// This file tests that what a clause costs is counted, whatever it is, so that no body
// works for long by repeating it.

package search

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

func TestClausesAreWork(t *testing.T) {
	var items []string
	for i := range 4000 {
		items = append(items, fmt.Sprintf(`{"ContentID":"%04d","Data":{"one":"v%d","tags":["a","b%d"],"n%d":1}}`, i, i%2, i%7, i%2))
	}
	r := snaptest.Open(t, snaptest.Env{Items: items})
	for _, clause := range []string{
		`{"exists":{"field":"Data.n0"}}`,
		`{"terms":{"Data.tags.keyword":["a"]}}`,
		`{"terms":{"Data.one.keyword":["v0"]}}`,
		`{"prefix":{"Data.tags.keyword":"b"}}`,
		`{"wildcard":{"Data.tags.keyword":"*1"}}`,
		`{"range":{"Data.one.keyword":{"gte":"v1"}}}`,
	} {
		t.Run(clause, func(t *testing.T) {
			if n := (worked(t, r, clause, 51) - worked(t, r, clause, 1)) / 50; n < 200 {
				t.Errorf("a clause is %d steps", n)
			}
		})
	}
}

// worked is the steps of a bool query of n equal clauses.
func worked(t *testing.T, r *snapshot.Reader, clause string, n int) int {
	t.Helper()
	return workOf(t, r, `{"query":{"bool":{"should":[`+clause+strings.Repeat(","+clause, n-1)+`]}}}`)
}

// workOf is the steps of a body.
func workOf(t *testing.T, r *snapshot.Reader, text string) int {
	t.Helper()
	body, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b := scorer.NewWorkLimit(t.Context())
	if _, err := EvalWithin(b, r, body); err != nil {
		t.Fatal(err)
	}
	return b.Work()
}

// Wherever the work of a request ends, what it found so far is no answer.
func TestNoAnswerOfARefusedSearch(t *testing.T) {
	var items []string
	for i := range 4000 {
		items = append(items, fmt.Sprintf(`{"ContentID":"%04d","Data":{"one":"v%d"}}`, i, i%130))
	}
	r := snaptest.Open(t, snaptest.Env{Items: items})
	for _, sort := range []string{"", `,"sort":["Data.one.keyword"]`, `,"aggs":{"a":{"filter":{"term":{"Data.one.keyword":"v7"}}}}`,
		`,"aggs":{"a":{"terms":{"field":"ContentID.keyword","size":100},"aggs":{"c":{"value_count":{"field":"ContentID.keyword"}},"h":{"top_hits":{}},"s":{"bucket_sort":{"sort":["c"],"size":1}}}}}`} {
		body, err := body.Parse([]byte(`{"query":{"term":{"Data.one.keyword":"v7"}}` + sort + `}`))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for n := range 500 {
			b := spent(t, n)
			_, err := EvalWithin(b, r, body)
			if b.Failed() != nil {
				refused++
			}
			if (err == nil) != (b.Failed() == nil) {
				t.Errorf("%s: %v after %d steps, which ended it: %v", sort, err, b.Work()-scorer.MaxWork, b.Failed())
			}
		}
		if refused == 0 {
			t.Errorf("%s: never refused", sort)
		}
	}
}

// spent is a limit without work left, which is noticed after so many steps more.
func spent(t *testing.T, steps int) *scorer.WorkLimit {
	b := scorer.NewWorkLimit(t.Context())
	b.Charge(scorer.MaxWork - scorer.LookEvery + steps)
	b.Charge(scorer.LookEvery - steps)
	return b
}
