// This file tests what parameters of the search endpoint keep.

package search_test

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// withParams answers the parameters beside an empty body, with the hits' ids.
func withParams(t *testing.T, r *snapshot.Reader, p search.Params) string {
	t.Helper()
	b, err := search.WithParams(&query.Body{Window: query.Window{Size: 10}}, p)
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Eval(t.Context(), r, b)
	if err != nil {
		t.Fatal(err)
	}
	var ids strings.Builder
	for _, d := range res.Docs {
		_, rest, _ := strings.Cut(string(r.Fragment(d)), `"ContentID":"`)
		id, _, _ := strings.Cut(rest, `"`)
		ids.WriteString(id)
	}
	return ids.String()
}

func TestCreatedAtPeriods(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{
		`{"ContentID":"h","CreatedAt":"9999-12-31T23:59:59.999Z"}`,
		`{"ContentID":"g","CreatedAt":"2022-01-01T00:00:00.000Z"}`,
		`{"ContentID":"f","CreatedAt":"2021-05-01T00:00:00.000Z"}`,
		`{"ContentID":"e","CreatedAt":"2021-04-24T00:00:00.000Z"}`,
		`{"ContentID":"d","CreatedAt":"2021-04-23T04:00:00.000Z"}`,
		`{"ContentID":"c","CreatedAt":"2021-04-23T03:25:00.000Z"}`,
		`{"ContentID":"b","CreatedAt":"2021-04-23T03:24:18.000Z"}`,
		`{"ContentID":"a","CreatedAt":"2021-04-23T03:24:17.999Z"}`,
	}})
	for text, want := range map[string]string{
		"2021": "fedcba", "2021-04": "edcba", "2021-04-23": "dcba", "2021-04-23T03": "cba", "2021-04-23T03:24": "ba", "2021-04-23T03:24:17": "a",
		"2021-04-23T03:24:17.999Z": "a", "2021-04-23T05:24:18+02:00": "b", "2021-04-23T03:24:17Z": "", "2021-04-23T05": "",
		"9999": "h", "9999-12-31T23": "h", "9999-12-31T23:59:59": "h",
	} {
		if got := withParams(t, r, search.Params{CreatedAt: text}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"x", "21", "2021-13", "2021-4", "2021-04-31", "2021-04-23T", "2021-04-23T3", "2021-04-23T24", "2021-04-23 03", "2021-04-23T03:60",
		"2021-04-23T03:24:17.9", "2021-04-23T3:24:17", "2021-04-23T03:24Z", "02021", " 2021"} {
		_, err := search.WithParams(&query.Body{}, search.Params{CreatedAt: text})
		if e, ok := errors.AsType[*query.Error](err); !ok || e.Code != "bad_created_at" || e.Parameter != "CreatedAt" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestDataWordsAndNames(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{
		`{"ContentID":"a","Name":"title","Data":{"title":"red chair","venue":{"city":"Oslo","hall":{"city":"x"}}}}`,
		`{"ContentID":"b","Data":{"text":"the title of it","venue":[{"name":"Oslo"},{"city":"Rome"}]}}`,
		`{"ContentID":"c","Data":{"list":[{"title":7}],"subtitle":"y","city":true}}`,
		`{"ContentID":"d","Data":{"Title":"chair","titles":"z","Data":{"deep":"w"}}}`,
		`{"ContentID":"e","Data":{}}`,
	}})
	for text, want := range map[string]string{
		"title":      "abc",
		"Title":      "bd", // the word in any case, the name as it is written
		"chair":      "ad",
		"red chair":  "a",
		"chair oslo": "a",
		"chair rome": "",
		"city":       "abc",
		"venue":      "ab",
		"venue.city": "ab",
		"hall.city":  "a",
		"city.hall":  "",
		"enue.city":  "",
		"venue.":     "",
		"Data":       "d", // an element below Data, not Data itself
		"Data.title": "a",
		"Data.venue": "ab",
		"Data.":      "",
		"deep":       "d",
		"!!!":        "",
	} {
		if got := withParams(t, r, search.Params{Data: text}); got != want {
			t.Errorf("Data=%s: %q, want %q", text, got, want)
		}
	}
}

// beside answers a body with parameters beside it.
func beside(t *testing.T, r *snapshot.Reader, text string, p search.Params) (string, error) {
	t.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = search.WithParams(b, p); err != nil {
		return "", err
	}
	return evaluated(t, r, b), nil
}

