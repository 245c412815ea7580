package aggs_test

import "testing"

// bucketsData has values at the bounds of ranges, three numbers in one item, and items without numbers or dates.
const bucketsData = `
	{"n":1,"d":"2020-01-01","k":"a"}
	{"n":[2,3,8],"d":["2020-02-15","2020-03-01"],"k":["a","b"]}
	{"n":5,"x":0.5,"k":"b"}
	{"d":"2019-06-30T12:00:00Z"}
	{"n":-4,"x":[1.5,-1],"k":"a"}`

func TestRange(t *testing.T) {
	checkTable(t, bucketsData, []aggCase{
		{"open at one end", "", `"a":{"range":{"field":"Data.n","ranges":[{"to":2},{"from":2,"to":5},{"from":5}]}}`,
			`"a":{"buckets":[{"key":"*-2.0","to":2.0,"doc_count":2},{"key":"2.0-5.0","from":2.0,"to":5.0,"doc_count":1},{"key":"5.0-*","from":5.0,"doc_count":2}]}`},
		{"overlapping, in the order of their bounds", "", `"a":{"range":{"field":"Data.n","ranges":[{"from":3},{"from":0,"to":10,"key":"near"},{"from":0,"to":3},{"key":"all"}]}}`,
			`"a":{"buckets":[{"key":"all","doc_count":4},{"key":"0.0-3.0","from":0.0,"to":3.0,"doc_count":2},{"key":"near","from":0.0,"to":10.0,"doc_count":3},{"key":"3.0-*","from":3.0,"doc_count":2}]}`},
		{"keyed", "", `"a":{"range":{"field":"Data.n","keyed":true,"ranges":[{"from":5},{"to":5,"key":"few"}]}}`,
			`"a":{"buckets":{"few":{"to":5.0,"doc_count":3},"5.0-*":{"from":5.0,"doc_count":2}}}`},
		{"a format", "", `"a":{"range":{"field":"Data.n","format":"0.00","ranges":[{"from":2,"to":5}]}}`,
			`"a":{"buckets":[{"key":"2.00-5.00","from":2.0,"from_as_string":"2.00","to":5.0,"to_as_string":"5.00","doc_count":1}]}`},
		{"fractions", "", `"a":{"range":{"field":"Data.x","ranges":[{"from":-1,"to":0.5},{"from":0.5}]}}`,
			`"a":{"buckets":[{"key":"-1.0-0.5","from":-1.0,"to":0.5,"doc_count":1},{"key":"0.5-*","from":0.5,"doc_count":2}]}`},
		{"bounds between integers", "", `"a":{"range":{"field":"Data.n","ranges":[{"from":1.5,"to":2.5},{"from":-4.5,"to":-3.5}]}}`,
			`"a":{"buckets":[{"key":"-4.5--3.5","from":-4.5,"to":-3.5,"doc_count":1},{"key":"1.5-2.5","from":1.5,"to":2.5,"doc_count":1}]}`},
		{"missing", "", `"a":{"range":{"field":"Data.n","missing":2,"ranges":[{"to":2},{"from":2}]},"aggs":{"c":{"value_count":{"field":"Data.d"}}}}`,
			`"a":{"buckets":[{"key":"*-2.0","to":2.0,"doc_count":2,"c":{"value":1}},{"key":"2.0-*","from":2.0,"doc_count":3,"c":{"value":3}}]}`},
		{"sub-aggregations", "", `"a":{"range":{"field":"Data.n","ranges":[{"to":5},{"from":5},{"from":100}]},"aggs":{"s":{"sum":{"field":"Data.n"}},"m":{"min":{"field":"Data.x"}}}}`,
			`"a":{"buckets":[{"key":"*-5.0","to":5.0,"doc_count":3,"s":{"value":10.0},"m":{"value":-1.0}},
				{"key":"5.0-*","from":5.0,"doc_count":2,"s":{"value":18.0},"m":{"value":0.5}},{"key":"100.0-*","from":100.0,"doc_count":0,"s":{"value":0.0},"m":{"value":null}}]}`},
		{"inside of buckets", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"r":{"range":{"field":"Data.n","ranges":[{"from":2}]}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":3,"r":{"buckets":[{"key":"2.0-*","from":2.0,"doc_count":1}]}},{"key":"b","doc_count":2,"r":{"buckets":[{"key":"2.0-*","from":2.0,"doc_count":2}]}}]}`},
		{"dates by milliseconds", "", `"a":{"range":{"field":"Data.d","ranges":[{"from":1577836800000}]}}`,
			`"a":{"buckets":[{"key":"2020-01-01T00:00:00.000Z-*","from":1.5778368E12,"from_as_string":"2020-01-01T00:00:00.000Z","doc_count":2}]}`},
		{"no match", `{"match_none":{}}`, `"a":{"range":{"field":"Data.n","ranges":[{"to":2}]}}`, `"a":{"buckets":[{"key":"*-2.0","to":2.0,"doc_count":0}]}`},
		{"no field", "", `"a":{"range":{"field":"Data.nope","ranges":[{"from":1}]}}`, `"a":{"buckets":[{"key":"1.0-*","from":1.0,"doc_count":0}]}`},
	})
}

func TestDateRange(t *testing.T) {
	checkTable(t, bucketsData, []aggCase{
		{"open at one end, and a date of arithmetic", "", `"a":{"date_range":{"field":"Data.d","ranges":[{"to":"2020-02-01"},{"from":"2020-02-01","to":"2020-03-01"},{"from":"2020-02-15||+15d"}]}}`,
			`"a":{"buckets":[{"key":"*-2020-02-01T00:00:00.000Z","to":1.5805152E12,"to_as_string":"2020-02-01T00:00:00.000Z","doc_count":2},
				{"key":"2020-02-01T00:00:00.000Z-2020-03-01T00:00:00.000Z","from":1.5805152E12,"from_as_string":"2020-02-01T00:00:00.000Z","to":1.5830208E12,"to_as_string":"2020-03-01T00:00:00.000Z","doc_count":1},
				{"key":"2020-03-01T00:00:00.000Z-*","from":1.5830208E12,"from_as_string":"2020-03-01T00:00:00.000Z","doc_count":1}]}`},
		{"a format, keyed", "", `"a":{"date_range":{"field":"Data.d","format":"MM.yyyy","keyed":true,"ranges":[{"from":"02.2020"},{"to":"02.2020","key":"old"}]}}`,
			`"a":{"buckets":{"old":{"to":1.5805152E12,"to_as_string":"02.2020","doc_count":2},"02.2020-*":{"from":1.5805152E12,"from_as_string":"02.2020","doc_count":1}}}`},
		{"the start of a month", "", `"a":{"date_range":{"field":"Data.d","format":"yyyy-MM-dd","ranges":[{"from":"2020-02-15||/M","to":"2020-02-15||/M+2M"}]}}`,
			`"a":{"buckets":[{"key":"2020-02-01-2020-04-01","from":1.5805152E12,"from_as_string":"2020-02-01","to":1.5856992E12,"to_as_string":"2020-04-01","doc_count":1}]}`},
		{"a zone", "", `"a":{"date_range":{"field":"Data.d","time_zone":"Europe/Berlin","ranges":[{"from":"2020-01-01"},{"from":"2020-01-01T01:00:00.001"}]}}`,
			`"a":{"buckets":[{"key":"2020-01-01T00:00:00.000+01:00-*","from":1.5778332E12,"from_as_string":"2020-01-01T00:00:00.000+01:00","doc_count":2},
				{"key":"2020-01-01T01:00:00.001+01:00-*","from":1.577836800001E12,"from_as_string":"2020-01-01T01:00:00.001+01:00","doc_count":1}]}`},
		{"missing", "", `"a":{"date_range":{"field":"Data.d","missing":"2020-02-10","ranges":[{"from":"2020-02-01","to":"2020-03-01","key":"Feb"}]},"aggs":{"c":{"value_count":{"field":"Data.n"}}}}`,
			`"a":{"buckets":[{"key":"Feb","from":1.5805152E12,"from_as_string":"2020-02-01T00:00:00.000Z","to":1.5830208E12,"to_as_string":"2020-03-01T00:00:00.000Z","doc_count":3,"c":{"value":5}}]}`},
		{"milliseconds", "", `"a":{"date_range":{"field":"Data.d","ranges":[{"to":1577836800000}]}}`,
			`"a":{"buckets":[{"key":"*-2020-01-01T00:00:00.000Z","to":1.5778368E12,"to_as_string":"2020-01-01T00:00:00.000Z","doc_count":1}]}`},
	})
}

func TestFilters(t *testing.T) {
	const one, few, text = `{"term":{"Data.n":1}}`, `{"range":{"Data.n":{"lt":5}}}`, `{"exists":{"field":"Data.k"}}`
	checkTable(t, bucketsData, []aggCase{
		{"filter", "", `"a":{"filter":` + few + `,"aggs":{"s":{"sum":{"field":"Data.n"}}}}`, `"a":{"doc_count":3,"s":{"value":10.0}}`},
		{"filter of matches", `{"term":{"Data.k.keyword":"b"}}`, `"a":{"filter":` + few + `}`, `"a":{"doc_count":1}`},
		{"filter in a filter", "", `"a":{"filter":` + few + `,"aggs":{"b":{"filter":{"term":{"Data.k.keyword":"b"}}}}}`, `"a":{"doc_count":3,"b":{"doc_count":1}}`},
		{"filter of nothing", "", `"a":{"filter":{"match_none":{}},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`, `"a":{"doc_count":0,"s":{"value":0.0}}`},
		{"filters in their order", "", `"a":{"filters":{"filters":[` + few + `,` + one + `]}}`, `"a":{"buckets":[{"doc_count":3},{"doc_count":1}]}`},
		{"filters without a name, and the others", "", `"a":{"filters":{"filters":[` + one + `,` + text + `],"other_bucket":true},"aggs":{"c":{"value_count":{"field":"Data.d"}}}}`,
			`"a":{"buckets":[{"doc_count":1,"c":{"value":1}},{"doc_count":4,"c":{"value":3}},{"doc_count":1,"c":{"value":1}}]}`},
		{"filters by name", "", `"a":{"filters":{"filters":{"z":` + few + `,"b":` + one + `}}}`, `"a":{"buckets":{"b":{"doc_count":1},"z":{"doc_count":3}}}`},
		{"filters by name, and the others", "", `"a":{"filters":{"filters":{"z":` + one + `},"other_bucket":true}}`, `"a":{"buckets":{"z":{"doc_count":1},"_other_":{"doc_count":4}}}`},
		{"a name of the others asks for them", "", `"a":{"filters":{"filters":{"z":` + few + `},"other_bucket_key":"rest"},"aggs":{"m":{"max":{"field":"Data.n"}}}}`,
			`"a":{"buckets":{"z":{"doc_count":3,"m":{"value":8.0}},"rest":{"doc_count":2,"m":{"value":5.0}}}}`},
		{"filters inside of buckets", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"f":{"filters":{"filters":{"few":` + few + `},"other_bucket":true}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":3,"f":{"buckets":{"few":{"doc_count":3},"_other_":{"doc_count":0}}}},{"key":"b","doc_count":2,"f":{"buckets":{"few":{"doc_count":1},"_other_":{"doc_count":1}}}}]}`},
		{"a matrix", "", `"a":{"adjacency_matrix":{"filters":{"f":` + few + `,"b":{"term":{"Data.k.keyword":"b"}},"o":` + one + `}}}`,
			`"a":{"buckets":[{"key":"b","doc_count":2},{"key":"b&f","doc_count":1},{"key":"f","doc_count":3},{"key":"f&o","doc_count":1},{"key":"o","doc_count":1}]}`},
		{"a matrix with its own separator", `{"term":{"Data.n":8}}`, `"a":{"adjacency_matrix":{"separator":" + ","filters":{"x":` + few + `,"b":{"term":{"Data.k.keyword":"b"}}}},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`,
			`"a":{"buckets":[{"key":"b","doc_count":1,"s":{"value":13.0}},{"key":"b + x","doc_count":1,"s":{"value":13.0}},{"key":"x","doc_count":1,"s":{"value":13.0}}]}`},
		{"a matrix of nothing", `{"match_none":{}}`, `"a":{"adjacency_matrix":{"filters":{"x":` + few + `}}}`, `"a":{"buckets":[]}`},
		{"missing values", "", `"a":{"missing":{"field":"Data.n"},"aggs":{"m":{"max":{"field":"Data.d"}}}}`, `"a":{"doc_count":1,"m":{"value":1.561896E12,"value_as_string":"2019-06-30T12:00:00.000Z"}}`},
		{"missing values of matches", `{"term":{"Data.k.keyword":"a"}}`, `"a":{"missing":{"field":"Data.d"}}`, `"a":{"doc_count":1}`},
		{"missing values of no field", "", `"a":{"missing":{"field":"Data.nope"}}`, `"a":{"doc_count":5}`},
		{"missing values inside of buckets", "", `"a":{"filters":{"filters":[` + text + `]},"aggs":{"m":{"missing":{"field":"Data.d"}}}}`, `"a":{"buckets":[{"doc_count":4,"m":{"doc_count":2}}]}`},
		{"global", `{"match_none":{}}`, `"a":{"global":{},"aggs":{"s":{"sum":{"field":"Data.n"}}}},"s":{"sum":{"field":"Data.n"}}`, `"a":{"doc_count":5,"s":{"value":15.0}},"s":{"value":0.0}`},
	})
}

func TestSampler(t *testing.T) {
	const scored = `{"bool":{"should":[{"constant_score":{"filter":{"term":{"Data.k.keyword":"b"}},"boost":2}},{"constant_score":{"filter":{"range":{"Data.n":{"lt":0}}},"boost":1}},{"match_all":{"boost":1}}]}}`
	checkTable(t, bucketsData, []aggCase{
		{"the best scores", scored, `"a":{"sampler":{"shard_size":2},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`, `"a":{"doc_count":2,"s":{"value":18.0}}`},
		{"the first one of equal scores", "", `"a":{"sampler":{"shard_size":1},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`, `"a":{"doc_count":1,"s":{"value":1.0}}`},
		{"more than there are", scored, `"a":{"sampler":{},"aggs":{"c":{"value_count":{"field":"Data.n"}}}}`, `"a":{"doc_count":5,"c":{"value":6}}`},
		{"inside of buckets", scored, `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"p":{"sampler":{"shard_size":1},"aggs":{"n":{"max":{"field":"Data.n"}}}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":3,"p":{"doc_count":1,"n":{"value":8.0}}},{"key":"b","doc_count":2,"p":{"doc_count":1,"n":{"value":8.0}}}]}`},
		{"nothing", `{"match_none":{}}`, `"a":{"sampler":{},"aggs":{"c":{"value_count":{"field":"Data.n"}}}}`, `"a":{"doc_count":0,"c":{"value":0}}`},
	})
}

func TestSignificantTerms(t *testing.T) {
	const foreground = `{"range":{"Data.n":{"gte":2}}}` // the second and the third item: a once of three, b twice of two
	checkTable(t, bucketsData, []aggCase{
		{"too few by default", foreground, `"a":{"significant_terms":{"field":"Data.k.keyword"}}`, `"a":{"doc_count":2,"bg_count":5,"buckets":[]}`},
		{"jlh takes only those above the background", foreground, `"a":{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1}}`,
			`"a":{"doc_count":2,"bg_count":5,"buckets":[{"key":"b","doc_count":2,"score":1.5,"bg_count":2}]}`},
		{"percentages", foreground, `"a":{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1,"percentage":{}},"aggs":{"m":{"min":{"field":"Data.n"}}}}`,
			`"a":{"doc_count":2,"bg_count":5,"buckets":[{"key":"b","doc_count":2,"score":1.0,"bg_count":2,"m":{"value":2.0}},{"key":"a","doc_count":1,"score":0.3333333333333333,"bg_count":3,"m":{"value":2.0}}]}`},
		{"size", foreground, `"a":{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1,"size":1,"percentage":{}}}`,
			`"a":{"doc_count":2,"bg_count":5,"buckets":[{"key":"b","doc_count":2,"score":1.0,"bg_count":2}]}`},
		{"exclude", foreground, `"a":{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1,"exclude":["b"],"percentage":{}}}`,
			`"a":{"doc_count":2,"bg_count":5,"buckets":[{"key":"a","doc_count":1,"score":0.3333333333333333,"bg_count":3}]}`},
		{"a background", foreground, `"a":{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1,"background_filter":{"exists":{"field":"Data.k"}}}}`,
			`"a":{"doc_count":2,"bg_count":4,"buckets":[{"key":"b","doc_count":2,"score":1.0,"bg_count":2}]}`},
		{"numbers", foreground, `"a":{"significant_terms":{"field":"Data.n","min_doc_count":1,"include":[5,8],"percentage":{}}}`,
			`"a":{"doc_count":2,"bg_count":5,"buckets":[{"key":5,"doc_count":1,"score":1.0,"bg_count":1},{"key":8,"doc_count":1,"score":1.0,"bg_count":1}]}`},
		{"inside of buckets", "", `"a":{"filters":{"filters":[` + foreground + `]},"aggs":{"s":{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1}}}}`,
			`"a":{"buckets":[{"doc_count":2,"s":{"doc_count":2,"bg_count":5,"buckets":[{"key":"b","doc_count":2,"score":1.5,"bg_count":2}]}}]}`},
	})
}
