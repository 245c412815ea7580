// This file tests the form of explanations, which is that of the query as Lucene rewrites it.

package search_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
)

// explained is a part of an explanation.
type explained struct {
	Value       float64
	Description string
	Details     []explained
}

// form tells the parts of an explanation down to the weight of a word.
func (e explained) form() string {
	if strings.HasPrefix(e.Description, "weight(") {
		return "weight"
	}
	var parts []string
	for _, d := range e.Details {
		parts = append(parts, d.form())
	}
	if len(parts) > 0 {
		return fmt.Sprintf("%s [%s]", e.Description, strings.Join(parts, ", "))
	}
	return fmt.Sprintf("%s %.4g", e.Description, e.Value)
}

func TestExplanationForms(t *testing.T) {
	r := openLit(t)
	for _, c := range []struct{ query, want string }{
		{`{"bool":{"filter":{"match":{"Name":"fox"}},"must":{"match_all":{}},"should":{"match_all":{}}}}`, `sum of: [ConstantScore(Name:fox) 1, *:* 1]`},
		{`{"bool":{"filter":{"match":{"Name":"fox"}},"must":{"match_all":{}},"must_not":{"match":{"Name":"dog"}}}}`, `ConstantScore(-Name:dog #Name:fox) 1`},
		{`{"bool":{"must":[{"function_score":{}},{"bool":{}}]}}`, `sum of: [*:* 1, *:* 1]`},
		{`{"bool":{"must":[{"match_all":{}},{"bool":{}}]}}`, `*:*^2.0 2`},
		{`{"bool":{"filter":{"match_all":{"boost":0.5}},"should":{"match_all":{}}}}`, `sum of: [*:* 1, match on required clause, product of: [# clause 0, *:* 1]]`},
		{`{"bool":{"filter":{"match_all":{}},"should":{"match_all":{}}}}`, `*:* 1`},
		{`{"bool":{"filter":{"match_all":{}},"should":[{"match_all":{}},{"match_all":{"boost":3.5}}]}}`, `sum of: [*:* 1, *:*^3.5 3.5]`},
		{`{"bool":{"should":[{"match":{"Name":"fox"}},{"query_string":{"query":"Name:(quick brown)^2","minimum_should_match":1}}]}}`, `sum of: [weight, sum of: [weight, weight]]`},
		{`{"bool":{"should":[{"match":{"Name":"fox"}},{"query_string":{"query":"Name:(quick brown)","minimum_should_match":1}}]}}`, `sum of: [weight, weight, weight]`},
		{`{"query_string":{"default_field":"Name","query":"* *^2 fox"}}`, `sum of: [ConstantScore(NormsFieldExistsQuery [field=Name])^3.0 3, weight]`},
		{`{"more_like_this":{"fields":["Name"],"like":{"doc":{"Data":{"t":"jumps"}}},"min_term_freq":1,"min_doc_freq":1}}`, `weight`},
		{`{"more_like_this":{"fields":["Name"],"like":[{"doc":{"Data":{"t":"jumps"}}},"none"],"min_term_freq":1,"min_doc_freq":1}}`, `sum of: [weight]`},
		{`{"more_like_this":{"fields":["Name"],"like":[{"_id":"none"},"fox"],"min_term_freq":1,"min_doc_freq":1}}`, `sum of: [weight]`},
		{`{"function_score":{"functions":[{"filter":{"bool":{}},"weight":3}],"boost_mode":"replace"}}`, `min of: [product of: [constant score 1.0 - no function provided 1, weight 3], maxBoost 3.403e+38]`},
	} {
		body, err := body.Parse([]byte(`{"query":` + c.query + `}`))
		if err != nil {
			t.Fatal(err)
		}
		e, err := search.Explain(scorer.NewWorkLimit(t.Context()), r, body, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got explained
		if err := json.Unmarshal(e.JSON, &got); err != nil {
			t.Fatal(err)
		}
		if got.form() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.query, got.form(), c.want)
		}
	}
}
