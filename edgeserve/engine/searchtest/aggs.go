// This file tests aggregations over snapshots built from items: a table of what
// Elasticsearch would say, and random bodies against a twin that counts decoded items
// in maps.

package searchtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
)

// aggItem is an item of the given number; later numbers are older.
func aggItem(n int, data string) string {
	at := time.Date(2024, 12, 28, 0, 30, 0, 0, time.UTC).Add(time.Duration(n) * -9 * time.Hour).Format("2006-01-02T15:04:05.000Z")
	return fmt.Sprintf(`{"Status":"Published","CreatedBy":"P%d","CreatedAt":"%s","Data":%s,"PublishedBy":"p","UpdatedAt":"%[2]s","Name":"Item %[4]d","PublishedAt":"%[2]s","UpdatedBy":"","TemplateName":"T%[5]d","TemplateID":"t","ContentID":"Content_%05[4]d"}`,
		n%3, at, data, n, n%2)
}

// aggSmall is a collection in which every kind of value is to be found.
func aggSmall(t testing.TB, open Open) *snapshot.Reader {
	return open(t, []string{
		aggItem(0, `{"cat":"a","tags":["x","y"],"n":1,"x":1.5,"ok":true,"size":"204800","when":"2021-01-31T10:00:00Z"}`),
		aggItem(1, `{"cat":"b","tags":["y","y"],"n":[3,20000000],"x":0.25,"ok":false,"size":[12,"0.1"],"when":["2021-01-01","2021-03-08"]}`),
		aggItem(2, `{"cat":"a","tags":[],"n":3,"x":1.5,"ok":true,"size":"1.50","when":"2021-03-07"}`),
		aggItem(3, `{"cat":"C \"q\" é\u0001","n":-2,"x":3,"size":["big",""]}`),
		aggItem(4, `{"tags":["z","x"],"ok":true,"size":true,"when":"2022-02-01T00:00:00.001Z"}`),
		aggItem(5, `{"cat":"b"}`),
	})
}

