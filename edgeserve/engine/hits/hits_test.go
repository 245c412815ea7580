package hits_test

import (
	"math"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

// TestHits writes the hits of two documents, as _search does and beside items. Size must not be below
// the length of the text, as callers reserve memory by it.
func TestHits(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","Name":"one"}`, `{"ContentID":"b","Name":"two"}`})
	byName := hits.NewSortValues(r, []query.SortKey{{Field: "Name.keyword", Asc: true}})
	page := func(parts ...hits.Part) *hits.Page {
		p := hits.NewPage(r, []snapshot.DocID{0, 1}, scorer.Scores{Of: []float32{2, 1}, Best: 2}, byName)
		p.Parts, p.Extra = parts, 200
		return &p
	}
	names := hits.MatchedQueries(func(place int) []string { return [][]string{{"x", `y"`}, nil}[place] })
	fields := hits.Fields([]hits.Field[snapshot.DocID]{
		{Name: "none", Values: func(dst []byte, _ snapshot.DocID) ([]byte, error) { return dst, nil }},
		{Name: "n", Values: func(dst []byte, d snapshot.DocID) ([]byte, error) {
			if d == 1 {
				return dst, nil
			}
			return append(dst, `,1,2`...), nil
		}},
	}, []snapshot.DocID{0, 1})
	explained, _ := hits.Explanations([][]byte{[]byte(`{"value":2}`), []byte(`{"value":1}`)})
	inner := page()
	inner.Inner = [][]hits.Inner{
		{{Name: "i", Body: parse(t, `{"_source":"Name"}`), Total: 3, Page: hits.NewPage(r, []snapshot.DocID{1}, scorer.Scores{Best: float32(math.NaN())}, nil)},
			{Name: "j", Body: parse(t, `{"_source":false,"stored_fields":"_none_"}`), Page: hits.Page{}}}, nil,
	}
	for _, c := range []struct {
		name, body   string
		page         *hits.Page
		hide         bool
		want, beside string
	}{
		{"names of queries", `{"_source":false}`, page(names), false,
			`[{"_index":"e","_type":"_doc","_id":"a","_score":2.0,"matched_queries":["x","y\""]},{"_index":"e","_type":"_doc","_id":"b","_score":1.0}]`,
			`[{"_id":"a","_score":2.0,"matched_queries":["x","y\""]},{"_id":"b","_score":1.0}]`},
		{"versions and places", `{"_source":["Name"],"version":true,"seq_no_primary_term":true}`, page(), true,
			`[{"_index":"e","_type":"_doc","_id":"a","_version":1,"_seq_no":0,"_primary_term":1,"_score":null,"_source":{"Name":"one"}},{"_index":"e","_type":"_doc","_id":"b","_version":1,"_seq_no":1,"_primary_term":1,"_score":null,"_source":{"Name":"two"}}]`,
			`[{"_id":"a","_score":null},{"_id":"b","_score":null}]`},
		{"no ids", `{"stored_fields":"_none_"}`, page(fields, explained), false,
			`[{"_index":"e","_type":"_doc","_score":2.0,"fields":{"n":[1,2]},"_explanation":{"value":2}},{"_index":"e","_type":"_doc","_score":1.0,"_explanation":{"value":1}}]`,
			`[{"_score":2.0,"fields":{"n":[1,2]},"_explanation":{"value":2}},{"_score":1.0,"_explanation":{"value":1}}]`},
		{"hits inside of hits", `{"_source":false,"sort":["Name.keyword"]}`, inner, true,
			`[{"_index":"e","_type":"_doc","_id":"a","_score":null,"inner_hits":{"i":{"hits":{"total":{"value":3,"relation":"eq"},"max_score":null,"hits":[{"_index":"e","_type":"_doc","_id":"b","_score":null,"_source":{"Name":"two"}}]}},"j":{"hits":{"total":{"value":0,"relation":"eq"},"max_score":0.0,"hits":[]}}},"sort":["one"]},{"_index":"e","_type":"_doc","_id":"b","_score":null,"sort":["two"]}]`,
			`[{"_id":"a","_score":null,"inner_hits":{"i":{"hits":{"total":{"value":3,"relation":"eq"},"max_score":null,"hits":[{"_id":"b","_score":null,"_source":{"Name":"two"}}]}},"j":{"hits":{"total":{"value":0,"relation":"eq"},"max_score":0.0,"hits":[]}}},"sort":["one"]},{"_id":"b","_score":null,"sort":["two"]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := parse(t, c.body)
			for w, want := range map[*hits.Writer]string{hits.NewWriter("e", body): c.want, hits.NewWriterWithoutSource(body): c.beside} {
				w.HideScores = c.hide
				got, err := w.AppendAll(nil, c.page, scorer.NewWorkLimit(t.Context()))
				if err != nil || string(got) != want {
					t.Errorf("%v\n got %s\nwant %s", err, got, want)
				}
				if size := w.Size(c.page); size < len(got) {
					t.Errorf("%d bytes, announced as %d", len(got), size)
				}
			}
		})
	}
}

func parse(t *testing.T, text string) *query.Body {
	t.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSourceAlone writes sources without a hit around them.
func TestSourceAlone(t *testing.T) {
	for body, want := range map[string]string{`{}`: `{"a":1,"b":2}`, `{"_source":false}`: `{}`, `{"_source":["b"]}`: `{"b":2}`} {
		s := hits.NewSource(parse(t, body).Show.Source)
		if got := s.AppendAlone(nil, []byte(`{"a":1,"b":2}`)); !slices.Equal(got, []byte(want)) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
