package compile_test

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

// refusals are queries by the code of their error, each with a part of the message.
var refusals = map[string][]struct{ query, want string }{
	problem.BadValue: {
		{`{"term":{"Data.n":"ten"}}`, `"ten"`},
		{`{"term":{"Data.b":"maybe"}}`, `"maybe"`},
		{`{"term":{"Data.d":"someday"}}`, `"someday"`},
		{`{"terms":{"Data.n":[1,"ten"]}}`, `"ten"`},
		{`{"terms":{"Data.b":["maybe"]}}`, `"maybe"`},
		{`{"range":{"Data.n":{"gte":"ten"}}}`, `"ten"`},
		{`{"range":{"Data.n":{"lt":"ten"}}}`, `"ten"`},
		{`{"range":{"Data.d":{"gte":"someday"}}}`, `"someday"`},
		{`{"range":{"Data.d":{"lte":"someday"}}}`, `"someday"`},
		{`{"match":{"Data.n":"ten"}}`, `"ten"`},
		{`{"match_phrase_prefix":{"Data.k.keyword":"a"}}`, "Data.k.keyword"},
		{`{"multi_match":{"query":"ten","fields":["Data.t","Data.n"]}}`, "Data.n"},
		{`{"multi_match":{"query":"ten","fields":["Data.n","Data.f"],"type":"cross_fields"}}`, "Data.n"},
		{`{"query_string":{"query":"ten","fields":["Data.n"]}}`, "Data.n"},
		{`{"query_string":{"query":"ten AND red","fields":["Data.n"]}}`, "Data.n"},
		{`{"query_string":{"query":"(ten)","fields":["Data.n"]}}`, "Data.n"},
		{`{"query_string":{"query":"[a TO 3]","fields":["Data.n"]}}`, "Data.n"},
		{`{"simple_query_string":{"query":"ten","fields":["Data.n"]}}`, "Data.n"},
		{`{"simple_query_string":{"query":"1 + (ten | 2)","fields":["Data.n"]}}`, "Data.n"},
		{`{"bool":{"must":{"term":{"Data.n":"ten"}}}}`, "Data.n"},
		{`{"bool":{"should":{"term":{"Data.n":"ten"}}}}`, "Data.n"},
		{`{"bool":{"filter":{"term":{"Data.n":"ten"}}}}`, "Data.n"},
		{`{"bool":{"must_not":{"term":{"Data.n":"ten"}}}}`, "Data.n"},
		{`{"constant_score":{"filter":{"term":{"Data.n":"ten"}}}}`, "Data.n"},
		{`{"dis_max":{"queries":[{"term":{"Data.t":"a"}},{"term":{"Data.n":"ten"}}]}}`, "Data.n"},
		{`{"boosting":{"positive":{"term":{"Data.n":"ten"}},"negative":{"term":{"Data.t":"a"}},"negative_boost":1}}`, "Data.n"},
		{`{"boosting":{"positive":{"term":{"Data.t":"a"}},"negative":{"term":{"Data.n":"ten"}},"negative_boost":1}}`, "Data.n"},
		{`{"function_score":{"query":{"term":{"Data.n":"ten"}}}}`, "Data.n"},
		{`{"function_score":{"functions":[{"filter":{"term":{"Data.n":"ten"}},"weight":1}]}}`, "Data.n"},
		{`{"distance_feature":{"field":"Data.n","origin":"now","pivot":"1d"}}`, "holds no dates"},
		{`{"distance_feature":{"field":"Data.d","origin":"someday","pivot":"1d"}}`, `"someday"`},
		{`{"terms_set":{"Data.n":{"terms":["ten"],"minimum_should_match_field":"Data.n"}}}`, `"ten"`},
		{`{"more_like_this":{"fields":["Data.n"],"like":"a"}}`, "holds no text"},
		{`{"term":{"_source":"1"}}`, "not searchable"},
		{`{"exists":{"field":"_source"}}`, "not searchable"},
	},
	problem.BadQuery: {
		{`{"terms":{"Data.t":{"index":"other","id":"a","path":"Data.w"}}}`, `"other"`},
		{`{"function_score":{"field_value_factor":{"field":"Data.t"}}}`, "holds text"},
		{`{"function_score":{"field_value_factor":{"field":"Data.nope"}}}`, "no item has a value"},
		{`{"function_score":{"gauss":{"Data.t":{"origin":1,"scale":1}}}}`, "holds text"},
		{`{"function_score":{"gauss":{"Data.nope":{"origin":1,"scale":1}}}}`, "no item has a value"},
		{`{"function_score":{"gauss":{"Data.b":{"origin":1,"scale":1}}}}`, "booleans"},
		{`{"function_score":{"gauss":{"Data.n":{"scale":1}}}}`, "origin"},
		{`{"function_score":{"gauss":{"Data.n":{"origin":"x","scale":1}}}}`, `"x"`},
		{`{"function_score":{"gauss":{"Data.n":{"origin":1,"scale":0}}}}`, "scale"},
		{`{"function_score":{"gauss":{"Data.n":{"origin":1,"scale":1,"offset":-1}}}}`, "offset"},
		{`{"function_score":{"gauss":{"Data.d":{"origin":"x","scale":"1d"}}}}`, `"x"`},
		{`{"function_score":{"gauss":{"Data.d":{"origin":"2021-01-01","scale":"x"}}}}`, "scale"},
		{`{"function_score":{"random_score":{"seed":1,"field":"Data.t"}}}`, "analyzed text"},
		{`{"function_score":{"random_score":{"seed":1,"field":"Data.nope"}}}`, "no item has a value"},
		{`{"terms_set":{"Data.t":{"terms":["a"],"minimum_should_match_field":"Data.k"}}}`, "holds no numbers"},
		{`{"span_term":{"Data.n":"1"}}`, "no analyzed text"},
		{`{"span_multi":{"match":{"prefix":{"Data.n":"1"}}}}`, "no analyzed text"},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"a"}},{"span_term":{"Data.u":"a"}}],"slop":1}}`, "same field"},
		{`{"span_not":{"include":{"span_term":{"Data.t":"a"}},"exclude":{"span_term":{"Data.u":"a"}}}}`, "same field"},
		{`{"intervals":{"Data.n":{"match":{"query":"a"}}}}`, "no analyzed text"},
		{`{"intervals":{"Data.t":{"match":{"query":"a","filter":{"before":{"match":{"query":"b","use_field":"Data.n"}}}}}}}`, "no analyzed text"},
	},
	problem.TooManyClauses: {
		{`{"match":{"Data.t":"MANY"}}`, "1025 words"},
		{`{"match":{"Data.t":{"query":"MANY","operator":"and"}}}`, "1025 words"},
		{`{"match_phrase":{"Data.t":"MANY"}}`, "1025 words"},
		{`{"match_phrase_prefix":{"Data.t":"MANY"}}`, "1025 words"},
		{`{"match_bool_prefix":{"Data.t":"MANY"}}`, "1025 words"},
		{`{"multi_match":{"query":"MANY","fields":["Data.t","Data.u"],"type":"cross_fields"}}`, "1025 words"},
		{`{"intervals":{"Data.t":{"match":{"query":"MANY"}}}}`, "1025 words"},
	},
	problem.BadRegexp: {
		{`{"regexp":{"Data.t":"["}}`, "/[/"},
		{`{"regexp":{"Data.nope":"["}}`, "/[/"},
		{`{"span_multi":{"match":{"regexp":{"Data.t":"["}}}}`, "/[/"},
		{`{"query_string":{"query":"/[/","default_field":"Data.t"}}`, "/[/"},
	},
}

// TestRefused has queries that do not fit the fields of the items, in every place that compiles a part of a query.
func TestRefused(t *testing.T) {
	x := newIndex(t, animals...)
	many := strings.TrimSpace(strings.Repeat("word ", 1025))
	for code, rows := range refusals {
		for _, row := range rows {
			x.request(false, func(r *scorer.Request) {
				_, err := x.compiled(r, strings.ReplaceAll(row.query, "MANY", many))
				var bad *query.Error
				if !errors.As(err, &bad) || bad.Code != code || !strings.Contains(bad.Message, row.want) {
					t.Errorf("%s: %v, want %s with %s", row.query, err, code, row.want)
				}
			})
		}
	}
}
