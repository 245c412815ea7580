// This file tests explanations of scores: each gives the score of its hit, and its numbers follow
// from those below them.

package searchtest

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	hitwriter "contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
)

// explanation is one in a response.
type explanation struct {
	Value       float64
	Description string
	Details     []explanation
}

// testExplanations explains the hits of random bodies.
func testExplanations(t *testing.T, open Open) {
	explained := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 11))
		e := newEnv(t, open, newWriter(r).items(40))
		a := newAsker(r, e.twin)
		for range 120 {
			body := a.body()
			if a.oneIn(3) {
				a.members(body)
			}
			delete(body, "stored_fields")
			body["explain"], body["track_scores"], body["size"] = true, true, 20
			raw, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			explained += e.explains(t, raw, r)
		}
	}
	if explained < 2000 {
		t.Errorf("%d hits are too few to tell", explained)
	}
}

// explains compares the explanations of a body with its scores, and returns their number.
func (e *env) explains(t *testing.T, raw []byte, r *rand.Rand) int {
	b, err := body.Parse(raw)
	if err != nil {
		return 0
	}
	work := scorer.NewWorkLimit(context.Background())
	res, err := search.EvalHits(work, e.r, b)
	if _, ok := err.(*query.Error); err != nil && !ok {
		t.Errorf("%s: %v", raw, err)
	}
	if err != nil {
		return 0
	}
	text, err := hitwriter.NewWriter("e", b).AppendAll(nil, &res.Page, work)
	var list []struct {
		Score       *float64     `json:"_score"`
		Explanation *explanation `json:"_explanation"`
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if strings.Contains(string(text), `"Infinity"`) {
		return 0 // which is not a number of JSON
	}
	if err != nil {
		t.Errorf("%s: %v in %.400s", raw, err, text)
		return 0
	}
	for i, h := range list {
		switch {
		case h.Explanation == nil:
			t.Errorf("%s: hit %d has no explanation", raw, i)
			return 0
		case h.Score != nil && !alike(*h.Score, h.Explanation.Value):
			t.Errorf("%s: hit %d: score %v, explained as %v: %s", raw, i, *h.Score, h.Explanation.Value, text)
			return 0
		}
		if wrong := h.Explanation.wrong(); wrong != "" {
			t.Errorf("%s: hit %d: %s", raw, i, wrong)
			return 0
		}
	}
	e.explainsOthers(t, raw, b, r)
	return len(list)
}

// explainsOthers compares whether an item matches with whether its explanation says so.
func (e *env) explainsOthers(t *testing.T, raw []byte, b *query.Body, r *rand.Rand) {
	d := snapshot.DocID(r.IntN(e.r.Items()))
	page := query.Body{Query: b.Query, Window: query.Window{Size: whole}}
	res, err := search.Eval(context.Background(), e.r, &page)
	if err != nil {
		return
	}
	found := false
	for _, doc := range res.Docs {
		found = found || doc == d
	}
	if x, err := search.Explain(scorer.NewWorkLimit(context.Background()), e.r, &page, d); err != nil || x.Matches != found {
		t.Errorf("%s: item %d matches: %v, explained as %v, %v", raw, d, found, x.Matches, err)
	}
}

func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1e-3, math.Abs(a), math.Abs(b)) }

// wrong returns the number that does not follow from the numbers below it.
func (x *explanation) wrong() string {
	sum, product := 0.0, 1.0
	for i := range x.Details {
		if wrong := x.Details[i].wrong(); wrong != "" {
			return wrong
		}
		sum += x.Details[i].Value
		product *= x.Details[i].Value
	}
	want := x.Value
	switch {
	case len(x.Details) == 0:
	case strings.HasSuffix(x.Description, "sum of:") || x.Description == "sum of":
		want = sum
	case strings.HasSuffix(x.Description, "product of:"), strings.HasPrefix(x.Description, "score("):
		want = product
	case strings.HasPrefix(x.Description, "weight("):
		want = sum
	}
	if math.Abs(want-x.Value) > 1e-4*max(1e-3, math.Abs(want)) {
		return x.Description + " is not what its parts give"
	}
	return ""
}