// A name alone is the interface's own sort; with a direction or a comma it is
// Elasticsearch's, which SortAsc has no part in.
func TestSortParameter(t *testing.T) {
	r := unordered(t)
	for _, c := range []struct{ body, sort, asc, want string }{
		{"", "Name", "", "[1 0 2]"},
		{"", "Name", "FALSE", "[1 0 2]"},
		{"", "Name", "True", "[0 2 1]"},
		{"", "Name:asc", "", "[0 2 1]"},
		{"", "Name:asc", "false", "[0 2 1]"},
		{"", "Name:desc,ContentID", "", "[1 2 0]"},
		{"", "Name,ContentID:desc", "", "[0 2 1]"},
		{"", "Name.keyword", "true", "[0 2 1]"},
		{"", "Data.nope", "true", "[0 1 2]"},
		{"", "Data.nope,ContentID", "", "[1 2 0]"},
		{"", "_score", "", "[0 1 2]"},
		{"", "_doc", "", "[0 1 2]"},
		{"", ",", "", "[0 1 2]"},
		{`{"sort":"ContentID"}`, "Name:desc", "", "[1 2 0]"},
		{`{"sort":"ContentID"}`, "nope", "", "[1 2 0]"},
	} {
		if got, err := beside(t, r, c.body, search.Params{Sort: c.sort, SortAsc: c.asc}); err != nil || got != c.want {
			t.Errorf("%s Sort=%s, SortAsc=%s: %s, %v, want %s", c.body, c.sort, c.asc, got, err, c.want)
		}
	}
	for _, p := range []search.Params{{Sort: "nope"}, {Sort: "name"}, {Sort: "Data"}, {Sort: "Data."}, {Sort: "Name:down"}, {Sort: "Name:up,ContentID"}, {SortAsc: "yes"}, {SortAsc: "ſ"}} {
		_, err := beside(t, r, "", p)
		if e, ok := errors.AsType[*query.Error](err); !ok || !strings.HasPrefix(e.Code, "bad_sort") || !strings.HasPrefix(e.Parameter, "Sort") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// A body's from or size comes first, then the parameters of these names, then pages.
func TestWindowParameters(t *testing.T) {
	r := unordered(t)
	for _, c := range []struct {
		body string
		p    search.Params
		want string
	}{
		{"", search.Params{URI: body.URI{From: "1"}}, "[1 2]"},
		{"", search.Params{URI: body.URI{Size: "1"}, Page: "2", PageSize: "2"}, "[0]"},
		{"", search.Params{URI: body.URI{From: "1"}, Page: "2", PageSize: "2"}, "[1 2]"},
		{"", search.Params{URI: body.URI{From: "-1"}, Page: "2", PageSize: "2"}, "[2]"},
		{`{"size":2}`, search.Params{URI: body.URI{From: "1", Size: "1"}}, "[1 2]"},
		{`{"from":2}`, search.Params{URI: body.URI{From: "1"}}, "[2]"},
		{`{"size":1}`, search.Params{Page: "2", PageSize: "2"}, "[0]"},
	} {
		if got, err := beside(t, r, c.body, c.p); err != nil || got != c.want {
			t.Errorf("%s %+v: %s, %v, want %s", c.body, c.p, got, err, c.want)
		}
	}
	if _, err := beside(t, r, "", search.Params{Page: "0", URI: body.URI{From: "1"}}); err == nil {
		t.Error("a bad page is taken beside from")
	}
}

// q is a query_string over all fields, which filters narrow and the body's query replaces.
func TestQueryParameter(t *testing.T) {
	r := unordered(t)
	for _, c := range []struct {
		body string
		p    search.Params
		want string
	}{
		{"", search.Params{URI: body.URI{Q: "x"}}, "[0 2]"},
		{"", search.Params{URI: body.URI{Q: "x 3"}}, "[1 0 2]"}, // by relevance
		{"", search.Params{URI: body.URI{Q: "Name:x Data.title:1", DefaultOperator: "and"}}, "[2]"},
		{"", search.Params{URI: body.URI{Q: "3", DefaultField: "Name"}}, "[]"},
		{"", search.Params{URI: body.URI{Q: "Data.title:3"}}, "[1]"},
		{"", search.Params{URI: body.URI{Q: "x"}, Equal: []search.Equal{{Field: "Data.title", Value: "1"}}}, "[2]"},
		{`{"query":{"match":{"Name":"y"}}}`, search.Params{URI: body.URI{Q: "x"}}, "[1]"},
		{`{"size":1}`, search.Params{URI: body.URI{Q: "x"}}, "[0]"},
	} {
		if got, err := beside(t, r, c.body, c.p); err != nil || got != c.want {
			t.Errorf("%s %+v: %s, %v, want %s", c.body, c.p, got, err, c.want)
		}
	}
}
