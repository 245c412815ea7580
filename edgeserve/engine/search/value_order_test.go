// This file tests orders by dates, fractions and large integers, whose texts have other orders. The
// expectations are Elasticsearch 7.10.2's.

package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/wire/address"
)

var (
	instants = []string{`"2024-01-01T00:00:00.5Z"`, `"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00+01:00"`, `"2023-12-31T23:30:00Z"`}
	spelled  = []string{`"2024-01-01T00:00:00Z"`, `"2024-01-01"`, `"2023-12-31T23:00-01:00"`}
	fine     = []string{`16777216.25`, `16777217.0`, `16777216.5`, `1e400`, `-1e400`}
	large    = []string{`9223372036854775808`, `9223372036854775807`, `9007199254740993`, `9007199254740992`, `-9223372036854775808`, `12345678901234567890`, `null`}
	lists    = []string{`["2024-03-01","2024-01-01T00:00:00Z"]`, `"2024-02-01T00:00+02:00"`, `["2023-12-31T23:59:59.999Z","2024-04-01"]`, `[]`}
)

// valued has an item for each value d, numbered in order; t is a, b, a, b and so on.
func valued(values []string) (items []string) {
	for i, v := range values {
		items = append(items, fmt.Sprintf(`{"ContentID":"C%03d","CreatedAt":"2024-01-01T00:00:00.000Z","Data":{"d":%s,"t":%q}}`, i, v, "ab"[i%2:i%2+1]))
	}
	return items
}