func testAggregations(t *testing.T, open Open) {
	r := aggSmall(t, open)
	defer r.Close()
	const termsHead = `"doc_count_error_upper_bound":0,"sum_other_doc_count":`
	for _, c := range []struct{ name, aggs, want string }{
		{"terms by count, then key", `"g":{"terms":{"field":"Data.cat.keyword"}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"a","doc_count":2},{"key":"b","doc_count":2},{"key":"C \"q\" é\u0001","doc_count":1}]}`},
		{"terms of several values a document", `"g":{"terms":{"field":"Data.tags.keyword","size":2}}`,
			`"g":{` + termsHead + `1,"buckets":[{"key":"x","doc_count":2},{"key":"y","doc_count":2}]}`},
		{"terms of integers by key", `"g":{"terms":{"field":"Data.n","order":{"_key":"desc"}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":20000000,"doc_count":1},{"key":3,"doc_count":2},{"key":1,"doc_count":1},{"key":-2,"doc_count":1}]}`},
		{"terms of fractions", `"g":{"terms":{"field":"Data.x","order":{"_count":"asc"}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":0.25,"doc_count":1},{"key":3.0,"doc_count":1},{"key":1.5,"doc_count":2}]}`},
		{"terms of booleans", `"g":{"terms":{"field":"Data.ok"}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":1,"key_as_string":"true","doc_count":3},{"key":0,"key_as_string":"false","doc_count":1}]}`},
		{"terms of dates", `"g":{"terms":{"field":"Data.when","size":1}}`,
			`"g":{` + termsHead + `4,"buckets":[{"key":1609459200000,"key_as_string":"2021-01-01T00:00:00.000Z","doc_count":1}]}`},
		{"missing becomes a bucket in its place", `"g":{"terms":{"field":"Data.cat.keyword","missing":"aa","order":{"_key":"asc"},"exclude":["C \"q\" é\u0001"]}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"a","doc_count":2},{"key":"aa","doc_count":1},{"key":"b","doc_count":2}]}`},
		{"missing joins a value", `"g":{"terms":{"field":"Data.n","missing":3,"size":1}}`,
			`"g":{` + termsHead + `3,"buckets":[{"key":3,"doc_count":4}]}`},
		{"a fraction in place of missing integers", `"g":{"terms":{"field":"Data.n","missing":1.5,"size":1}}`,
			`"g":{` + termsHead + `5,"buckets":[{"key":1.5,"doc_count":2}]}`},
		{"include", `"g":{"terms":{"field":"Data.cat.keyword","include":["b","nope"]}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"b","doc_count":2}]}`},
		{"include nothing", `"g":{"terms":{"field":"Data.cat.keyword","include":[]}}`,
			`"g":{` + termsHead + `0,"buckets":[]}`},
		{"min_doc_count", `"g":{"terms":{"field":"Data.cat.keyword","min_doc_count":2}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"a","doc_count":2},{"key":"b","doc_count":2}]}`},
		{"missing dates are read by the format", `"g":{"terms":{"field":"Data.when","size":1,"format":"MM.yyyy","missing":"01.2020"}},"h":{"min":{"field":"Data.when","missing":2020}},"i":{"date_histogram":{"field":"Data.when","calendar_interval":"year","time_zone":"-05:00","missing":"2019-01-01"}}`,
			`"g":{"doc_count_error_upper_bound":0,"sum_other_doc_count":5,"buckets":[{"key":1577836800000,"key_as_string":"01.2020","doc_count":2}]},"h":{"value":1.5778368E12,"value_as_string":"2020-01-01T00:00:00.000Z"},"i":{"buckets":[{"key_as_string":"2019-01-01T00:00:00.000-05:00","key":1546318800000,"doc_count":2},{"key_as_string":"2020-01-01T00:00:00.000-05:00","key":1577854800000,"doc_count":1},{"key_as_string":"2021-01-01T00:00:00.000-05:00","key":1609477200000,"doc_count":3},{"key_as_string":"2022-01-01T00:00:00.000-05:00","key":1641013200000,"doc_count":1}]}`},
		{"min_doc_count beyond shard_size", `"g":{"terms":{"field":"Data.n","min_doc_count":2,"size":1,"shard_size":2}}`,
			`"g":{` + termsHead + `2,"buckets":[{"key":3,"doc_count":2}]}`},
		{"unmapped terms", `"g":{"terms":{"field":"Data.nope","min_doc_count":0}}`, `"g":{` + termsHead + `0,"buckets":[]}`},
		{"unmapped terms with missing", `"g":{"terms":{"field":"Data.nope","missing":5}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"5","doc_count":6}]}`},
		{"single numbers", `"a":{"min":{"field":"Data.n"}},"b":{"max":{"field":"Data.n"}},"c":{"avg":{"field":"Data.x"}},"d":{"sum":{"field":"Data.x"}},"e":{"value_count":{"field":"Data.tags.keyword"}},"f":{"cardinality":{"field":"Data.tags.keyword"}}`,
			`"a":{"value":-2.0},"b":{"value":2.0E7},"c":{"value":1.5625},"d":{"value":6.25},"e":{"value":5},"f":{"value":3}`},
		{"numbers with missing", `"a":{"sum":{"field":"Data.x","missing":10}},"b":{"cardinality":{"field":"Data.cat.keyword","missing":"?"}}`,
			`"a":{"value":26.25},"b":{"value":4}`},
		{"stats", `"s":{"stats":{"field":"Data.x"}}`, `"s":{"count":4,"min":0.25,"max":3.0,"avg":1.5625,"sum":6.25}`},
		{"numbers of dates", `"a":{"min":{"field":"Data.when"}},"s":{"stats":{"field":"CreatedAt"}}`,
			`"a":{"value":1.6094592E12,"value_as_string":"2021-01-01T00:00:00.000Z"},"s":{"count":6,"min":1.7351838E12,"max":1.7353458E12,"avg":1.7352648E12,"sum":1.04115888E13,` +
				`"min_as_string":"2024-12-26T03:30:00.000Z","max_as_string":"2024-12-28T00:30:00.000Z","avg_as_string":"2024-12-27T02:00:00.000Z","sum_as_string":"2299-12-06T12:00:00.000Z"}`},
		{"numbers of nothing", `"a":{"min":{"field":"Data.nope"}},"b":{"avg":{"field":"Data.nope"}},"c":{"sum":{"field":"Data.nope"}},"d":{"stats":{"field":"Data.nope"}},"e":{"value_count":{"field":"Data.nope"}}`,
			`"a":{"value":null},"b":{"value":null},"c":{"value":0.0},"d":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0},"e":{"value":0}`},
		{"filter", `"f":{"filter":{"term":{"Data.ok":true}},"aggs":{"m":{"max":{"field":"Data.n"}},"t":{"terms":{"field":"Data.tags.keyword","size":1}}}}`,
			`"f":{"doc_count":3,"m":{"value":3.0},"t":{` + termsHead + `2,"buckets":[{"key":"x","doc_count":2}]}}`},
		{"filters", `"f":{"filters":{"filters":{"two":{"term":{"Data.ok":false}},"one":{"match_all":{}}}},"aggs":{"c":{"value_count":{"field":"Data.n"}}}}`,
			`"f":{"buckets":{"one":{"doc_count":6,"c":{"value":5}},"two":{"doc_count":1,"c":{"value":2}}}}`},
		{"pairs of filters", `"m":{"adjacency_matrix":{"filters":{"n":{"exists":{"field":"Data.n"}},"a":{"term":{"Data.cat.keyword":"a"}},"z":{"match_none":{}}},"separator":" + "},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`,
			`"m":{"buckets":[{"key":"a","doc_count":2,"s":{"value":4.0}},{"key":"a + n","doc_count":2,"s":{"value":4.0}},{"key":"n","doc_count":4,"s":{"value":2.0000005E7}}]}`},
		{"anonymous filters", `"f":{"filters":{"filters":[{"match_none":{}},{"match_all":{}}]}}`,
			`"f":{"buckets":[{"doc_count":0},{"doc_count":6}]}`},
		{"months and the gaps between", `"h":{"date_histogram":{"field":"Data.when","calendar_interval":"month","format":"yyyy-MM"}}`,
			`"h":{"buckets":[{"key_as_string":"2021-01","key":1609459200000,"doc_count":2},{"key_as_string":"2021-02","key":1612137600000,"doc_count":0},{"key_as_string":"2021-03","key":1614556800000,"doc_count":2}` +
				aggGaps(4, 13) + `,{"key_as_string":"2022-02","key":1643673600000,"doc_count":1}]}`},
		{"weeks begin on Monday", `"h":{"date_histogram":{"field":"Data.when","calendar_interval":"week","min_doc_count":1,"order":{"_key":"desc"}}}`,
			`"h":{"buckets":[{"key_as_string":"2022-01-31T00:00:00.000Z","key":1643587200000,"doc_count":1},{"key_as_string":"2021-03-08T00:00:00.000Z","key":1615161600000,"doc_count":1},{"key_as_string":"2021-03-01T00:00:00.000Z","key":1614556800000,"doc_count":1},{"key_as_string":"2021-01-25T00:00:00.000Z","key":1611532800000,"doc_count":1},{"key_as_string":"2020-12-28T00:00:00.000Z","key":1609113600000,"doc_count":1}]}`},
		{"a year counts a document once", `"h":{"date_histogram":{"field":"Data.when","calendar_interval":"1y"},"aggs":{"c":{"cardinality":{"field":"Data.when"}},"n":{"value_count":{"field":"Data.n"}}}}`,
			`"h":{"buckets":[{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":3,"c":{"value":4},"n":{"value":4}},{"key_as_string":"2022-01-01T00:00:00.000Z","key":1640995200000,"doc_count":1,"c":{"value":1},"n":{"value":0}}]}`},
		{"combinations count a document once", `"y":{"composite":{"sources":[{"y":{"date_histogram":{"field":"Data.when","calendar_interval":"year","format":"yyyy"}}}]},"aggs":{"c":{"value_count":{"field":"Data.when"}}}},` +
			`"n":{"composite":{"sources":[{"n":{"histogram":{"field":"Data.n","interval":50000000}}},{"y":{"date_histogram":{"field":"Data.when","calendar_interval":"year","format":"yyyy"}}}]}}`,
			`"y":{"after_key":{"y":"2022"},"buckets":[{"key":{"y":"2021"},"doc_count":3,"c":{"value":4}},{"key":{"y":"2022"},"doc_count":1,"c":{"value":1}}]},` +
				`"n":{"after_key":{"n":0.0,"y":"2021"},"buckets":[{"key":{"n":0.0,"y":"2021"},"doc_count":3}]}`},
		{"combinations after what an integer cannot be", `"n":{"composite":{"sources":[{"n":{"terms":{"field":"Data.n"}}},{"o":{"terms":{"field":"Data.ok"}}}],"size":1,"after":{"n":" 3.5 ","o":false}}},"x":{"composite":{"sources":[{"x":{"terms":{"field":"Data.x","order":"desc"}}}],"size":1,"after":{"x":1e400}}}`,
			`"n":{"after_key":{"n":3,"o":true},"buckets":[{"key":{"n":3,"o":true},"doc_count":1}]},"x":{"after_key":{"x":3.0},"buckets":[{"key":{"x":3.0},"doc_count":1}]}`},
		{"combinations after a number inside of an interval", `"n":{"composite":{"sources":[{"n":{"histogram":{"field":"Data.n","interval":2}}}],"size":2,"after":{"n":0.5}}},"m":{"composite":{"sources":[{"n":{"histogram":{"field":"Data.n","interval":2}}}],"size":1,"after":{"n":-1.5}}}`,
			`"n":{"after_key":{"n":2.0E7},"buckets":[{"key":{"n":2.0},"doc_count":2},{"key":{"n":2.0E7},"doc_count":1}]},"m":{"after_key":{"n":0.0},"buckets":[{"key":{"n":0.0},"doc_count":1}]}`},
		{"missing dates", `"h":{"date_histogram":{"field":"Data.when","calendar_interval":"year","missing":"2020-06"}}`,
			`"h":{"buckets":[{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":2},{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":3},{"key_as_string":"2022-01-01T00:00:00.000Z","key":1640995200000,"doc_count":1}]}`},
		{"numbers as dates", `"h":{"date_histogram":{"field":"Data.n","calendar_interval":"hour","min_doc_count":1}}`,
			`"h":{"buckets":[{"key":-3600000,"doc_count":1},{"key":0,"doc_count":3},{"key":18000000,"doc_count":1}]}`},
		{"fractions as dates", `"h":{"date_histogram":{"field":"Data.x","calendar_interval":"day","missing":86400000.5,"format":"MM-dd"}}`,
			`"h":{"buckets":[{"key_as_string":"01-01","key":0,"doc_count":4},{"key_as_string":"01-02","key":86400000,"doc_count":2}]}`},
		{"no dates", `"h":{"date_histogram":{"field":"Data.nope","calendar_interval":"year"}}`, `"h":{"buckets":[]}`},
		{"order by what is inside", `"g":{"terms":{"field":"Data.cat.keyword","order":{"m":"desc"}},"aggs":{"m":{"sum":{"field":"Data.n"}}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"b","doc_count":2,"m":{"value":2.0000003E7}},{"key":"a","doc_count":2,"m":{"value":4.0}},{"key":"C \"q\" é\u0001","doc_count":1,"m":{"value":-2.0}}]}`},
		{"order by part of a stats, none last", `"g":{"terms":{"field":"Data.tags.keyword","order":{"s.avg":"asc"}},"aggs":{"s":{"stats":{"field":"Data.x"}}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"y","doc_count":2,"s":{"count":2,"min":0.25,"max":1.5,"avg":0.875,"sum":1.75}},{"key":"x","doc_count":2,"s":{"count":1,"min":1.5,"max":1.5,"avg":1.5,"sum":1.5}},{"key":"z","doc_count":1,"s":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0}}]}`},
		{"none last the other way too", `"g":{"terms":{"field":"Data.tags.keyword","order":{"m":"desc"}},"aggs":{"m":{"avg":{"field":"Data.x"}}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"x","doc_count":2,"m":{"value":1.5}},{"key":"y","doc_count":2,"m":{"value":0.875}},{"key":"z","doc_count":1,"m":{"value":null}}]}`},
		{"buckets inside buckets", `"g":{"terms":{"field":"Data.ok","size":1},"aggs":{"t":{"terms":{"field":"Data.tags.keyword"}},"f":{"filter":{"exists":{"field":"Data.n"}}},"fs":{"filters":{"filters":[{"term":{"Data.cat.keyword":"a"}}]}},"h":{"date_histogram":{"field":"Data.when","calendar_interval":"year"}}}}`,
			`"g":{` + termsHead + `1,"buckets":[{"key":1,"key_as_string":"true","doc_count":3,"t":{` + termsHead + `0,"buckets":[{"key":"x","doc_count":2},{"key":"y","doc_count":1},{"key":"z","doc_count":1}]},"f":{"doc_count":2},"fs":{"buckets":[{"doc_count":2}]},` +
				`"h":{"buckets":[{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":2},{"key_as_string":"2022-01-01T00:00:00.000Z","key":1640995200000,"doc_count":1}]}}]}`},
		{"buckets that a script leaves out", `"g":{"terms":{"field":"Data.cat.keyword"},"aggs":{"s":{"bucket_selector":{"buckets_path":{"n":"_count"},"script":"params.n < 2"}}}},"most":{"max_bucket":{"buckets_path":"g>_count"}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"C \"q\" é\u0001","doc_count":1}]},"most":{"value":1.0,"keys":["C \"q\" é\u0001"]}`},
		{"numbers of scripts", `"g":{"terms":{"field":"Data.tags.keyword"},"aggs":{"m":{"avg":{"field":"Data.x"}},"r":{"bucket_script":{"buckets_path":["m","_count"],"script":{"source":"_value0 / (_value1 - 2) + k","lang":"expression","params":{"k":1}},"format":"0.00"}},"z":{"bucket_script":{"buckets_path":"m","gap_policy":"insert_zeros","script":"params._value * 2"}}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"x","doc_count":2,"m":{"value":1.5},"r":{"value":null},"z":{"value":3.0}},{"key":"y","doc_count":2,"m":{"value":0.875},"r":{"value":null},"z":{"value":1.75}},{"key":"z","doc_count":1,"m":{"value":null},"z":{"value":0.0}}]}`},
		{"samples", `"s":{"sampler":{"shard_size":2},"aggs":{"c":{"terms":{"field":"Data.cat.keyword"}},"n":{"sum":{"field":"Data.n"}}}},"t":{"terms":{"field":"Data.cat.keyword","order":{"s>n":"desc"}},"aggs":{"s":{"sampler":{"shard_size":1},"aggs":{"n":{"max":{"field":"Data.n"}}}}}}`,
			`"s":{"doc_count":2,"c":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"a","doc_count":1},{"key":"b","doc_count":1}]},"n":{"value":2.0000004E7}},"t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"b","doc_count":2,"s":{"doc_count":1,"n":{"value":2.0E7}}},{"key":"a","doc_count":2,"s":{"doc_count":1,"n":{"value":1.0}}},{"key":"C \"q\" é\u0001","doc_count":1,"s":{"doc_count":1,"n":{"value":-2.0}}}]}`},
		{"derivatives by the day", `"h":{"date_histogram":{"field":"Data.when","calendar_interval":"year"},"aggs":{"d":{"derivative":{"buckets_path":"_count","unit":"day","format":"0.00"}},"s":{"serial_diff":{"buckets_path":"_count"}}}}`,
			`"h":{"buckets":[{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":3},{"key_as_string":"2022-01-01T00:00:00.000Z","key":1640995200000,"doc_count":1,"d":{"value":-2.0,"value_as_string":"-2.00","normalized_value":-0.005479452054794521,"normalized_value_as_string":"-0.01"},"s":{"value":-2.0}}]}`},
		{"statistics of buckets", `"t":{"terms":{"field":"Data.cat.keyword","order":{"_key":"asc"}},"aggs":{"m":{"sum":{"field":"Data.n"}}}},"e":{"extended_stats_bucket":{"buckets_path":"t>m","sigma":1}},"p":{"percentiles_bucket":{"buckets_path":"t>_count","percents":[50,1]}},"q":{"percentiles_bucket":{"buckets_path":"t>_count","percents":[50],"keyed":false,"format":"0.0"}},"s":{"stats_bucket":{"buckets_path":"t>_count","format":"0.0"}}`,
			`"t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"C \"q\" é\u0001","doc_count":1,"m":{"value":-2.0}},{"key":"a","doc_count":2,"m":{"value":4.0}},{"key":"b","doc_count":2,"m":{"value":2.0000003E7}}]},"e":{"count":3,"min":-2.0,"max":2.0000003E7,"avg":6666668.333333333,"sum":2.0000005E7,"sum_of_squares":4.00000120000029E14,"variance":8.888890666667356E13,"variance_population":8.888890666667356E13,"variance_sampling":1.3333336000001034E14,"std_deviation":9428091.358629994,"std_deviation_population":9428091.358629994,"std_deviation_sampling":1.1547006538493443E7,"std_deviation_bounds":{"upper":1.6094759691963326E7,"lower":-2761423.025296661,"upper_population":1.6094759691963326E7,"lower_population":-2761423.025296661,"upper_sampling":1.8213674871826775E7,"lower_sampling":-4880338.20516011}},"p":{"values":{"50.0":2.0,"1.0":1.0}},"q":{"values":[{"key":50.0,"value":2.0,"50.0_as_string":"2.0"}]},"s":{"count":3,"min":1.0,"max":2.0,"avg":1.6666666666666667,"sum":5.0,"min_as_string":"1.0","max_as_string":"2.0","avg_as_string":"1.7","sum_as_string":"5.0"}`},
		{"scripts over gaps", `"h":{"date_histogram":{"field":"Data.when","calendar_interval":"month","keyed":true,"format":"MM"},"aggs":{"c":{"cumulative_sum":{"buckets_path":"_count"}},"s":{"bucket_selector":{"buckets_path":{"c":"c"},"script":"params.c >= 4"}}}}`,
			`"h":{"buckets":{"03":{"key_as_string":"03","key":1614556800000,"doc_count":2,"c":{"value":4.0}},"02":{"key_as_string":"02","key":1643673600000,"doc_count":1,"c":{"value":5.0}}}}`},
		{"terms of strings as numbers of 64 bits", `"g":{"terms":{"field":"Data.size.double"}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":0.1,"doc_count":1},{"key":1.5,"doc_count":1},{"key":12.0,"doc_count":1},{"key":204800.0,"doc_count":1}]}`},
		{"terms of strings as integers", `"g":{"terms":{"field":"Data.size.long","order":{"_key":"desc"}}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":204800,"doc_count":1},{"key":12,"doc_count":1},{"key":1,"doc_count":1},{"key":0,"doc_count":1}]}`},
		{"terms of values of any kind", `"g":{"terms":{"field":"Data.size.keyword"}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"","doc_count":1},{"key":"0.1","doc_count":1},{"key":"1.50","doc_count":1},{"key":"12","doc_count":1},{"key":"204800","doc_count":1},{"key":"big","doc_count":1},{"key":"true","doc_count":1}]}`},
		{"terms of numbers and booleans as they are written", `"g":{"terms":{"field":"Data.n.keyword"}},"h":{"terms":{"field":"Data.ok.keyword"}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":"3","doc_count":2},{"key":"-2","doc_count":1},{"key":"1","doc_count":1},{"key":"20000000","doc_count":1}]},` +
				`"h":{` + termsHead + `0,"buckets":[{"key":"true","doc_count":3},{"key":"false","doc_count":1}]}`},
		{"a double in place of missing ones", `"g":{"terms":{"field":"Data.x.double","missing":7,"include":[7,3]}}`,
			`"g":{` + termsHead + `0,"buckets":[{"key":7.0,"doc_count":2},{"key":3.0,"doc_count":1}]}`},
		{"numbers of sub-fields", `"a":{"sum":{"field":"Data.size.long"}},"b":{"min":{"field":"Data.size.double"}},"c":{"max":{"field":"Data.size.date"}},"d":{"value_count":{"field":"CreatedAt.keyword"}},"e":{"sum":{"field":"Data.cat.long"}},"f":{"max":{"field":"Data.size.boolean"}}`,
			`"a":{"value":204813.0},"b":{"value":0.1},"c":{"value":204800.0,"value_as_string":"1970-01-01T00:03:24.800Z"},"d":{"value":6},"e":{"value":0.0},"f":{"value":1.0,"value_as_string":"true"}`},
		{"years of a sub-field", `"h":{"date_histogram":{"field":"Data.when.date","calendar_interval":"year"}}`,
			`"h":{"buckets":[{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":3},{"key_as_string":"2022-01-01T00:00:00.000Z","key":1640995200000,"doc_count":1}]}`},
		{"terms of _id", `"g":{"terms":{"field":"_id","size":1}},"c":{"cardinality":{"field":"_id"}}`,
			`"g":{` + termsHead + `5,"buckets":[{"key":"Content_00000","doc_count":1}]},"c":{"value":6}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Aggregations(t, r, `{"size":0,"aggs":{`+c.aggs+`}}`)
			if err != nil || got != "{"+c.want+"}" {
				t.Errorf("got  %s, %v\nwant {%s}", got, err, c.want)
			}
			if !json.Valid([]byte(got)) {
				t.Error("not JSON")
			}
		})
	}
}

// aggGaps is the empty months of 2021, as months are counted from its start.
func aggGaps(from, to int) (s string) {
	keys := []int64{0, 0, 0, 0, 1617235200000, 1619827200000, 1622505600000, 1625097600000, 1627776000000, 1630454400000, 1633046400000, 1635724800000, 1638316800000, 1640995200000}
	for m := from; m <= to; m++ {
		s += fmt.Sprintf(`,{"key_as_string":"%04d-%02d","key":%d,"doc_count":0}`, 2021+(m-1)/12, (m-1)%12+1, keys[m])
	}
	return s
}

func testAggregationsOfNoMatch(t *testing.T, open Open) {
	r := aggSmall(t, open)
	defer r.Close()
	got, err := Aggregations(t, r, `{"query":{"match_none":{}},"aggs":{"t":{"terms":{"field":"Data.ok"}},"z":{"terms":{"field":"Data.ok","min_doc_count":0},"aggs":{"m":{"max":{"field":"Data.n"}}}},"s":{"sum":{"field":"CreatedAt"}},"h":{"date_histogram":{"field":"CreatedAt","calendar_interval":"day"}}}}`)
	const head = `{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[`
	want := `{"t":` + head + `]},"z":` + head + `{"key":0,"key_as_string":"false","doc_count":0,"m":{"value":null}},{"key":1,"key_as_string":"true","doc_count":0,"m":{"value":null}}]},` +
		`"s":{"value":0.0,"value_as_string":"1970-01-01T00:00:00.000Z"},"h":{"buckets":[]}}`
	if err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func testAggregationErrors(t *testing.T, open Open) {
	r := aggSmall(t, open)
	defer r.Close()
	for _, c := range []struct{ name, aggs, code, parameter, message string }{
		{"terms on text", `"g":{"terms":{"field":"Data.cat"}}`, "bad_aggregation", "aggs.g.terms.field", "Data.cat.keyword"},
		{"cardinality on text", `"g":{"cardinality":{"field":"Name"}}`, "bad_aggregation", "aggs.g.cardinality.field", "Name.keyword"},
		{"sum of text", `"g":{"sum":{"field":"Name.keyword"}}`, "bad_aggregation", "aggs.g.sum.field", "numbers"},
		{"keys of two buckets", `"g":{"adjacency_matrix":{"filters":{"a&b":{"match_all":{}},"a":{"match_all":{}},"b":{"match_all":{}}}}}`, "bad_aggregation", "aggs.g.adjacency_matrix.filters", "rename"},
		{"format of booleans", `"g":{"max":{"field":"Data.ok","format":"0.0"}}`, "bad_aggregation", "aggs.g.max.format", "Data.ok"},
		{"rare terms outside of the background", `"g":{"significant_terms":{"field":"Data.cat.keyword","min_doc_count":1000,"background_filter":{"match_none":{}},"gnd":{}}}`, "bad_aggregation", "aggs.g.significant_terms.gnd", "background"},
		{"bounds outside of bounds", `"g":{"histogram":{"field":"Data.n","interval":2,"hard_bounds":{"max":5},"extended_bounds":{"max":6}}}`, "bad_aggregation", "aggs.g.histogram.extended_bounds", "hard_bounds"},
		{"dates of booleans", `"g":{"date_histogram":{"field":"Data.ok","calendar_interval":"day"}}`, "bad_aggregation", "aggs.g.date_histogram.field", "dates"},
		{"after of a second source, after one that no key has", `"g":{"composite":{"sources":[{"n":{"terms":{"field":"Data.n"}}},{"m":{"terms":{"field":"Data.n"}}}],"after":{"n":2,"m":"x"}}}`, "bad_aggregation", "aggs.g.composite.after.m", "does not fit"},
		{"after of a keyword that is not a text", `"g":{"composite":{"sources":[{"c":{"terms":{"field":"Data.cat.keyword"}}}],"after":{"c":10}}}`, "bad_aggregation", "aggs.g.composite.after.c", "does not fit"},
		{"sum of numbers as text", `"g":{"sum":{"field":"Data.n.keyword"}}`, "bad_aggregation", "aggs.g.sum.field", "numbers"},
		{"sum of _id", `"g":{"sum":{"field":"_id"}}`, "bad_aggregation", "aggs.g.sum.field", "_id"},
		{"terms on values of mixed kinds", `"g":{"terms":{"field":"Data.size"}}`, "bad_aggregation", "aggs.g.terms.field", "Data.size.keyword"},
		{"dates of a boolean sub-field", `"g":{"date_histogram":{"field":"Data.size.boolean","calendar_interval":"day"}}`, "bad_aggregation", "aggs.g.date_histogram.field", "dates"},
		{"inside", `"g":{"terms":{"field":"Data.ok"},"aggs":{"i":{"avg":{"field":"Name"}}}}`, "bad_aggregation", "aggs.g.aggs.i.avg.field", "Name"},
		{"inside a filter", `"g":{"filter":{"match_all":{}},"aggs":{"i":{"avg":{"field":"Name"}}}}`, "bad_aggregation", "aggs.g.aggs.i.avg.field", "Name"},
		{"missing of another type", `"g":{"avg":{"field":"Data.n","missing":"few"}}`, "bad_aggregation", "aggs.g.avg.missing", "few"},
		{"include of another type", `"g":{"terms":{"field":"Data.ok","include":["yes"]}}`, "bad_aggregation", "aggs.g.terms.include", "yes"},
		{"format", `"g":{"date_histogram":{"field":"CreatedAt","calendar_interval":"day","format":"jj"}}`, "bad_aggregation", "aggs.g.date_histogram.format", "yyyy"},
		{"too many buckets", `"g":{"date_histogram":{"field":"Data.when","calendar_interval":"minute"}}`, "too_many_buckets", "aggs", "calendar_interval"},
		{"a filter that cannot be", `"g":{"filter":{"term":{"Data.n":"few"}}}`, "bad_value", "Data.n", "few"},
		{"a filter inside", `"g":{"terms":{"field":"Data.ok"},"aggs":{"i":{"filter":{"query_string":{"query":"a/b"}}}}}`, "bad_query_string", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e *query.Error
			b, err := body.Parse([]byte(`{"aggs":{` + c.aggs + `}}`))
			if err == nil {
				_, err = search.Eval(context.Background(), r, b)
			}
			if !errors.As(err, &e) || e.Code != c.code || c.parameter != "" && e.Parameter != c.parameter || !strings.Contains(e.Message, c.message) {
				t.Errorf("%#v", err)
			}
		})
	}
}

func testAggregationsStopInTime(t *testing.T, open Open) {
	items := make([]string, 40000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"ContentID":"c%d","n":%d}`, i, i)
	}
	r := open(t, items)
	defer r.Close()
	b, err := body.Parse([]byte(`{"size":0,"aggs":{"g":{"terms":{"field":"n","order":{"m":"asc"}},"aggs":{"m":{"avg":{"field":"n"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var e *query.Error
	if _, err := search.Eval(ctx, r, b); !errors.As(err, &e) || e.Code != "timeout" {
		t.Errorf("%v", err)
	}
}

// testAggregationsAgainstTwin asks random bodies and compares with counting in maps.
func testAggregationsAgainstTwin(t *testing.T, open Open) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for round := range 12 {
		n, bodies := 1+rnd.IntN(300), 150
		if round%4 == 0 { // more than are handed on at once
			n, bodies = 600+rnd.IntN(3000), 40
		}
		items := aggItems(rnd, n)
		r := open(t, items)
		twin := newAggTwin(t, items, r.Env())
		for range bodies {
			g := &aggMaker{rnd: rnd}
			q, keep := g.query()
			aggs := g.aggs(1 + rnd.IntN(4))
			body := fmt.Sprintf(`{"size":%d,"query":%s,"aggs":%s}`, rnd.IntN(2)*rnd.IntN(9), q, aggMarshal(t, aggs))
			got, err := Aggregations(t, r, body)
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			want := aggMarshal(t, twin.answer(aggs, twin.matching(keep)))
			if !aggSame(aggDecode(t, got), aggDecode(t, want)) {
				t.Fatalf("%s\ngot  %s\nwant %s", body, got, want)
			}
		}
		r.Close()
	}
}

func aggMarshal(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func aggDecode(t testing.TB, s string) (v any) {
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// BenchmarkAggregations measures aggregations over 38,000 items.
func BenchmarkAggregations(b *testing.B, open Open) {
	rnd := rand.New(rand.NewPCG(1, 2))
	items := aggItems(rnd, 38000)
	r := open(b, items)
	defer r.Close()
	for _, c := range []struct{ name, query, aggs string }{
		{"terms/all", `{"match_all":{}}`, `{"g":{"terms":{"field":"Data.cat.keyword"}}}`},
		{"terms/all-distinct", `{"match_all":{}}`, `{"g":{"terms":{"field":"ContentID.keyword"}}}`},
		{"terms/half", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"terms":{"field":"Data.cat.keyword"}}}`},
		{"terms/half-distinct", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"terms":{"field":"ContentID.keyword"}}}`},
		{"terms/half-several", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"terms":{"field":"Data.tags.keyword"}}}`},
		{"stats/half", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"stats":{"field":"Data.n"}}}`},
		{"histogram/half", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"date_histogram":{"field":"CreatedAt","calendar_interval":"month"}}}`},
		{"inside/half", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"terms":{"field":"Data.cat.keyword"},"aggs":{"t":{"terms":{"field":"Data.tags.keyword"}}}}}`},
		{"ordered/half", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"terms":{"field":"ContentID.keyword","order":{"s":"asc"}},"aggs":{"s":{"sum":{"field":"Data.n"}}}}}`},
		{"nested/half", `{"term":{"TemplateName.keyword":"T1"}}`, `{"g":{"terms":{"field":"Data.cat.keyword"},"aggs":{"h":{"date_histogram":{"field":"CreatedAt","calendar_interval":"year"},"aggs":{"t":{"terms":{"field":"Data.tags.keyword"},"aggs":{"s":{"stats":{"field":"Data.n"}}}}}}}}}`},
		{"nested/distinct", `{"match_all":{}}`, `{"g":{"terms":{"field":"ContentID.keyword","size":20000},"aggs":{"f":{"filter":{"exists":{"field":"Data.n"}},"aggs":{"t":{"terms":{"field":"Data.cat.keyword"},"aggs":{"s":{"stats":{"field":"Data.n"}}}}}}}}}`},
		{"range/all", `{"match_all":{}}`, `{"g":{"range":{"field":"Data.n","ranges":[{"to":0},{"from":0,"to":100},{"from":100}]}}}`},
		{"composite/all", `{"match_all":{}}`, `{"g":{"composite":{"size":100,"sources":[{"c":{"terms":{"field":"Data.cat.keyword"}}},{"t":{"terms":{"field":"Data.tags.keyword"}}}]}}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			body, err := body.Parse([]byte(`{"size":0,"query":` + c.query + `,"aggs":` + c.aggs + `}`))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := search.Eval(context.Background(), r, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
