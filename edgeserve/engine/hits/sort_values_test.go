package hits_test

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

func TestSortValues(t *testing.T) {
	r := searchtest.Snaptest(t, []string{
		`{"ContentID":"a","Name":"Fox \"1\"","CreatedAt":"2021-01-02T00:00:00Z","Data":{"n":[3,1],"f":1.1,"b":true,"s":["z","y"]}}`,
		`{"ContentID":"b"}`,
	})
	keys := func(asc bool) (keys []query.SortKey) {
		for name := range strings.FieldsSeq("Name.keyword Name _id CreatedAt Data.n Data.f Data.b Data.s.keyword Data.n.double nope _doc _score") {
			keys = append(keys, query.SortKey{Field: name, Asc: asc})
		}
		return keys
	}
	for _, c := range []struct {
		id   string
		asc  bool
		want string
	}{
		{"a", true, `["Fox \"1\"","Fox \"1\"","a",1609545600000,1,1.1,1,"y",1.0,null,0,0.5]`},
		{"a", false, `["Fox \"1\"","Fox \"1\"","a",1609545600000,3,1.1,1,"z",3.0,null,0,0.5]`},
		{"b", true, `[null,null,"b",9223372036854775807,9223372036854775807,"Infinity",9223372036854775807,null,"Infinity",null,1,0.5]`},
		{"b", false, `[null,null,"b",-9223372036854775808,-9223372036854775808,"-Infinity",-9223372036854775808,null,"-Infinity",null,1,0.5]`},
	} {
		doc, _ := r.Lookup(c.id)
		if got := string(hits.NewSortValues(r, keys(c.asc)).Append(nil, doc, 0.5)); got != c.want {
			t.Errorf("%s, ascending %v:\n got %s\nwant %s", c.id, c.asc, got, c.want)
		}
	}
}

// Sort values may be as long as items. Too many of them are refused while they are written.
func TestLongSortValues(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: snaptest.LongItems()})
	docs := make([]snapshot.DocID, r.Items())
	for i := range docs {
		docs[i] = snapshot.DocID(i)
	}
	for keys, want := range map[int]string{1: "", 2: "too_costly"} {
		body, err := body.Parse([]byte(`{"_source":false,"sort":["Data.body.keyword"` + strings.Repeat(`,"Data.body.keyword"`, keys-1) + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		page := hits.NewPage(r, docs, scorer.Scores{}, hits.NewSortValues(r, body.Order.Keys))
		out, err := hits.NewWriter("site", body).AppendAll(nil, &page, scorer.NewWorkLimit(t.Context()))
		code := ""
		if e, ok := errors.AsType[*query.Error](err); ok && e.Parameter == "sort" {
			code = e.Code
		}
		if code != want || (want == "") != (err == nil) {
			t.Errorf("%d keys: %d bytes, %v", keys, len(out), err)
		}
	}
}
