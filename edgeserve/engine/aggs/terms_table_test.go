package aggs_test

import "testing"

// termsData has the keywords a and b twice, B and c once; a number twice in an item; and an item without values.
const termsData = `
	{"k":"a","n":1,"x":0.5,"b":true,"d":"2020-01-01"}
	{"k":["a","b"],"n":[1,2],"x":[0.5,0.5,2.5],"b":[true,false],"d":["2020-01-01","2020-03-01T12:00:00Z"]}
	{"k":["c","b","b"],"n":5,"x":-1.5,"d":"2019-12-31T23:59:59.999Z"}
	{"n":null,"k":[]}
	{"k":"B","n":3000000000}`

func TestTerms(t *testing.T) {
	checkTable(t, termsData, []aggCase{
		{"by count, then by key", "", `"a":{"terms":{"field":"Data.k.keyword"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2},{"key":"b","doc_count":2},{"key":"B","doc_count":1},{"key":"c","doc_count":1}]}`},
		{"size", "", `"a":{"terms":{"field":"Data.k.keyword","size":1}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":4,"buckets":[{"key":"a","doc_count":2}]}`},
		{"size and a larger shard_size", "", `"a":{"terms":{"field":"Data.k.keyword","size":3,"shard_size":4}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":1,"buckets":[{"key":"a","doc_count":2},{"key":"b","doc_count":2},{"key":"B","doc_count":1}]}`},
		{"the greatest keys", "", `"a":{"terms":{"field":"Data.k.keyword","size":2,"order":{"_key":"desc"}}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":3,"buckets":[{"key":"c","doc_count":1},{"key":"b","doc_count":2}]}`},
		{"the rarest", "", `"a":{"terms":{"field":"Data.k.keyword","order":{"_count":"asc"}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"B","doc_count":1},{"key":"c","doc_count":1},{"key":"a","doc_count":2},{"key":"b","doc_count":2}]}`},
		{"by two orders", "", `"a":{"terms":{"field":"Data.k.keyword","order":[{"_count":"desc"},{"_key":"desc"}]}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"b","doc_count":2},{"key":"a","doc_count":2},{"key":"c","doc_count":1},{"key":"B","doc_count":1}]}`},
		{"counts from two on", "", `"a":{"terms":{"field":"Data.k.keyword","min_doc_count":2,"order":{"_key":"desc"}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"b","doc_count":2},{"key":"a","doc_count":2}]}`},
		{"keys of no match", `{"term":{"Data.n":1}}`, `"a":{"terms":{"field":"Data.k.keyword","min_doc_count":0}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2},{"key":"b","doc_count":1},{"key":"B","doc_count":0},{"key":"c","doc_count":0}]}`},
		{"errors of counts", "", `"a":{"terms":{"field":"Data.k.keyword","size":1,"show_term_doc_count_error":true}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":4,"buckets":[{"key":"a","doc_count":2,"doc_count_error_upper_bound":0}]}`},
		{"missing is a further key", "", `"a":{"terms":{"field":"Data.k.keyword","missing":"z","order":{"_key":"desc"},"size":2}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":5,"buckets":[{"key":"z","doc_count":1},{"key":"c","doc_count":1}]}`},
		{"missing joins a number", "", `"a":{"terms":{"field":"Data.n","missing":5}}`,
			`"a":{` + noOthers + `"buckets":[{"key":1,"doc_count":2},{"key":5,"doc_count":2},{"key":2,"doc_count":1},{"key":3000000000,"doc_count":1}]}`},
		{"include and exclude by patterns", "", `"a":{"terms":{"field":"Data.k.keyword","include":"[abB]","exclude":"b"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2},{"key":"B","doc_count":1}]}`},
		{"exclude by a pattern", "", `"a":{"terms":{"field":"Data.k.keyword","exclude":"[a-b]|x.*"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"B","doc_count":1},{"key":"c","doc_count":1}]}`},
		{"include numbers", "", `"a":{"terms":{"field":"Data.n","include":[2,5,7]}}`,
			`"a":{` + noOthers + `"buckets":[{"key":2,"doc_count":1},{"key":5,"doc_count":1}]}`},
		{"one partition of one", "", `"a":{"terms":{"field":"Data.n","include":{"partition":0,"num_partitions":1}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":1,"doc_count":2},{"key":2,"doc_count":1},{"key":5,"doc_count":1},{"key":3000000000,"doc_count":1}]}`},
		{"fractions", "", `"a":{"terms":{"field":"Data.x","format":"0.00"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":0.5,"key_as_string":"0.50","doc_count":2},{"key":-1.5,"key_as_string":"-1.50","doc_count":1},{"key":2.5,"key_as_string":"2.50","doc_count":1}]}`},
		{"booleans", "", `"a":{"terms":{"field":"Data.b"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":1,"key_as_string":"true","doc_count":2},{"key":0,"key_as_string":"false","doc_count":1}]}`},
		{"dates", "", `"a":{"terms":{"field":"Data.d"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":1577836800000,"key_as_string":"2020-01-01T00:00:00.000Z","doc_count":2},
				{"key":1577836799999,"key_as_string":"2019-12-31T23:59:59.999Z","doc_count":1},{"key":1583064000000,"key_as_string":"2020-03-01T12:00:00.000Z","doc_count":1}]}`},
		{"dates by a format", "", `"a":{"terms":{"field":"Data.d","format":"dd.MM.yyyy","size":1,"order":{"_key":"asc"}}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":3,"buckets":[{"key":1577836799999,"key_as_string":"31.12.2019","doc_count":1}]}`},
		{"no field", "", `"a":{"terms":{"field":"Data.nope"}}`, `"a":{` + noOthers + `"buckets":[]}`},
		{"no match", `{"match_none":{}}`, `"a":{"terms":{"field":"Data.k.keyword"}}`, `"a":{` + noOthers + `"buckets":[]}`},
		{"no field, but missing", "", `"a":{"terms":{"field":"Data.nope","missing":"m"}}`, `"a":{` + noOthers + `"buckets":[{"key":"m","doc_count":5}]}`},
	})
}

