package aggs_test

import "testing"

func TestTopHits(t *testing.T) {
	const scored = `{"bool":{"should":[{"constant_score":{"filter":{"term":{"Data.k.keyword":"b"}},"boost":2}},{"constant_score":{"filter":{"exists":{"field":"Data.n"}},"boost":1}}]}}`
	const head = `{"_index":"demo","_type":"_doc","_id":`
	checkTable(t, `{"k":"a","n":3} {"k":["b","a"],"n":1} {"k":"b"} {"n":2} {"k":"c"}`, []aggCase{
		{"by score", scored, `"h":{"top_hits":{"size":2,"_source":["Data.k"]}}`,
			`"h":{"hits":{"total":{"value":4,"relation":"eq"},"max_score":3.0,"hits":[` + head + `"i001","_score":3.0,"_source":{"Data":{"k":["b","a"]}}},` + head + `"i002","_score":2.0,"_source":{"Data":{"k":"b"}}}]}}`},
		{"the second page", scored, `"h":{"top_hits":{"from":2,"size":2,"_source":false}}`,
			`"h":{"hits":{"total":{"value":4,"relation":"eq"},"max_score":3.0,"hits":[` + head + `"i000","_score":1.0},` + head + `"i003","_score":1.0}]}}`},
		{"in an order, without values last", "", `"h":{"top_hits":{"size":4,"_source":false,"sort":[{"Data.n":"asc"}]}}`,
			`"h":{"hits":{"total":{"value":5,"relation":"eq"},"max_score":null,"hits":[` + head + `"i001","_score":null,"sort":[1]},` + head + `"i003","_score":null,"sort":[2]},` + head + `"i000","_score":null,"sort":[3]},` + head + `"i002","_score":null,"sort":[9223372036854775807]}]}}`},
		{"of buckets", scored, `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"h":{"top_hits":{"size":1,"_source":false}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2,"h":{"hits":{"total":{"value":2,"relation":"eq"},"max_score":3.0,"hits":[` + head + `"i001","_score":3.0}]}}},
				{"key":"b","doc_count":2,"h":{"hits":{"total":{"value":2,"relation":"eq"},"max_score":3.0,"hits":[` + head + `"i001","_score":3.0}]}}}]}`},
		{"no hits", `{"match_none":{}}`, `"h":{"top_hits":{}}`, `"h":{"hits":{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}`},
	})
}
