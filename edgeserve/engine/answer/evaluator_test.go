package answer_test

import (
	"strconv"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/release"
)

// remote is an evaluator without a snapshot: its matches come from elsewhere, with all that hits show.
type remote struct{ ids []string }

func (r remote) item(place int) []byte { return []byte(`{"ContentID":"` + r.ids[place] + `"}`) }

// Search implements hits.Evaluator. Every item matches.
func (r remote) Search(_ *scorer.WorkLimit, _ *query.Body, forHits bool) (*hits.Result, error) {
	found := &hits.Result{Total: 7, Aggregations: []byte(`{"n":{"value":7}}`)}
	found.Page = hits.Page{Matches: r, Best: 2, Parts: []hits.Part{func(dst []byte, place int) ([]byte, error) {
		return append(dst, `,"highlight":{"Name":["<em>`+r.ids[place]+`</em>"]}`...), nil
	}}}
	if forHits {
		found.Sort = func(dst []byte, place int, _ *scorer.WorkLimit) ([]byte, error) {
			return append(strconv.AppendInt(append(dst, '['), int64(place), 10), ']'), nil
		}
	}
	return found, nil
}

// Len implements hits.Matches.
func (r remote) Len() int { return len(r.ids) }

// Hit implements hits.Matches.
func (r remote) Hit(place int) hits.Hit {
	return hits.Hit{ID: []byte(r.ids[place]), SeqNo: 40 + uint64(place), Score: 2}
}

// Items implements hits.Matches.
func (r remote) Items(place, _ int) (joined []byte, n int) { return r.item(place), 1 }

// Item implements hits.Evaluator.
func (r remote) Item(id string) (item []byte, found bool, err error) {
	return []byte(`{"ContentID":"` + id + `"}`), true, nil
}

// Explain implements hits.Evaluator.
func (r remote) Explain(*scorer.WorkLimit, *query.Body, string) (hits.Explained, error) {
	return hits.Explained{JSON: []byte(`{"value":2.0,"description":"remote","details":[]}`), Matches: true}, nil
}

// CanMatch implements hits.Evaluator.
func (r remote) CanMatch(*scorer.WorkLimit, *query.Body) (ok, timed bool, err error) {
	return true, false, nil
}

// QueryText implements hits.Evaluator.
func (r remote) QueryText(*scorer.WorkLimit, *query.Body) (string, error) { return "*:*", nil }

// An evaluator needs no snapshot: what it finds is written like the matches of one.
func TestAnotherEvaluator(t *testing.T) {
	v := &answer.Release{Manifest: &release.Manifest{}, Environments: map[string]*elastic.Index{"shop": {Items: remote{[]string{"A", "B"}}}}}
	for _, tt := range []struct{ target, body, want string }{
		{"/cda/rest/v1/shop/contents/A", ``, `{"status":200,"data":{"ContentID":"A"}}`},
		{"/cda/es/v1/shop", `{"aggs":{"n":{"value_count":{"field":"Name"}}}}`, `
			{
			  "status": 200,
			  "data": [{"ContentID": "A"}, {"ContentID": "B"}],
			  "totalItems": 7,
			  "aggregations": {"n": {"value": 7}}
			}`},
		{"/cda/es/v1/shop/_search", `{"sort":["Name.keyword"],"seq_no_primary_term":true}`, `
			{
			  "took": 0,
			  "timed_out": false,
			  "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
			  "hits": {
			    "total": {"value": 7, "relation": "eq"},
			    "max_score": 2.0,
			    "hits": [
			      {"_index": "shop", "_type": "_doc", "_id": "A", "_seq_no": 40, "_primary_term": 1, "_score": 2.0, "_source": {"ContentID": "A"}, "highlight": {"Name": ["<em>A</em>"]}, "sort": [0]},
			      {"_index": "shop", "_type": "_doc", "_id": "B", "_seq_no": 41, "_primary_term": 1, "_score": 2.0, "_source": {"ContentID": "B"}, "highlight": {"Name": ["<em>B</em>"]}, "sort": [1]}
			    ]
			  },
			  "aggregations": {"n": {"value": 7}}
			}`},
		{"/cda/es/v1/shop/_explain/A", `{"query":{"match_all":{}}}`, `
			{
			  "_index": "shop", "_type": "_doc", "_id": "A",
			  "matched": true,
			  "explanation": {"value": 2.0, "description": "remote", "details": []}
			}`},
	} {
		response, problem, err := v.Respond(tt.target, []byte(tt.body))
		if want := compact(tt.want); problem != nil || err != nil || string(response.Body) != want {
			t.Errorf("%s: %+v, %v\n got %s\nwant %s", tt.target, problem, err, response.Body, want)
		}
	}
}
