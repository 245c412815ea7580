package aggs_test

import "testing"

// compositeData has two keywords in one item, two months in another, and an item without a keyword.
const compositeData = `
	{"k":"a","n":1,"d":"2020-01-01T10:00:00Z","x":0.5}
	{"k":["b","a"],"n":7,"d":"2020-01-02"}
	{"k":"b","n":12,"b":true}
	{"n":7,"d":"2020-01-02T23:30:00Z"}
	{"k":"c","n":-1,"d":["2020-01-01","2020-02-01"],"x":2}`

func TestComposite(t *testing.T) {
	const k, n = `{"k":{"terms":{"field":"Data.k.keyword"}}}`, `{"n":{"terms":{"field":"Data.n"}}}`
	checkTable(t, compositeData, []aggCase{
		{"one source", "", `"a":{"composite":{"sources":[` + k + `]}}`,
			`"a":{"after_key":{"k":"c"},"buckets":[{"key":{"k":"a"},"doc_count":2},{"key":{"k":"b"},"doc_count":2},{"key":{"k":"c"},"doc_count":1}]}`},
		{"the first page", "", `"a":{"composite":{"size":2,"sources":[` + k + `]},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`,
			`"a":{"after_key":{"k":"b"},"buckets":[{"key":{"k":"a"},"doc_count":2,"s":{"value":8.0}},{"key":{"k":"b"},"doc_count":2,"s":{"value":19.0}}]}`},
		{"the next page", "", `"a":{"composite":{"size":1,"sources":[` + k + `],"after":{"k":"a"}}}`, `"a":{"after_key":{"k":"b"},"buckets":[{"key":{"k":"b"},"doc_count":2}]}`},
		{"after a key that no item has", "", `"a":{"composite":{"sources":[` + k + `],"after":{"k":"bb"}}}`, `"a":{"after_key":{"k":"c"},"buckets":[{"key":{"k":"c"},"doc_count":1}]}`},
		{"after the last page", "", `"a":{"composite":{"sources":[` + k + `],"after":{"k":"c"}}}`, `"a":{"buckets":[]}`},
		{"downwards", "", `"a":{"composite":{"size":2,"sources":[{"k":{"terms":{"field":"Data.k.keyword","order":"desc"}}}]}}`,
			`"a":{"after_key":{"k":"b"},"buckets":[{"key":{"k":"c"},"doc_count":1},{"key":{"k":"b"},"doc_count":2}]}`},
		{"after, downwards", "", `"a":{"composite":{"sources":[{"k":{"terms":{"field":"Data.k.keyword","order":"desc"}}}],"after":{"k":"b"}}}`,
			`"a":{"after_key":{"k":"a"},"buckets":[{"key":{"k":"a"},"doc_count":2}]}`},
		{"missing values are first", "", `"a":{"composite":{"size":2,"sources":[{"k":{"terms":{"field":"Data.k.keyword","missing_bucket":true}}}]}}`,
			`"a":{"after_key":{"k":"a"},"buckets":[{"key":{"k":null},"doc_count":1},{"key":{"k":"a"},"doc_count":2}]}`},
		{"missing values are last, downwards", "", `"a":{"composite":{"sources":[{"k":{"terms":{"field":"Data.k.keyword","missing_bucket":true,"order":"desc"}}}],"after":{"k":"b"}}}`,
			`"a":{"after_key":{"k":null},"buckets":[{"key":{"k":"a"},"doc_count":2},{"key":{"k":null},"doc_count":1}]}`},
		{"after missing values", "", `"a":{"composite":{"size":1,"sources":[{"k":{"terms":{"field":"Data.k.keyword","missing_bucket":true}}}],"after":{"k":null}}}`,
			`"a":{"after_key":{"k":"a"},"buckets":[{"key":{"k":"a"},"doc_count":2}]}`},
		{"two sources: an item with two values is in two buckets", "", `"a":{"composite":{"sources":[` + k + `,` + n + `]}}`,
			`"a":{"after_key":{"k":"c","n":-1},"buckets":[{"key":{"k":"a","n":1},"doc_count":1},{"key":{"k":"a","n":7},"doc_count":1},{"key":{"k":"b","n":7},"doc_count":1},{"key":{"k":"b","n":12},"doc_count":1},{"key":{"k":"c","n":-1},"doc_count":1}]}`},
		{"two sources in two directions, after", "", `"a":{"composite":{"size":2,"sources":[{"n":{"terms":{"field":"Data.n","order":"desc"}}},` + k + `],"after":{"n":12,"k":"b"}}}`,
			`"a":{"after_key":{"n":7,"k":"b"},"buckets":[{"key":{"n":7,"k":"a"},"doc_count":1},{"key":{"n":7,"k":"b"},"doc_count":1}]}`},
		{"after the middle of two sources", "", `"a":{"composite":{"size":1,"sources":[` + k + `,` + n + `],"after":{"k":"a","n":1}}}`,
			`"a":{"after_key":{"k":"a","n":7},"buckets":[{"key":{"k":"a","n":7},"doc_count":1}]}`},
		{"fractions and booleans", "", `"a":{"composite":{"sources":[{"x":{"terms":{"field":"Data.x"}}}]}},"b":{"composite":{"sources":[{"b":{"terms":{"field":"Data.b"}}}]}}`,
			`"a":{"after_key":{"x":2.0},"buckets":[{"key":{"x":0.5},"doc_count":1},{"key":{"x":2.0},"doc_count":1}]},"b":{"after_key":{"b":true},"buckets":[{"key":{"b":true},"doc_count":1}]}`},
		{"of matches", `{"range":{"Data.n":{"gt":1}}}`, `"a":{"composite":{"sources":[` + k + `]}}`,
			`"a":{"after_key":{"k":"b"},"buckets":[{"key":{"k":"a"},"doc_count":1},{"key":{"k":"b"},"doc_count":2}]}`},
		{"no match", `{"match_none":{}}`, `"a":{"composite":{"sources":[` + k + `]}}`, `"a":{"buckets":[]}`},
		{"no field", "", `"a":{"composite":{"sources":[{"x":{"terms":{"field":"Data.nope"}}}]}}`, `"a":{"buckets":[]}`},
	})
}

