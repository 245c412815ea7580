// This file tests what hits inside of hits, and hits of a bucket, show.

package search_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

var shop = []string{
	`{"ContentID":"A","CreatedAt":"2021-01-04T00:00:00.000Z","Name":"red coat","TemplateName":"coat","Data":{"size":40,"by":"x"}}`,
	`{"ContentID":"B","CreatedAt":"2021-01-03T00:00:00.000Z","Name":"blue coat of a red lining","TemplateName":"coat","Data":{"size":40,"by":"y","on":"z"}}`,
	`{"ContentID":"C","CreatedAt":"2021-01-02T00:00:00.000Z","Name":"red shoe","TemplateName":"shoe","Data":{"by":"x"}}`,
	`{"ContentID":"D","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"red coat","TemplateName":"coat","Data":{"size":42,"by":"x"}}`,
}

// written are the hits of a body as they stand beside items, and its aggregations.
func written(t *testing.T, r *snapshot.Reader, text string) (page string, aggregations string, err error) {
	t.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	work := scorer.NewWorkLimit(t.Context())
	res, err := search.EvalHits(work, r, b)
	if err != nil {
		return "", "", err
	}
	out, err := hits.NewWriterWithoutSource(b).AppendAll(nil, &res.Page, work)
	return string(out), string(res.Aggregations), err
}

