// This file tests hits inside of hits and of a bucket: they are the hits of a search of their own, with the same
// members.

package searchtest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	hitwriter "contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
)

// testHitsInside asks for hits inside of hits, or in a bucket, and for the same with bodies of their own.
func testHitsInside(t *testing.T, open Open) {
	inner, bucket, marked := 0, 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 13))
		e := newEnv(t, open, newWriter(r).items(60))
		a := newAsker(r, e.twin)
		for range 100 {
			body := object{"query": a.clause(2)}
			a.nameQueries(body["query"].(object))
			shown := object{"size": 1 + a.IntN(4), "_source": pick(r, []any{false, "Name"})}
			a.inside(shown)
			delete(shown, "stored_fields") // inner hits have an id without them too
			option(a, shown, 3, "from", 1)
			option(a, shown, 3, "track_scores", true)
			if a.oneIn(3) {
				shown["sort"] = a.sort()
			}
			if _, ok := shown["highlight"]; ok {
				marked++
			}
			bucket += e.bucketHits(t, body, maps.Clone(shown), a.clause(1))
			if a.oneIn(3) {
				shown["collapse"] = object{"field": pick(r, []string{"Data.count", "Name.keyword", "TemplateName.keyword"})}
			}
			if a.oneIn(3) {
				body["post_filter"] = a.clause(1)
				a.nameQueries(body["post_filter"].(object))
			}
			inner += e.hitsInside(t, body, shown, pick(r, []string{"Data.count", "Name.keyword", "TemplateName.keyword"}))
		}
	}
	if inner < 1000 || bucket < 200 || marked < 500 {
		t.Errorf("%d groups, %d buckets, %d highlights are too few to tell", inner, bucket, marked)
	}
}

// foundHits are a page of hits as they are written.
type foundHits struct {
	Total struct{ Value int }
	Hits  []any
}

// hitsInside compares the groups of the first hits of a body, and returns their number.
func (e *env) hitsInside(t *testing.T, body, shown object, field string) (groups int) {
	t.Helper()
	inner := maps.Clone(shown)
	inner["name"] = "i"
	with := maps.Clone(body)
	with["collapse"], with["_source"] = object{"field": field, "inner_hits": inner}, false
	var page []struct {
		Fields map[string][]json.RawMessage
		Inner  map[string]struct{ Hits foundHits } `json:"inner_hits"`
	}
	if err := e.write(t, with, &page, nil, false); err != nil {
		return 0
	}
	for _, h := range page {
		some := object{"exists": object{"field": field}}
		if !strings.HasSuffix(field, ".keyword") { // which knows numbers of more than 64 bits too
			some = object{"range": object{field: object{"gte": rawNumber("-9223372036854775808")}}}
		}
		group := boolOf("must_not", some)
		if values := h.Fields[field]; values != nil {
			group = boolOf("filter", object{"term": object{field: object{"value": values[0]}}})
		}
		group["bool"].(object)["must"] = body["query"]
		own := maps.Clone(shown)
		if own["query"] = group; body["post_filter"] != nil {
			own["post_filter"] = body["post_filter"]
		}
		var want []any
		total := 0
		if err := e.write(t, own, &want, &total, false); err != nil {
			t.Fatalf("%s: %v", printed(own), err)
		}
		if got := h.Inner["i"].Hits; got.Total.Value != total || len(got.Hits) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.Hits, want) {
			t.Fatalf("%s\n%s\n got %d %s\nwant %d %s", printed(with), printed(own), got.Total.Value, printed(got.Hits), total, printed(want))
		}
		groups++
	}
	return groups
}

// bucketHits compares the hits of a bucket, if there are some.
func (e *env) bucketHits(t *testing.T, body, shown, filter object) (buckets int) {
	t.Helper()
	delete(shown, "explain") // only of the body's query
	own := maps.Clone(shown)
	own["query"] = boolOf("must", body["query"].(object), boolOf("filter", filter))
	if h, ok := own["highlight"].(object); ok && h["highlight_query"] == nil {
		h = maps.Clone(h)
		h["highlight_query"], own["highlight"] = body["query"], h
	}
	with := maps.Clone(body)
	with["aggs"] = object{"f": object{"filter": filter, "aggs": object{"h": object{"top_hits": shown}}}}
	var want []any
	total := 0
	if err := e.write(t, own, &want, &total, true); err != nil || len(want) == 0 {
		return 0
	}
	res, err := e.answer(with)
	if err != nil {
		t.Fatalf("%s: %v", printed(with), err)
	}
	var got struct {
		F struct{ H struct{ Hits foundHits } }
	}
	if err := json.Unmarshal(res.Aggregations, &got); err != nil {
		t.Fatal(err)
	}
	found := got.F.H.Hits
	if alike := sameIDs(found.Hits, want); found.Total.Value == total && !alike {
		return 0 // the precision of scores decides their order
	}
	if found.Total.Value != total || !reflect.DeepEqual(found.Hits, want) {
		t.Fatalf("%s\n%s\n got %d %s\nwant %d %s", printed(with), printed(own), found.Total.Value, printed(found.Hits), total, printed(want))
	}
	return 1
}

// sameIDs reports whether two pages have the same ids, and removes their scores, whose last digits depend on how
// clauses are combined.
func sameIDs(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i].(object), b[i].(object)
		if x["_id"] != y["_id"] {
			return false
		}
		for _, name := range []string{"_score", "sort"} {
			delete(x, name)
			delete(y, name)
		}
	}
	return true
}

// write answers a body, and reads its hits as _search writes them, or as a bucket's.
func (e *env) write(t *testing.T, o object, hits any, total *int, bucket bool) error {
	t.Helper()
	b, err := body.Parse([]byte(printed(o)))
	if err != nil {
		return err
	}
	b.Order.DropScore()
	work := scorer.NewWorkLimit(context.Background())
	res, err := search.EvalHits(work, e.r, b)
	if err != nil {
		return fault(t, err)
	}
	w := hitwriter.NewWriter(e.r.Meta().Env, b)
	w.HideScores = bucket && b.Order.Keys != nil && !b.Order.TrackScores
	text, err := w.AppendAll(nil, &res.Page, work)
	if err != nil {
		return fault(t, err)
	}
	if total != nil {
		*total = res.Total
	}
	if err := json.Unmarshal(text, hits); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return nil
}

func (e *env) answer(o object) (*search.Result, error) {
	b, err := body.Parse([]byte(printed(o)))
	if err != nil {
		return nil, err
	}
	return search.EvalHits(scorer.NewWorkLimit(context.Background()), e.r, b)
}

// fault is an error that a body may have.
func fault(t *testing.T, err error) error {
	t.Helper()
	if e := (*query.Error)(nil); !errors.As(err, &e) {
		t.Fatal(err)
	}
	return err
}

func printed(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
