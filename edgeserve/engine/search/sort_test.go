// This file tests orders that are read off a column.

package search_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

func TestRangeOfAllValuesSortedByThem(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{
		`{"ContentID":"a","Data":{"n":1}}`, `{"ContentID":"b"}`, `{"ContentID":"c","Data":{"n":2}}`,
	}})
	for _, body := range []string{
		`{"query":{"range":{"Data.n":{"gte":0}}},"sort":[{"Data.n":"asc"}],"size":10}`,
		`{"query":{"range":{"Data.n":{"gte":0}}},"sort":[{"Data.n":"desc"}],"size":10}`,
	} {
		if res := evaluate(t, r, body); res.Total != 2 || len(res.Docs) != 2 {
			t.Errorf("%s: %d hits of %d, expected 2 of 2", body, len(res.Docs), res.Total)
		}
	}
}

// unordered has items whose default order is not that of their ids.
func unordered(t *testing.T) *snapshot.Reader {
	t.Helper()
	return snaptest.Open(t, snaptest.Env{Items: []string{
		`{"ContentID":"c","Name":"x","CreatedAt":"2021-03-01T00:00:00Z","Data":{"title":"2"}}`,
		`{"ContentID":"a","Name":"y","CreatedAt":"2021-02-01T00:00:00Z","Data":{"title":"3"}}`,
		`{"ContentID":"b","Name":"x","CreatedAt":"2021-01-01T00:00:00Z","Data":{"title":"1"}}`,
	}})
}

// evaluated answers a body with the numbers of documents.
func evaluated(t *testing.T, r *snapshot.Reader, b *query.Body) string {
	t.Helper()
	res, err := search.Eval(t.Context(), r, b)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(res.Docs)
}

// A list is in the order of its path alone: what no item has, every item lacks, and then
// the ids decide, also where a search body would find a sub-field of the name.
func TestListSortedByWhatIsMissing(t *testing.T) {
	r := unordered(t)
	for _, c := range []struct {
		sort, asc, desc string
	}{
		{"Data.title", "[2 0 1]", "[1 0 2]"},
		{"Data.nope", "[1 2 0]", "[1 2 0]"},
		{"Data.title.keyword", "[1 2 0]", "[1 2 0]"},
		{"Data.title.more", "[1 2 0]", "[1 2 0]"},
		{"Status", "[1 2 0]", "[1 2 0]"},
	} {
		for asc, want := range map[bool]string{true: c.asc, false: c.desc} {
			l := address.List{Sort: c.sort, Asc: asc, Page: 1, Size: 10}
			if got := evaluated(t, r, search.FromList(l)); got != want {
				t.Errorf("%s, ascending %t: %s, want %s", c.sort, asc, got, want)
			}
		}
	}
	l := address.List{Name: "x", Sort: "Data.nope", Page: 2, Size: 1}
	if got := evaluated(t, r, search.FromList(l)); got != "[0]" {
		t.Errorf("the second of two matches: %s", got)
	}
}

// In a search the default order breaks ties, and other keys still count.
func TestBodySortedByWhatIsMissing(t *testing.T) {
	r := unordered(t)
	for text, want := range map[string]string{
		`{"sort":"Data.nope"}`:                                           "[0 1 2]",
		`{"sort":{"Data.nope":"desc"}}`:                                  "[0 1 2]",
		`{"sort":["Data.nope","Name"]}`:                                  "[0 2 1]",
		`{"sort":["Name","Data.nope"]}`:                                  "[0 2 1]",
		`{"sort":"Data.nope","query":{"match":{"Name":"x"}}}`:            "[0 2]",
		`{"sort":["Data.nope","_score"],"query":{"match":{"Name":"x"}}}`: "[0 2]",
		`{"sort":"Data.title.keyword"}`:                                  "[2 0 1]",
	} {
		b, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluated(t, r, b); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A sort that names no field is an error that says what to write, unless an item has such a path, or the sort its type.
func TestSortedByNoField(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{`{"ContentID":"a","Name":"x","Data":{"n:desc":1,"x":{"a,Name":2},"n":3}}`}})
	for name, advice := range map[string]string{
		"Nope": `: write "Data.Nope"`, "Data": "", "Data.": "", "data.n": `: write "Data.n"`, "Name.nope": "", "title": `: write "Data.title"`,
		"-Name": `: write {"Name":"desc"}`, "Name:desc": `: write {"Name":"desc"}`, "Data.n:asc": `: write {"Data.n":"asc"}`, "Data.m:desc": `: write {"Data.m":"desc"}`,
		"Data.n desc": `: write {"Data.n":"desc"}`, "Data.n,Name": ": name one field; the body of a search takes an array of several",
	} {
		for _, key := range []query.SortKey{{Field: name}, {Field: name, Exact: true}, {Field: name, Unmapped: "long"}} {
			_, err := search.Eval(t.Context(), r, &query.Body{Window: query.Window{Size: 10}, Order: query.Order{Keys: []query.SortKey{key}}})
			e, refused := errors.AsType[*query.Error](err)
			if refused != (key.Unmapped == "") || refused && (e.Code != problem.BadSort || !key.Exact && !strings.HasSuffix(e.Message, "like Data.title"+advice)) {
				t.Errorf("sort by %+v: %v", key, err)
			}
		}
	}
	for _, name := range []string{"Data.n:desc", "Data.x.a,Name", "Data.nope", "Data.n.desc", "Data.a:b"} {
		if _, err := search.Eval(t.Context(), r, &query.Body{Window: query.Window{Size: 10}, Order: query.Order{Keys: []query.SortKey{{Field: name}}}}); err != nil {
			t.Errorf("sort by %q: %v", name, err)
		}
	}
}
