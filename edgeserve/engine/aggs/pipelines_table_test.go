package aggs_test

import "testing"

// pipelineData has sums 15, 4 and 1 at 0, 1 and 3; at 2 is a gap.
const pipelineData = `{"n":0,"v":10,"d":"2020-01-01"} {"n":0,"v":5,"d":"2020-01-01"} {"n":1,"v":4,"d":"2020-01-03"} {"n":3,"v":1,"d":"2020-01-04"}`

// overGap is a histogram with the sum of each bucket and a pipeline.
func overGap(pipeline string) string {
	return `"h":{"histogram":{"field":"Data.n","interval":1},"aggs":{"s":{"sum":{"field":"Data.v"}},"p":{` + pipeline + `}}}`
}

// gapBuckets are the buckets of overGap with further members of the four buckets.
func gapBuckets(at0, at1, at2, at3 string) string {
	return `"h":{"buckets":[{"key":0.0,"doc_count":2,"s":{"value":15.0}` + at0 + `},{"key":1.0,"doc_count":1,"s":{"value":4.0}` + at1 +
		`},{"key":2.0,"doc_count":0,"s":{"value":0.0}` + at2 + `},{"key":3.0,"doc_count":1,"s":{"value":1.0}` + at3 + `}]}`
}

func TestPipelinesOfBuckets(t *testing.T) {
	checkTable(t, pipelineData, []aggCase{
		{"derivative", "", overGap(`"derivative":{"buckets_path":"s"}`), gapBuckets(``, `,"p":{"value":-11.0}`, `,"p":{"value":null}`, `,"p":{"value":null}`)},
		{"derivative over zeros", "", overGap(`"derivative":{"buckets_path":"s","gap_policy":"insert_zeros","format":"0.0"}`),
			gapBuckets(``, `,"p":{"value":-11.0,"value_as_string":"-11.0"}`, `,"p":{"value":-4.0,"value_as_string":"-4.0"}`, `,"p":{"value":1.0,"value_as_string":"1.0"}`)},
		{"derivative of counts, which have no gaps", "", overGap(`"derivative":{"buckets_path":"_count"}`), gapBuckets(``, `,"p":{"value":-1.0}`, `,"p":{"value":-1.0}`, `,"p":{"value":1.0}`)},
		{"derivative by a unit", "", `"h":{"date_histogram":{"field":"Data.d","fixed_interval":"2d","offset":"1d"},"aggs":{"p":{"derivative":{"buckets_path":"_count","unit":"1h"}}}}`,
			`"h":{"buckets":[{"key_as_string":"2019-12-31T00:00:00.000Z","key":1577750400000,"doc_count":2},{"key_as_string":"2020-01-02T00:00:00.000Z","key":1577923200000,"doc_count":1,"p":{"value":-1.0,"normalized_value":-0.020833333333333332}},
				{"key_as_string":"2020-01-04T00:00:00.000Z","key":1578096000000,"doc_count":1,"p":{"value":0.0,"normalized_value":0.0}}]}`},
		{"sums so far", "", overGap(`"cumulative_sum":{"buckets_path":"s"}`), gapBuckets(`,"p":{"value":15.0}`, `,"p":{"value":19.0}`, `,"p":{"value":19.0}`, `,"p":{"value":20.0}`)},
		{"counts so far", "", overGap(`"cumulative_sum":{"buckets_path":"_count","format":"00"}`),
			gapBuckets(`,"p":{"value":2.0,"value_as_string":"02"}`, `,"p":{"value":3.0,"value_as_string":"03"}`, `,"p":{"value":3.0,"value_as_string":"03"}`, `,"p":{"value":4.0,"value_as_string":"04"}`)},
		{"differences from the previous bucket", "", overGap(`"serial_diff":{"buckets_path":"s"}`), gapBuckets(``, `,"p":{"value":-11.0}`, ``, ``)},
		{"differences from the bucket before it", "", overGap(`"serial_diff":{"buckets_path":"s","lag":2}`), gapBuckets(``, ``, ``, `,"p":{"value":-3.0}`)},
		{"differences over zeros", "", overGap(`"serial_diff":{"buckets_path":"s","lag":2,"gap_policy":"insert_zeros"}`), gapBuckets(``, ``, `,"p":{"value":-15.0}`, `,"p":{"value":-3.0}`)},
		{"script", "", overGap(`"bucket_script":{"buckets_path":{"s":"s","c":"_count"},"script":{"source":"params.s / params.c + params.a","params":{"a":0.5}},"format":"0.00"}`),
			gapBuckets(`,"p":{"value":8.0,"value_as_string":"8.00"}`, `,"p":{"value":4.5,"value_as_string":"4.50"}`, ``, `,"p":{"value":1.5,"value_as_string":"1.50"}`)},
		{"script over zeros", "", overGap(`"bucket_script":{"buckets_path":{"s":"s"},"gap_policy":"insert_zeros","script":"(params.s + 1) * -2"}`),
			gapBuckets(`,"p":{"value":-32.0}`, `,"p":{"value":-10.0}`, `,"p":{"value":-2.0}`, `,"p":{"value":-4.0}`)},
		{"selector", "", overGap(`"bucket_selector":{"buckets_path":{"s":"s"},"script":"params.s > 3 && params.s != 15 || params.s == 1"}`),
			`"h":{"buckets":[{"key":1.0,"doc_count":1,"s":{"value":4.0}},{"key":3.0,"doc_count":1,"s":{"value":1.0}}]}`},
		{"selector over zeros", "", overGap(`"bucket_selector":{"buckets_path":{"s":"s"},"gap_policy":"insert_zeros","script":"params.s <= 1"}`),
			`"h":{"buckets":[{"key":2.0,"doc_count":0,"s":{"value":0.0}},{"key":3.0,"doc_count":1,"s":{"value":1.0}}]}`},
		{"sort leaves out gaps", "", overGap(`"bucket_sort":{"sort":[{"s":"asc"}]}`),
			`"h":{"buckets":[{"key":3.0,"doc_count":1,"s":{"value":1.0}},{"key":1.0,"doc_count":1,"s":{"value":4.0}},{"key":0.0,"doc_count":2,"s":{"value":15.0}}]}`},
		{"a page of a sort by two paths", "", overGap(`"bucket_sort":{"sort":[{"_count":"asc"},{"_key":"desc"}],"from":1,"size":2}`),
			`"h":{"buckets":[{"key":3.0,"doc_count":1,"s":{"value":1.0}},{"key":1.0,"doc_count":1,"s":{"value":4.0}}]}`},
		{"a page without a sort", "", overGap(`"bucket_sort":{"from":2,"size":1}`), `"h":{"buckets":[{"key":2.0,"doc_count":0,"s":{"value":0.0}}]}`},
	})
}