func TestTermsOverSubAggregations(t *testing.T) {
	checkTable(t, termsData, []aggCase{
		{"by a sum", "", `"a":{"terms":{"field":"Data.k.keyword","order":{"s":"desc"}},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"B","doc_count":1,"s":{"value":3.0E9}},{"key":"b","doc_count":2,"s":{"value":8.0}},
				{"key":"c","doc_count":1,"s":{"value":5.0}},{"key":"a","doc_count":2,"s":{"value":4.0}}]}`},
		{"by a number of stats, with a size", "", `"a":{"terms":{"field":"Data.k.keyword","size":2,"order":{"s.min":"asc"}},"aggs":{"s":{"stats":{"field":"Data.n"}}}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":2,"buckets":[
				{"key":"a","doc_count":2,"s":{"count":3,"min":1.0,"max":2.0,"avg":1.3333333333333333,"sum":4.0}},
				{"key":"b","doc_count":2,"s":{"count":3,"min":1.0,"max":5.0,"avg":2.6666666666666665,"sum":8.0}}]}`},
		{"buckets without numbers are last, upwards", "", `"a":{"terms":{"field":"Data.k.keyword","order":{"m":"asc"}},"aggs":{"m":{"avg":{"field":"Data.x"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"c","doc_count":1,"m":{"value":-1.5}},{"key":"b","doc_count":2,"m":{"value":0.5}},
				{"key":"a","doc_count":2,"m":{"value":1.1666666666666667}},{"key":"B","doc_count":1,"m":{"value":null}}]}`},
		{"buckets without numbers are last, downwards", "", `"a":{"terms":{"field":"Data.k.keyword","order":{"m":"desc"}},"aggs":{"m":{"max":{"field":"Data.x"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2,"m":{"value":2.5}},{"key":"b","doc_count":2,"m":{"value":2.5}},
				{"key":"c","doc_count":1,"m":{"value":-1.5}},{"key":"B","doc_count":1,"m":{"value":null}}]}`},
		{"by the count of a filter inside", "", `"a":{"terms":{"field":"Data.k.keyword","order":{"f":"desc"}},"aggs":{"f":{"filter":{"range":{"Data.n":{"gte":5}}}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"B","doc_count":1,"f":{"doc_count":1}},{"key":"b","doc_count":2,"f":{"doc_count":1}},
				{"key":"c","doc_count":1,"f":{"doc_count":1}},{"key":"a","doc_count":2,"f":{"doc_count":0}}]}`},
		{"by a metric in a filter", "", `"a":{"terms":{"field":"Data.k.keyword","size":1,"order":{"f>m":"desc"}},"aggs":{"f":{"filter":{"exists":{"field":"Data.x"}},"aggs":{"m":{"max":{"field":"Data.n"}}}}}}`,
			`"a":{"doc_count_error_upper_bound":0,"sum_other_doc_count":4,"buckets":[{"key":"b","doc_count":2,"f":{"doc_count":2,"m":{"value":5.0}}}]}`},
		{"terms inside of terms", "", `"a":{"terms":{"field":"Data.b"},"aggs":{"k":{"terms":{"field":"Data.k.keyword","size":1}}}}`,
			`"a":{` + noOthers + `"buckets":[
				{"key":1,"key_as_string":"true","doc_count":2,"k":{"doc_count_error_upper_bound":0,"sum_other_doc_count":1,"buckets":[{"key":"a","doc_count":2}]}},
				{"key":0,"key_as_string":"false","doc_count":1,"k":{"doc_count_error_upper_bound":0,"sum_other_doc_count":1,"buckets":[{"key":"a","doc_count":1}]}}]}`},
		{"empty buckets have sub-aggregations", `{"term":{"Data.b":false}}`, `"a":{"terms":{"field":"Data.k.keyword","min_doc_count":0,"order":{"_key":"asc"}},"aggs":{"c":{"value_count":{"field":"Data.x"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"B","doc_count":0,"c":{"value":0}},{"key":"a","doc_count":1,"c":{"value":2}},
				{"key":"b","doc_count":1,"c":{"value":2}},{"key":"c","doc_count":0,"c":{"value":0}}]}`},
		{"meta", "", `"a":{"terms":{"field":"Data.nope"},"meta":{"x":[1,"y"]}}`, `"a":{"meta":{"x":[1,"y"]},` + noOthers + `"buckets":[]}`},
		{"two aggregations in their order", "", `"z":{"value_count":{"field":"Data.n"}},"a":{"max":{"field":"Data.n"}}`, `"z":{"value":5},"a":{"value":3.0E9}`},
	})
}