// Each group is a search of its own, whose query looks for the value of the group too.
func TestInnerHits(t *testing.T) {
	r := searchtest.Snaptest(t, shop)
	const red = `"query":{"match":{"Name":{"query":"red","_name":"q"}}},"sort":["CreatedAt"],`
	for _, c := range []struct{ name, members, field, inner, want string }{
		{"highlights mark the value of a text", red + `"size":1,`, "TemplateName.keyword", `"size":1,"highlight":{"fields":{"Name":{},"TemplateName.keyword":{},"TemplateName":{}}}`,
			`{"_id":"A","_score":0.12199639,"highlight":{"Name":["<em>red</em> coat"],"TemplateName.keyword":["<em>coat</em>"]},"matched_queries":["q"]}`},
		{"and as a word of other fields", red + `"size":1,`, "TemplateName.keyword", `"size":1,"highlight":{"require_field_match":false,"fields":{"Name":{}}}`,
			`{"_id":"A","_score":0.12199639,"highlight":{"Name":["<em>red</em> <em>coat</em>"]},"matched_queries":["q"]}`},
		{"but no number", red + `"size":1,`, "Data.size", `"highlight":{"fields":{"Name":{},"Data.size":{}}}`,
			`{"_id":"D","_score":0.12199639,"highlight":{"Name":["<em>red</em> coat"]},"matched_queries":["q"]}`},
		{"nor what has none", red + `"from":1,"size":1,`, "Data.size", `"highlight":{"fields":{"Name":{},"Data.by":{}}}`,
			`{"_id":"C","_score":0.12199639,"highlight":{"Name":["<em>red</em> shoe"]},"matched_queries":["q"]}`},
		{"a highlight_query of their own", red + `"size":1,`, "TemplateName.keyword", `"size":1,"highlight":{"highlight_query":{"match":{"Name":"coat"}},"fields":{"Name":{},"TemplateName.keyword":{}}}`,
			`{"_id":"A","_score":0.12199639,"highlight":{"Name":["red <em>coat</em>"]},"matched_queries":["q"]}`},
		{"a post_filter, and its name", red + `"size":1,"post_filter":{"term":{"Data.by":{"value":"y","_name":"y"}}},`, "TemplateName.keyword", `"sort":["CreatedAt"],"docvalue_fields":["Data.by.keyword"]`,
			`{"_id":"B","_score":null,"fields":{"Data.by.keyword":["y"]},"matched_queries":["q","y"],"sort":[1609632000000]}`},
		{"no min_score", `"query":{"match":{"Name":"coat"}},"min_score":0.3,"size":1,`, "TemplateName.keyword", `"size":5`,
			`{"_id":"A","_score":0.41299206},{"_id":"D","_score":0.41299206},{"_id":"B","_score":0.25312418}`},
		{"a second level", `"sort":["CreatedAt"],"size":1,`, "TemplateName.keyword", `"collapse":{"field":"Data.size"},"sort":[{"CreatedAt":"desc"}]`,
			`{"_id":"A","_score":null,"fields":{"Data.size":[40]},"sort":[1609718400000]},{"_id":"D","_score":null,"fields":{"Data.size":[42]},"sort":[1609459200000]}`},
		{"explanations", `"query":{"ids":{"values":["A"],"boost":2}},`, "TemplateName.keyword", `"explain":true`,
			`{"_id":"A","_score":2.0,"_explanation":{"value":2.0,"description":"sum of:","details":[{"value":2.0,"description":"ConstantScore(_id:[A])^2.0","details":[]},{"value":0.0,"description":"match on required clause, product of:","details":[{"value":0.0,"description":"# clause","details":[]},{"value":1.0,"description":"TemplateName.keyword:coat","details":[]}]}]}}`},
		{"an explanation of what has no text", `"query":{"ids":{"values":["C"]}},`, "Data.on.keyword", `"explain":true`,
			`{"_id":"C","_score":1.0,"_explanation":{"value":1.0,"description":"sum of:","details":[{"value":1.0,"description":"ConstantScore(_id:[C])","details":[]}]}}`},
		{"and no number", `"query":{"ids":{"values":["C"]}},`, "Data.size", `"explain":true`,
			`{"_id":"C","_score":1.0,"_explanation":{"value":1.0,"description":"sum of:","details":[{"value":1.0,"description":"ConstantScore(_id:[C])","details":[]}]}}`},
		{"stored fields of no name", `"sort":["CreatedAt"],"size":1,`, "Data.size", `"stored_fields":"_none_","fields":["Data.by"]`, `{"_id":"D","_score":0.0,"fields":{"Data.by":["x"]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := written(t, r, fmt.Sprintf(`{%s"_source":false,"collapse":{"field":%q,"inner_hits":{"name":"i","_source":false,%s}}}`, c.members, c.field, c.inner))
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ = strings.Cut(got, `"inner_hits":{"i":{"hits":{`)
			_, got, _ = strings.Cut(got, `"hits":[`)
			if got, _, _ = strings.Cut(got, `]}}}`); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTopHitsShow(t *testing.T) {
	r := searchtest.Snaptest(t, shop)
	for _, c := range []struct{ name, members, hits, want string }{
		{"highlights, and names of queries", `"query":{"match":{"Name":{"query":"red","_name":"q"}}},"post_filter":{"term":{"Data.by":{"value":"y","_name":"y"}}},`, `"size":2,"sort":["CreatedAt"],"highlight":{"fields":{"*":{}}}`,
			`{"_index":"demo","_type":"_doc","_id":"D","_score":null,"highlight":{"Name":["<em>red</em> coat"]},"matched_queries":["q"],"sort":[1609459200000]},` +
				`{"_index":"demo","_type":"_doc","_id":"B","_score":null,"highlight":{"Name":["blue coat of a <em>red</em> lining"]},"matched_queries":["q","y"],"sort":[1609632000000]}`},
		{"explanations of scores again", `"query":{"ids":{"values":["A","B"]}},"rescore":{"window_size":1,"query":{"query_weight":3,"rescore_query":{"match_all":{}}}},`, `"explain":true`,
			`{"_shard":"[demo][0]","_node":"contentedge","_index":"demo","_type":"_doc","_id":"A","_score":4.0,"_explanation":{"value":4.0,"description":"sum of:","details":[` +
				`{"value":3.0,"description":"product of:","details":[{"value":1.0,"description":"ConstantScore(_id:[A B])","details":[]},{"value":3.0,"description":"primaryWeight","details":[]}]},` +
				`{"value":1.0,"description":"product of:","details":[{"value":1.0,"description":"*:*","details":[]},{"value":1.0,"description":"secondaryWeight","details":[]}]}]}},` +
				`{"_shard":"[demo][0]","_node":"contentedge","_index":"demo","_type":"_doc","_id":"B","_score":3.0,"_explanation":{"value":3.0,"description":"product of:","details":[` +
				`{"value":1.0,"description":"ConstantScore(_id:[A B])","details":[]},{"value":3.0,"description":"primaryWeight","details":[]}]}}`},
		{"fields without ids", `"query":{"ids":{"values":["A"]}},`, `"stored_fields":"_none_","fields":["Name"]`, `{"_index":"demo","_type":"_doc","_score":1.0,"fields":{"Name":["red coat"]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got, err := written(t, r, fmt.Sprintf(`{"size":0,%s"aggs":{"b":{"filter":{"term":{"TemplateName":"coat"}},"aggs":{"h":{"top_hits":{"_source":false,%s}}}}}}`, c.members, c.hits))
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ = strings.Cut(got, `"hits":[`)
			if got, _, _ = strings.Cut(got, `]}}}}`); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// The highlights of a response are in memory at once, wherever they stand.
func TestTooManyHighlights(t *testing.T) {
	var items []string
	for i := range 12 {
		items = append(items, fmt.Sprintf(`{"ContentID":"C_%02d","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n%d","Data":{"t":"%s"}}`, i, i%3, strings.Repeat("bread ", 45_000)))
	}
	r := searchtest.Snaptest(t, items)
	const whole = `"highlight":{"number_of_fragments":0,"fields":{"Data.t":{}}}`
	for body, refused := range map[string]bool{
		`{"size":12,%s}`: false,
		`{"collapse":{"field":"Name.keyword","inner_hits":{"name":"i","size":4,%s}}}`:                               false,
		`{"collapse":{"field":"Name.keyword","inner_hits":[{"name":"i","size":4,%s},{"name":"j","size":4,%[1]s}]}}`: true,
		`{"size":12,%s,"collapse":{"field":"Name.keyword","inner_hits":{"name":"i","size":4,%[1]s}}}`:               true,
		`{"size":0,"aggs":{"n":{"terms":{"field":"Name.keyword"},"aggs":{"h":{"top_hits":{"size":4,%s}}}}}}`:        false,
		`{"size":12,%s,"aggs":{"n":{"terms":{"field":"Name.keyword"},"aggs":{"h":{"top_hits":{"size":4,%[1]s}}}}}}`: true,
	} {
		_, _, err := written(t, r, strings.Replace(fmt.Sprintf(body, whole), "{", `{"query":{"match":{"Data.t":"bread"}},"_source":false,`, 1))
		var e *query.Error
		if !refused && err != nil || refused && (!errors.As(err, &e) || e.Code != "too_costly" || e.Parameter != "highlight") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Cursors of one page are there for the next one.
func TestManyPagesInside(t *testing.T) {
	var items []string
	for i := range 2000 {
		items = append(items, fmt.Sprintf(`{"ContentID":"C_%04d","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n%04d a b c d e f g h i j k l"}`, i, i))
	}
	r := searchtest.Snaptest(t, items)
	const words = `{"size":0,"query":{"match":{"Name":{"query":"a b c d e f g h i j k l","_name":"q"}}},%s}`
	for _, members := range []string{
		`"aggs":{"n":{"terms":{"field":"Name.keyword","size":2000},"aggs":{"h":{"top_hits":{"_source":false}}}}}`,
		`"size":2000,"_source":false,"collapse":{"field":"Name.keyword","inner_hits":{"name":"i","_source":false}}`,
	} {
		if _, _, err := written(t, r, strings.Replace(fmt.Sprintf(words, members), `"size":0,`, "", strings.Count(members, "inner_hits"))); err != nil {
			t.Errorf("%s: %v", members, err)
		}
	}
}

// Without hits, no match has to stand for others.
func TestCollapseWithoutHits(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n","Data":{"tags":["x","y"]}}`})
	for size, want := range map[int]string{0: "<nil>", 1: "cannot be collapsed by"} {
		_, _, err := written(t, r, fmt.Sprintf(`{"size":%d,"collapse":{"field":"Data.tags.keyword"}}`, size))
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("size %d: %v, want %s", size, err, want)
		}
	}
}

// Fields that are too many are refused even where no bucket has documents.
func TestTooManyFieldsInBuckets(t *testing.T) {
	var members []string
	for i := range 101 {
		members = append(members, fmt.Sprintf(`"k%d":"v"`, i))
	}
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n","Data":{` + strings.Join(members, ",") + `}}`})
	for _, q := range []string{`{"match_all":{}}`, `{"match_none":{}}`} {
		_, _, err := written(t, r, `{"size":0,"query":`+q+`,"aggs":{"a":{"terms":{"field":"Name.keyword"},"aggs":{"h":{"top_hits":{"docvalue_fields":["Data.*.keyword"]}}}}}}`)
		if !strings.Contains(fmt.Sprint(err), "reaches more than 100 fields") {
			t.Errorf("%s: %v", q, err)
		}
	}
}
