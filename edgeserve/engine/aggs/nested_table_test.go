package aggs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/searchtest"
)

func TestNestedAggregations(t *testing.T) {
	const all, from7 = `{"exists":{"field":"Data.k"}}`, `{"range":{"Data.n":{"gte":7}}}`
	const ordered = `{"terms":{"field":"Data.k.keyword","size":1,"order":{"s":"desc"}},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`
	const best = `{"doc_count_error_upper_bound":0,"sum_other_doc_count":%d,"buckets":[{"key":"b","doc_count":2,"s":{"value":19.0}}]}`
	checkTable(t, compositeData, []aggCase{
		{"numbers of buckets", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"t":{"terms":{"field":"Data.n"}},"c":{"bucket_script":{"buckets_path":{"n":"t._bucket_count"},"script":"params.n"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2,"t":{` + noOthers + `"buckets":[{"key":1,"doc_count":1},{"key":7,"doc_count":1}]},"c":{"value":2.0}},
				{"key":"b","doc_count":2,"t":{` + noOthers + `"buckets":[{"key":7,"doc_count":1},{"key":12,"doc_count":1}]},"c":{"value":2.0}},
				{"key":"c","doc_count":1,"t":{` + noOthers + `"buckets":[{"key":-1,"doc_count":1}]},"c":{"value":1.0}}]}`},
		{"numbers of keyed buckets", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"h":{"histogram":{"field":"Data.n","interval":10,"keyed":true}},"p":{"bucket_selector":{"buckets_path":{"n":"h._bucket_count"},"script":"params.n > 1"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"b","doc_count":2,"h":{"buckets":{"0.0":{"key":0.0,"doc_count":1},"10.0":{"key":10.0,"doc_count":1}}}}]}`},
		{"an order two levels below", "", `"x":{"filters":{"filters":[` + all + `,` + from7 + `]},"aggs":{"y":{"filters":{"filters":[{"match_all":{}},` + from7 + `]},"aggs":{"a":` + ordered + `}}}}`,
			`"x":{"buckets":[{"doc_count":4,"y":{"buckets":[{"doc_count":4,"a":` + fmt.Sprintf(best, 3) + `},{"doc_count":2,"a":` + fmt.Sprintf(best, 1) + `}]}},
				{"doc_count":3,"y":{"buckets":[{"doc_count":3,"a":` + fmt.Sprintf(best, 1) + `},{"doc_count":3,"a":` + fmt.Sprintf(best, 1) + `}]}}]}`},
		{"a pipeline of each bucket", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"h":{"histogram":{"field":"Data.n","interval":6},"aggs":{"c":{"cumulative_sum":{"buckets_path":"_count"}}}},"p":{"max_bucket":{"buckets_path":"h>c"}}}}`,
			`"a":{` + noOthers + `"buckets":[
				{"key":"a","doc_count":2,"h":{"buckets":[{"key":0.0,"doc_count":1,"c":{"value":1.0}},{"key":6.0,"doc_count":1,"c":{"value":2.0}}]},"p":{"value":2.0,"keys":["6.0"]}},
				{"key":"b","doc_count":2,"h":{"buckets":[{"key":6.0,"doc_count":1,"c":{"value":1.0}},{"key":12.0,"doc_count":1,"c":{"value":2.0}}]},"p":{"value":2.0,"keys":["12.0"]}},
				{"key":"c","doc_count":1,"h":{"buckets":[{"key":-6.0,"doc_count":1,"c":{"value":1.0}}]},"p":{"value":1.0,"keys":["-6.0"]}}]}`},
	})
	checkTable(t, springData, []aggCase{
		{"each bucket has its interval", `{"terms":{"Data.n":[1,3]}}`, `"a":{"terms":{"field":"Data.n"},"aggs":{"h":{"auto_date_histogram":{"field":"Data.d","buckets":2}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":1,"doc_count":1,"h":{"buckets":[{"key_as_string":"2021-03-27T22:30:00.000Z","key":1616884200000,"doc_count":1}],"interval":"1s"}},
				{"key":3,"doc_count":1,"h":{"buckets":[{"key_as_string":"2021-03-28T00:00:00.000Z","key":1616889600000,"doc_count":1},{"key_as_string":"2021-03-28T12:00:00.000Z","key":1616932800000,"doc_count":1}],"interval":"12h"}}]}`},
	})
}

// Many items are counted in blocks: 100 of them have each pair of g and n.
func TestManyItems(t *testing.T) {
	var data, pairs strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&data, `{"g":%d,"n":%d,"m":[%d,7]} `, i%3, i%7, i%7)
	}
	for g := range 3 {
		for n := range 7 {
			fmt.Fprintf(&pairs, `,{"key":{"g":%d,"n":%d},"doc_count":100}`, g, n)
		}
	}
	group := `{"key":%d,"doc_count":700,"h":{"buckets":[{"key":0.0,"doc_count":300,"s":{"value":300.0}},{"key":3.0,"doc_count":300,"s":{"value":1200.0}},{"key":6.0,"doc_count":100,"s":{"value":600.0}}]},"v":{"value":1400}}`
	checkTable(t, data.String(), []aggCase{
		{"inside of terms", "", `"a":{"terms":{"field":"Data.g"},"aggs":{"h":{"histogram":{"field":"Data.n","interval":3},"aggs":{"s":{"sum":{"field":"Data.n"}}}},"v":{"value_count":{"field":"Data.m"}}}}`,
			`"a":{` + noOthers + `"buckets":[` + fmt.Sprintf(group+","+group+","+group, 0, 1, 2) + `]}`},
		{"composite", "", `"a":{"composite":{"size":100,"sources":[{"g":{"terms":{"field":"Data.g"}}},{"n":{"terms":{"field":"Data.n"}}}]}}`, `"a":{"after_key":{"g":2,"n":6},"buckets":[` + pairs.String()[1:] + `]}`},
		{"of few matches", `{"bool":{"filter":[{"term":{"Data.g":1}},{"term":{"Data.n":6}}]}}`, `"a":{"terms":{"field":"Data.m"}},"b":{"stats":{"field":"Data.m"}}`,
			`"a":{` + noOthers + `"buckets":[{"key":6,"doc_count":100},{"key":7,"doc_count":100}]},"b":{"count":200,"min":6.0,"max":7.0,"avg":6.5,"sum":1300.0}`},
	})
}

// Each term is in exactly one partition.
func TestPartitions(t *testing.T) {
	var data strings.Builder
	for i := range 60 {
		fmt.Fprintf(&data, `{"k":"key %d","n":%d} `, i, i*1001-7)
	}
	r := searchtest.Snaptest(t, searchtest.DataItems(t, data.String()))
	for _, field := range []string{"Data.k.keyword", "Data.n"} {
		seen := map[string]int{}
		for partition := range 3 {
			text, err := searchtest.Aggregations(t, r, fmt.Sprintf(`{"size":0,"aggs":{"a":{"terms":{"field":"%s","size":100,"include":{"partition":%d,"num_partitions":3}}}}}`, field, partition))
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				A struct{ Buckets []struct{ Key any } }
			}
			if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.A.Buckets) == 0 || len(got.A.Buckets) > 40 {
				t.Errorf("%s, partition %d: %s, %v", field, partition, text, err)
			}
			for _, b := range got.A.Buckets {
				seen[fmt.Sprint(b.Key)]++
			}
		}
		if len(seen) != 60 || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
			t.Errorf("%s: %v", field, seen)
		}
	}
}

// An error says which option is wrong.
func TestErrors(t *testing.T) {
	r := searchtest.Snaptest(t, searchtest.DataItems(t, compositeData))
	for _, c := range []struct{ aggs, parameter string }{
		{`"a":{"terms":{"field":"Data.k"}}`, "aggs.a.terms.field"},
		{`"a":{"sum":{"field":"Data.k.keyword"}}`, "aggs.a.sum.field"},
		{`"a":{"avg":{"field":"Data.n","missing":"few"}}`, "aggs.a.avg.missing"},
		{`"a":{"max":{"field":"Data.b","format":"0.0"}}`, "aggs.a.max.format"},
		{`"a":{"histogram":{"field":"Data.k.keyword","interval":1}}`, "aggs.a.histogram.field"},
		{`"a":{"histogram":{"field":"Data.n","interval":1,"extended_bounds":{"min":2,"max":1}}}`, "aggs.a.histogram.extended_bounds"},
		{`"a":{"histogram":{"field":"Data.n","interval":1,"extended_bounds":{"min":0},"hard_bounds":{"min":1}}}`, "aggs.a.histogram.extended_bounds"},
		{`"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day","extended_bounds":{"max":"soon"}}}`, "aggs.a.date_histogram.extended_bounds.max"},
		{`"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"Nowhere"}}`, "aggs.a.date_histogram.time_zone"},
		{`"a":{"range":{"field":"Data.n","ranges":[{"to":1},{"from":"x"}]}}`, "aggs.a.range.ranges[1]"},
		{`"a":{"terms":{"field":"Data.x","include":{"partition":0,"num_partitions":2}}}`, "aggs.a.terms.include"},
		{`"a":{"composite":{"sources":[{"n":{"terms":{"field":"Data.n"}}}],"after":{"n":"x"}}}`, "aggs.a.composite.after.n"},
		{`"a":{"filters":{"filters":[{"match_all":{}}]},"aggs":{"b":{"avg":{"field":"Data.k.keyword"}}}}`, "aggs.a.aggs.b.avg.field"},
		{`"a":{"terms":{"field":"Data.b"},"aggs":{"h":{"top_hits":{"sort":[{"Data.n":{"missing":"few"}}]}}}}`, "aggs.a.aggs.h.top_hits.sort"},
		{`"a":{"terms":{"field":"Data.b"},"aggs":{"h":{"top_hits":{"docvalue_fields":["Data.k"]}}}}`, "aggs.a.aggs.h.top_hits.docvalue_fields"},
	} {
		var e *query.Error
		if got, err := searchtest.Aggregations(t, r, `{"aggs":{`+c.aggs+`}}`); !errors.As(err, &e) || e.Parameter != c.parameter {
			t.Errorf("%s: %s, %#v, want an error at %s", c.aggs, got, err, c.parameter)
		}
	}
}