func TestRareTerms(t *testing.T) {
	checkTable(t, termsData, []aggCase{
		{"of one item", "", `"a":{"rare_terms":{"field":"Data.k.keyword"}}`, `"a":{"buckets":[{"key":"B","doc_count":1},{"key":"c","doc_count":1}]}`},
		{"of up to two items", "", `"a":{"rare_terms":{"field":"Data.k.keyword","max_doc_count":2}}`,
			`"a":{"buckets":[{"key":"B","doc_count":1},{"key":"c","doc_count":1},{"key":"a","doc_count":2},{"key":"b","doc_count":2}]}`},
		{"numbers", "", `"a":{"rare_terms":{"field":"Data.n"}}`, `"a":{"buckets":[{"key":2,"doc_count":1},{"key":5,"doc_count":1},{"key":3000000000,"doc_count":1}]}`},
		{"include, exclude", "", `"a":{"rare_terms":{"field":"Data.k.keyword","include":["a","b","c"],"exclude":["b"],"max_doc_count":3}}`, `"a":{"buckets":[{"key":"c","doc_count":1},{"key":"a","doc_count":2}]}`},
		{"missing", "", `"a":{"rare_terms":{"field":"Data.k.keyword","missing":"c"}}`, `"a":{"buckets":[{"key":"B","doc_count":1}]}`},
		{"of matches", `{"term":{"Data.b":false}}`, `"a":{"rare_terms":{"field":"Data.k.keyword"},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`,
			`"a":{"buckets":[{"key":"a","doc_count":1,"s":{"value":3.0}},{"key":"b","doc_count":1,"s":{"value":3.0}}]}`},
		{"no field", "", `"a":{"rare_terms":{"field":"Data.nope"}}`, `"a":{"buckets":[]}`},
	})
}
