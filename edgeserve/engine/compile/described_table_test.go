package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// TestDescriptions has the texts of Lucene in the explanations of queries: of a weight its query, otherwise the
// description itself.
func TestDescriptions(t *testing.T) {
	x := newIndex(t, animals...)
	for _, row := range []struct {
		query string
		item  snapshot.DocID
		want  string
	}{
		{`{"term":{"Data.t":"red"}}`, 0, "Data.t:red"},
		{`{"term":{"Data.t":{"value":"RED","case_insensitive":true}}}`, 0, "Data.t:AutomatonQuery {RED}"},
		{`{"term":{"Data.k.keyword":"Beta"}}`, 2, "Data.k.keyword:Beta"},
		{`{"term":{"Data.b":true}}`, 0, "Data.b:T"},
		{`{"term":{"Data.n":3}}`, 2, "Data.n:[3 TO 3]"},
		{`{"terms":{"Data.t":["red","fox","red"]}}`, 0, "ConstantScore(Data.t:fox Data.t:red)"},
		{`{"terms":{"Data.b":["true"]}}`, 0, "ConstantScore(Data.b:T)"},
		{`{"terms":{"Data.n":[10,9,1]}}`, 0, "Data.n:{1 9 10}"},
		{`{"terms":{"Data.t":["q","p","o","n","m","l","k","j","i","h","g","f","e","d","c","b","red"]}}`, 0, "Data.t:(b c d e f g h i j k l m n o p q red)"},
		{`{"prefix":{"Data.t":"re"}}`, 0, "Data.t:re*"},
		{`{"wildcard":{"Data.t":"re*"}}`, 0, "Data.t:re*"},
		{`{"regexp":{"Data.t":"re."}}`, 0, "Data.t:/re./"},
		{`{"fuzzy":{"Data.t":{"value":"rod","fuzziness":1,"rewrite":"constant_score"}}}`, 0, "Data.t:rod~1"},
		{`{"range":{"Data.n":{"gt":1,"boost":2}}}`, 1, "Data.n:[2 TO 9223372036854775807]^2.0"},
		{`{"range":{"Data.f":{"gt":0,"lte":1}}}`, 0, "Data.f:{0 TO 1]"},
		{`{"range":{"Data.t":{"gte":"red"}}}`, 0, "Data.t:[red TO *]"},
		{`{"exists":{"field":"Data.u"}}`, 2, "ConstantScore(NormsFieldExistsQuery [field=Data.u])"},
		{`{"exists":{"field":"Data.n"}}`, 2, "ConstantScore(DocValuesFieldExistsQuery [field=Data.n])"},
		{`{"ids":{"values":["a","b"]}}`, 0, "ConstantScore(_id:[a b])"},
		{`{"match_phrase":{"Data.t":"red fox"}}`, 0, `Data.t:"red fox"`},
		{`{"match_phrase":{"Data.t":{"query":"red fox","slop":2}}}`, 0, `Data.t:"red fox"~2`},
		{`{"match_phrase_prefix":{"Data.t":"red fo"}}`, 0, `Data.t:"red (fox foxes)"`},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"red"}},{"span_term":{"Data.t":"fox"}}],"slop":1,"in_order":true}}`, 0, "spanNear([Data.t:red, Data.t:fox], 1, true)"},
		{`{"span_or":{"clauses":[{"span_term":{"Data.t":"red"}},{"span_term":{"Data.t":"fox"}}]}}`, 0, "spanOr([Data.t:red, Data.t:fox])"},
		{`{"span_first":{"match":{"span_term":{"Data.t":"red"}},"end":3}}`, 0, "spanFirst(Data.t:red, 3)"},
		{`{"span_not":{"include":{"span_term":{"Data.t":"red"}},"exclude":{"span_term":{"Data.t":"hen"}},"pre":1,"post":0}}`, 0, "spanNot(Data.t:red, Data.t:hen, 1, 0)"},
		{`{"span_within":{"little":{"span_term":{"Data.t":"red"}},"big":{"span_term":{"Data.t":"red"}}}}`, 0, "SpanWithin(Data.t:red, Data.t:red)"},
		{`{"span_containing":{"little":{"span_term":{"Data.t":"red"}},"big":{"span_term":{"Data.t":"red"}}}}`, 0, "SpanContaining(Data.t:red, Data.t:red)"},
	} {
		x.request(true, func(r *scorer.Request) {
			e := r.ExplainScore(x.must(r, row.query), row.item)
			if got := described(&e, row.item); got != row.want {
				t.Errorf("%s is %s, want %s", row.query, got, row.want)
			}
		})
	}
}

// described returns the query in the description of a weight, or the description.
func described(e *explain.Explanation, item snapshot.DocID) string {
	text, weight := strings.CutSuffix(e.Description, fmt.Sprintf(" in %d) [PerFieldSimilarity], result of:", item))
	if weight {
		text = strings.TrimPrefix(text, "weight(")
	}
	return text
}