func TestCompositeOfIntervals(t *testing.T) {
	checkTable(t, compositeData, []aggCase{
		{"a histogram", "", `"a":{"composite":{"sources":[{"h":{"histogram":{"field":"Data.n","interval":5}}}]}}`,
			`"a":{"after_key":{"h":10.0},"buckets":[{"key":{"h":-5.0},"doc_count":1},{"key":{"h":0.0},"doc_count":1},{"key":{"h":5.0},"doc_count":2},{"key":{"h":10.0},"doc_count":1}]}`},
		{"after an interval", "", `"a":{"composite":{"size":1,"sources":[{"h":{"histogram":{"field":"Data.n","interval":5}}}],"after":{"h":0}}}`,
			`"a":{"after_key":{"h":5.0},"buckets":[{"key":{"h":5.0},"doc_count":2}]}`},
		{"days", "", `"a":{"composite":{"sources":[{"d":{"date_histogram":{"field":"Data.d","calendar_interval":"day"}}}]}}`,
			`"a":{"after_key":{"d":1580515200000},"buckets":[{"key":{"d":1577836800000},"doc_count":2},{"key":{"d":1577923200000},"doc_count":2},{"key":{"d":1580515200000},"doc_count":1}]}`},
		{"days of a zone by a format", "", `"a":{"composite":{"sources":[{"d":{"date_histogram":{"field":"Data.d","calendar_interval":"1d","time_zone":"+01:00","format":"yyyy-MM-dd"}}}],"after":{"d":"2020-01-01"}}}`,
			`"a":{"after_key":{"d":"2020-02-01"},"buckets":[{"key":{"d":"2020-01-02"},"doc_count":1},{"key":{"d":"2020-01-03"},"doc_count":1},{"key":{"d":"2020-02-01"},"doc_count":1}]}`},
		{"twelve hours, downwards", "", `"a":{"composite":{"size":2,"sources":[{"d":{"date_histogram":{"field":"Data.d","fixed_interval":"12h","order":"desc"}}}],"after":{"d":1580515200000}}}`,
			`"a":{"after_key":{"d":1577923200000},"buckets":[{"key":{"d":1577966400000},"doc_count":1},{"key":{"d":1577923200000},"doc_count":1}]}`},
		{"months, without a date and by keyword", "", `"a":{"composite":{"sources":[{"d":{"date_histogram":{"field":"Data.d","calendar_interval":"month","format":"MM","missing_bucket":true}}},{"k":{"terms":{"field":"Data.k.keyword"}}}]}}`,
			`"a":{"after_key":{"d":"02","k":"c"},"buckets":[{"key":{"d":null,"k":"b"},"doc_count":1},{"key":{"d":"01","k":"a"},"doc_count":2},{"key":{"d":"01","k":"b"},"doc_count":1},{"key":{"d":"01","k":"c"},"doc_count":1},{"key":{"d":"02","k":"c"},"doc_count":1}]}`},
		{"sub-aggregations", "", `"a":{"composite":{"sources":[{"h":{"histogram":{"field":"Data.n","interval":10}}}]},"aggs":{"k":{"terms":{"field":"Data.k.keyword"}}}}`,
			`"a":{"after_key":{"h":10.0},"buckets":[{"key":{"h":-10.0},"doc_count":1,"k":{` + noOthers + `"buckets":[{"key":"c","doc_count":1}]}},
				{"key":{"h":0.0},"doc_count":3,"k":{` + noOthers + `"buckets":[{"key":"a","doc_count":2},{"key":"b","doc_count":1}]}},
				{"key":{"h":10.0},"doc_count":1,"k":{` + noOthers + `"buckets":[{"key":"b","doc_count":1}]}}]}`},
	})
}