func TestOrderByValues(t *testing.T) {
	for _, c := range []struct {
		values     []string
		body, want string
	}{
		{instants, `"sort":"Data.d"`, "[2 3 1 0]"},
		{instants, `"sort":{"Data.d":"desc"}`, "[0 1 3 2]"},
		{instants, `"sort":"Data.d","from":1,"size":1`, "[3]"},
		{instants, `"sort":"Data.d","terminate_after":2`, "[1 0]"},
		{instants, `"sort":{"Data.d":"desc"},"collapse":{"field":"Data.t.keyword"}`, "[0 1]"},
		{instants, `"sort":"Data.d","collapse":{"field":"Data.t.keyword"}`, "[2 3]"},
		{instants, `"sort":["Data.t.keyword",{"Data.d":"desc"}]`, "[0 2 1 3]"},
		{instants, `"sort":{"Data.d":{"missing":"_first"}}`, "[2 3 1 0]"},
		{instants, `"sort":{"Data.d":{"unmapped_type":"date"}}`, "[2 3 1 0]"},
		{instants, `"sort":"Data.d","query":{"range":{"Data.d":{"gte":"2023"}}}`, "[2 3 1 0]"},
		{instants, `"sort":"Data.d","query":{"exists":{"field":"Data.d"}}`, "[2 3 1 0]"},
		{instants, `"sort":"Data.d","search_after":[1704065400000]`, "[1 0]"},
		{spelled, `"sort":["Data.d","ContentID.keyword"]`, "[0 1 2]"},
		{spelled, `"sort":["Data.d","ContentID.keyword"],"size":1,"search_after":[1704067200000,"C000"]`, "[1]"},
		{fine, `"sort":{"Data.d":"desc"}`, "[0 1 2 3 4]"},
		{fine, `"sort":["Data.d",{"ContentID.keyword":"desc"}]`, "[2 1 0 4 3]"},
		{fine, `"sort":[{"Data.d":"desc"},"ContentID.keyword"],"size":1,"search_after":[16777216,"C000"]`, "[1]"},
		{fine, `"sort":["Data.d",{"ContentID.keyword":"desc"}],"search_after":[16777216,"C001"]`, "[0 4 3]"},
		{large, `"sort":"Data.d"`, "[4 3 2 0 1 5 6]"},
		{large, `"sort":{"Data.d":"desc"}`, "[1 2 3 0 4 5 6]"},
		{large, `"sort":{"Data.d":{"missing":"_first"}}`, "[0 4 5 6 3 2 1]"},
		{large, `"sort":{"Data.d":{"missing":9007199254740992}}`, "[4 0 3 5 6 2 1]"},
		{large, `"sort":["Data.d","ContentID.keyword"],"search_after":[9223372036854775807,"C001"]`, "[5 6]"},
		{lists, `"sort":"Data.d"`, "[2 0 1 3]"},
		{lists, `"sort":{"Data.d":"desc"}`, "[2 0 1 3]"},
	} {
		r := searchtest.Snaptest(t, valued(c.values))
		if got := fmt.Sprint(evaluate(t, r, "{"+c.body+"}").Docs); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

// The latest hit of each bucket is the one of the latest instant.
func TestTopHitsByInstant(t *testing.T) {
	r := searchtest.Snaptest(t, valued(instants))
	const body = `{"size":0,"aggs":{"t":{"terms":{"field":"Data.t.keyword"},"aggs":{"h":{"top_hits":{"size":1,"sort":[{"Data.d":"desc"}],"_source":false}}}}}}`
	for _, hit := range []string{`"_id":"C000","_score":null,"sort":[1704067200500]`, `"_id":"C001","_score":null,"sort":[1704067200000]`} {
		if got := string(evaluate(t, r, body).Aggregations); !strings.Contains(got, hit) {
			t.Errorf("%s lacks %s", got, hit)
		}
	}
}

// Whatever the order, pages that follow each other have every item once: by number, and behind the
// values of the hit before.
func TestWalksLoseNoItem(t *testing.T) {
	for _, values := range [][]string{instants, spelled, fine, large, lists, slices.Concat(instants, large), slices.Concat(fine, large)} {
		r := searchtest.Snaptest(t, valued(values))
		for _, sort := range []string{
			`"Data.d"`, `{"Data.d":"desc"}`, `{"Data.d":{"missing":"_first"}}`, `{"Data.d":{"order":"desc","mode":"min"}}`,
			`{"Data.d":{"unmapped_type":"long"}}`, `"Data.t.keyword","Data.d"`, `"Data.d.double"`, `"Data.d.long"`, `"Data.d.date"`, `"Data.d.keyword"`,
		} {
			t.Run(sort, func(t *testing.T) { walk(t, r, "["+sort+`,"ContentID.keyword"]`) })
		}
	}
}

func walk(t *testing.T, r *snapshot.Reader, sort string) {
	t.Helper()
	all := evaluate(t, r, `{"sort":`+sort+`,"size":100}`).Docs
	after := ""
	for i, d := range all {
		if got := evaluate(t, r, fmt.Sprintf(`{"sort":%s,"size":1,"from":%d}`, sort, i)).Docs; len(got) != 1 || got[0] != d {
			t.Fatalf("from %d: %v of %v", i, got, all)
		}
		b, err := body.Parse([]byte(`{"sort":` + sort + `,"size":1` + after + `}`))
		if err != nil {
			t.Fatal(err)
		}
		res, err := search.Eval(t.Context(), r, b)
		if err != nil || len(res.Docs) != 1 || res.Docs[0] != d {
			t.Fatalf("after %s: %v %v, want %d of %v", after, res, err, d, all)
		}
		values := hits.NewSortValues(r, b.Order.Keys).Append(nil, d, 0)
		if !json.Valid(values) {
			t.Fatalf("values %s", values)
		}
		after = `,"search_after":` + string(values)
	}
	if len(all) != r.Items() || evaluate(t, r, `{"sort":`+sort+after+`}`).Docs != nil {
		t.Errorf("%v of %d, and more behind them", all, r.Items())
	}
}

// Lists order dates of Data by instant in snapshots that say so, and by text in older ones; searches
// do not care.
func TestListsOfDates(t *testing.T) {
	items := valued(instants)
	older := snaptest.Open(t, snaptest.Env{Items: items})
	far := slices.Concat(instants[:3], []string{`"2024-01-01T23:30:00+23:00"`, `"2024-01-01"`})
	for _, c := range []struct {
		r         *snapshot.Reader
		asc, desc string
	}{
		{searchtest.Snaptest(t, items), "[2 3 1 0]", "[0 1 3 2]"},
		{older, "[3 2 0 1]", "[1 0 2 3]"},
		{searchtest.Snaptest(t, valued(lists)), "[2 0 1 3]", "[2 0 1 3]"},
		{searchtest.Snaptest(t, valued(far)), "[2 1 4 0 3]", "[3 0 1 4 2]"},
		{searchtest.Snaptest(t, valued(append(slices.Clone(instants), `"soon"`))), "[3 2 0 1 4]", "[4 1 0 2 3]"},
		{searchtest.Snaptest(t, valued(append(slices.Clone(instants), `2024`))), "[4 3 2 0 1]", "[1 0 2 3 4]"},
	} {
		for asc, want := range map[bool]string{true: c.asc, false: c.desc} {
			l := address.List{Sort: "Data.d", Asc: asc, Page: 1, Size: 10}
			if got := evaluated(t, c.r, search.FromList(l)); got != want {
				t.Errorf("ascending %t: %s, want %s", asc, got, want)
			}
		}
	}
	if got := fmt.Sprint(evaluate(t, older, `{"sort":"Data.d"}`).Docs); got != "[2 3 1 0]" {
		t.Errorf("a search of an older snapshot: %s", got)
	}
}

// Large fractions have intervals of their own.
func TestHistogramOfLargeNumbers(t *testing.T) {
	r := searchtest.Snaptest(t, valued([]string{`1e30`, `2.5`, `-1e30`, `1.1e30`, `1e30`, `1.7e308`}))
	for body, want := range map[string]string{
		`{"size":0,"aggs":{"h":{"histogram":{"field":"Data.d.double","interval":0.5,"min_doc_count":1}}}}`: `{"h":{"buckets":[{"key":-1.0E30,"doc_count":1},` +
			`{"key":2.5,"doc_count":1},{"key":1.0E30,"doc_count":2},{"key":1.1E30,"doc_count":1},{"key":"Infinity","doc_count":1}]}}`,
		`{"size":0,"aggs":{"h":{"histogram":{"field":"Data.d.double","interval":0.5,"offset":1,"min_doc_count":2,"keyed":true}}}}`:        `{"h":{"buckets":{"1.0E30":{"key":1.0E30,"doc_count":2}}}}`,
		`{"size":0,"query":{"ids":{"values":["C005"]}},"aggs":{"h":{"histogram":{"field":"Data.d.double","interval":0.5,"keyed":true}}}}`: `{"h":{"buckets":{"Infinity":{"key":"Infinity","doc_count":1}}}}`,
		`{"size":0,"aggs":{"h":{"composite":{"sources":[{"d":{"histogram":{"field":"Data.d.double","interval":0.5}}}],"size":1,"after":{"d":1e30}}}}}`: `{"h":{"after_key":{"d":1.1E30},` +
			`"buckets":[{"key":{"d":1.1E30},"doc_count":1}]}}`,
	} {
		if got := string(evaluate(t, r, body).Aggregations); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}