func TestPipelinesOfSiblings(t *testing.T) {
	const h = `"h":{"histogram":{"field":"Data.n","interval":1},"aggs":{"s":{"sum":{"field":"Data.v"}}}},`
	bucket := gapBuckets("", "", "", "") + ","
	checkTable(t, pipelineData, []aggCase{
		{"average", "", h + `"p":{"avg_bucket":{"buckets_path":"h>s"}},"q":{"avg_bucket":{"buckets_path":"h>s","gap_policy":"insert_zeros","format":"0.0"}}`, bucket + `"p":{"value":6.666666666666667},"q":{"value":5.0,"value_as_string":"5.0"}`},
		{"sum", "", h + `"p":{"sum_bucket":{"buckets_path":"h>s"}},"q":{"sum_bucket":{"buckets_path":"h>_count"}}`, bucket + `"p":{"value":20.0},"q":{"value":4.0}`},
		{"least", "", h + `"p":{"min_bucket":{"buckets_path":"h>s"}},"q":{"min_bucket":{"buckets_path":"h>s","gap_policy":"insert_zeros"}}`, bucket + `"p":{"value":1.0,"keys":["3.0"]},"q":{"value":0.0,"keys":["2.0"]}`},
		{"greatest", "", h + `"p":{"max_bucket":{"buckets_path":"h>s"}},"q":{"min_bucket":{"buckets_path":"h>_count"}}`, bucket + `"p":{"value":15.0,"keys":["0.0"]},"q":{"value":0.0,"keys":["2.0"]}`},
		{"greatest of several", `{"term":{"Data.v":4}}`, `"t":{"histogram":{"field":"Data.v","interval":1,"extended_bounds":{"min":3}}},"p":{"min_bucket":{"buckets_path":"t>_count"}},"q":{"max_bucket":{"buckets_path":"t>_count"}}`,
			`"t":{"buckets":[{"key":3.0,"doc_count":0},{"key":4.0,"doc_count":1}]},"p":{"value":0.0,"keys":["3.0"]},"q":{"value":1.0,"keys":["4.0"]}`},
		{"keys of equal ones", "", `"t":{"terms":{"field":"Data.v"}},"p":{"max_bucket":{"buckets_path":"t>_count"}}`,
			`"t":{` + noOthers + `"buckets":[{"key":1,"doc_count":1},{"key":4,"doc_count":1},{"key":5,"doc_count":1},{"key":10,"doc_count":1}]},"p":{"value":1.0,"keys":["1","4","5","10"]}`},
		{"statistics", "", h + `"p":{"stats_bucket":{"buckets_path":"h>s"}}`, bucket + `"p":{"count":3,"min":1.0,"max":15.0,"avg":6.666666666666667,"sum":20.0}`},
		{"more statistics", "", h + `"p":{"extended_stats_bucket":{"buckets_path":"h>_count","sigma":1}}`,
			bucket + `"p":{"count":4,"min":0.0,"max":2.0,"avg":1.0,"sum":4.0,"sum_of_squares":6.0,"variance":0.5,"variance_population":0.5,"variance_sampling":0.6666666666666666,"std_deviation":0.7071067811865476,"std_deviation_population":0.7071067811865476,"std_deviation_sampling":0.816496580927726,
				"std_deviation_bounds":{"upper":1.7071067811865475,"lower":0.2928932188134524,"upper_population":1.7071067811865475,"lower_population":0.2928932188134524,"upper_sampling":1.816496580927726,"lower_sampling":0.18350341907227397}}`},
		{"percentiles are values of buckets", "", h + `"p":{"percentiles_bucket":{"buckets_path":"h>s","percents":[0,25,50,76,100]}}`, bucket + `"p":{"values":{"0.0":1.0,"25.0":4.0,"50.0":4.0,"76.0":15.0,"100.0":15.0}}`},
		{"of no buckets", `{"match_none":{}}`, h + `"a":{"avg_bucket":{"buckets_path":"h>s"}},"b":{"sum_bucket":{"buckets_path":"h>s"}},"c":{"max_bucket":{"buckets_path":"h>s"}},"d":{"stats_bucket":{"buckets_path":"h>s"}},"e":{"percentiles_bucket":{"buckets_path":"h>s","percents":[50]}}`,
			`"h":{"buckets":[]},"a":{"value":null},"b":{"value":0.0},"c":{"value":null,"keys":[]},"d":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0},"e":{"values":{"50.0":null}}`},
		{"of a pipeline", "", `"h":{"histogram":{"field":"Data.n","interval":3},"aggs":{"c":{"cumulative_sum":{"buckets_path":"_count"}}}},"p":{"max_bucket":{"buckets_path":"h>c"}}`,
			`"h":{"buckets":[{"key":0.0,"doc_count":3,"c":{"value":3.0}},{"key":3.0,"doc_count":1,"c":{"value":4.0}}]},"p":{"value":4.0,"keys":["3.0"]}`},
		{"inside of a filter", "", `"f":{"filter":{"range":{"Data.n":{"lt":2}}},"aggs":{"h":{"histogram":{"field":"Data.n","interval":1}},"p":{"avg_bucket":{"buckets_path":"h>_count"}}}}`,
			`"f":{"doc_count":3,"h":{"buckets":[{"key":0.0,"doc_count":2},{"key":1.0,"doc_count":1}]},"p":{"value":1.5}}`},
	})
}
