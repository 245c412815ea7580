package aggs_test

import (
	"fmt"
	"strings"
	"testing"
)

// metricsData has the numbers 1, 2, 3, 10 as n, and 0.25, 0.5, 1.5, 4 as x.
const metricsData = `
	{"n":1,"x":0.5,"b":true,"d":"2020-01-01","w":2,"k":"a"}
	{"n":[2,3,3],"x":[0.25,1.5],"b":[true,false],"w":1,"k":["b","a"]}
	{"n":10,"d":"2020-01-03","w":3}
	{"x":4}`

func TestSingleNumbers(t *testing.T) {
	checkTable(t, metricsData, []aggCase{
		{"integers, equal ones of an item once", "", `"a":{"value_count":{"field":"Data.n"}},"b":{"min":{"field":"Data.n"}},"c":{"max":{"field":"Data.n"}},"d":{"sum":{"field":"Data.n"}},"e":{"avg":{"field":"Data.n"}},"f":{"stats":{"field":"Data.n"}},"g":{"cardinality":{"field":"Data.n"}}`,
			`"a":{"value":4},"b":{"value":1.0},"c":{"value":10.0},"d":{"value":16.0},"e":{"value":4.0},"f":{"count":4,"min":1.0,"max":10.0,"avg":4.0,"sum":16.0},"g":{"value":4}`},
		{"fractions", "", `"a":{"stats":{"field":"Data.x"}},"b":{"avg":{"field":"Data.x"}}`, `"a":{"count":4,"min":0.25,"max":4.0,"avg":1.5625,"sum":6.25},"b":{"value":1.5625}`},
		{"of matches", `{"term":{"Data.b":false}}`, `"a":{"stats":{"field":"Data.n"}},"b":{"cardinality":{"field":"Data.k.keyword"}}`, `"a":{"count":2,"min":2.0,"max":3.0,"avg":2.5,"sum":5.0},"b":{"value":2}`},
		{"missing", "", `"a":{"stats":{"field":"Data.n","missing":0}},"b":{"avg":{"field":"Data.n","missing":4.5}},"c":{"cardinality":{"field":"Data.k.keyword","missing":"c"}},"d":{"value_count":{"field":"Data.k.keyword","missing":"a"}},"e":{"max":{"field":"Data.x","missing":5}}`,
			`"a":{"count":5,"min":0.0,"max":10.0,"avg":3.2,"sum":16.0},"b":{"value":4.1},"c":{"value":3},"d":{"value":5},"e":{"value":5.0}`},
		{"a missing value that others have", "", `"a":{"cardinality":{"field":"Data.n","missing":10}},"b":{"sum":{"field":"Data.n","missing":10}}`, `"a":{"value":4},"b":{"value":26.0}`},
		{"formats", "", `"a":{"sum":{"field":"Data.n","format":"0.00"}},"b":{"stats":{"field":"Data.n","format":"#0"}}`,
			`"a":{"value":16.0,"value_as_string":"16.00"},"b":{"count":4,"min":1.0,"max":10.0,"avg":4.0,"sum":16.0,"min_as_string":"1","max_as_string":"10","avg_as_string":"4","sum_as_string":"16"}`},
		{"dates", "", `"a":{"min":{"field":"Data.d"}},"b":{"max":{"field":"Data.d","format":"yyyy-MM-dd"}},"c":{"avg":{"field":"Data.d"}},"d":{"value_count":{"field":"Data.d"}},"e":{"cardinality":{"field":"Data.d"}}`,
			`"a":{"value":1.5778368E12,"value_as_string":"2020-01-01T00:00:00.000Z"},"b":{"value":1.5780096E12,"value_as_string":"2020-01-03"},"c":{"value":1.5779232E12,"value_as_string":"2020-01-02T00:00:00.000Z"},"d":{"value":2},"e":{"value":2}`},
		{"booleans", "", `"a":{"min":{"field":"Data.b"}},"b":{"max":{"field":"Data.b"}},"c":{"value_count":{"field":"Data.b"}},"d":{"cardinality":{"field":"Data.b"}}`,
			`"a":{"value":0.0,"value_as_string":"false"},"b":{"value":1.0,"value_as_string":"true"},"c":{"value":3},"d":{"value":2}`},
		{"nothing", `{"match_none":{}}`, `"a":{"value_count":{"field":"Data.n"}},"b":{"min":{"field":"Data.n","format":"0.0"}},"c":{"max":{"field":"Data.n"}},"d":{"sum":{"field":"Data.n","format":"0.0"}},"e":{"avg":{"field":"Data.n","format":"0.0"}},"f":{"stats":{"field":"Data.n"}},"g":{"cardinality":{"field":"Data.n"}}`,
			`"a":{"value":0},"b":{"value":null},"c":{"value":null},"d":{"value":0.0,"value_as_string":"0.0"},"e":{"value":null},"f":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0},"g":{"value":0}`},
		{"no field", "", `"a":{"value_count":{"field":"Data.nope"}},"b":{"min":{"field":"Data.nope"}},"d":{"sum":{"field":"Data.nope"}},"g":{"cardinality":{"field":"Data.nope"}}`, `"a":{"value":0},"b":{"value":null},"d":{"value":0.0},"g":{"value":0}`},
		{"inside of buckets", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"c":{"cardinality":{"field":"Data.n"}},"m":{"max":{"field":"Data.d"}},"v":{"avg":{"field":"Data.x"}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2,"c":{"value":3},"m":{"value":1.5778368E12,"value_as_string":"2020-01-01T00:00:00.000Z"},"v":{"value":0.75}},
				{"key":"b","doc_count":1,"c":{"value":2},"m":{"value":null},"v":{"value":0.875}}]}`},
	})
}

// Cardinalities above the threshold are exact, too.
func TestCardinalityAboveThreshold(t *testing.T) {
	var data strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&data, `{"n":%d,"k":"k%d","g":%d} `, i, i/2, i%2)
	}
	checkTable(t, data.String(), []aggCase{
		{"of all", "", `"n":{"cardinality":{"field":"Data.n","precision_threshold":10}},"k":{"cardinality":{"field":"Data.k.keyword","precision_threshold":0}}`, `"n":{"value":3000},"k":{"value":1500}`},
		{"of buckets", "", `"g":{"terms":{"field":"Data.g"},"aggs":{"n":{"cardinality":{"field":"Data.n","precision_threshold":1}}}}`,
			`"g":{` + noOthers + `"buckets":[{"key":0,"doc_count":1500,"n":{"value":1500}},{"key":1,"doc_count":1500,"n":{"value":1500}}]}`},
	})
}

func TestExtendedStats(t *testing.T) {
	checkTable(t, metricsData, []aggCase{
		{"three deviations", "", `"a":{"extended_stats":{"field":"Data.n","sigma":3}}`,
			`"a":{"count":4,"min":1.0,"max":10.0,"avg":4.0,"sum":16.0,"sum_of_squares":114.0,"variance":12.5,"variance_population":12.5,"variance_sampling":16.666666666666668,"std_deviation":3.5355339059327378,"std_deviation_population":3.5355339059327378,"std_deviation_sampling":4.08248290463863,"std_deviation_bounds":{"upper":14.606601717798213,"lower":-6.606601717798213,"upper_population":14.606601717798213,"lower_population":-6.606601717798213,"upper_sampling":16.24744871391589,"lower_sampling":-8.24744871391589}}`},
		{"one number", `{"term":{"Data.n":10}}`, `"a":{"extended_stats":{"field":"Data.n"}}`,
			`"a":{"count":1,"min":10.0,"max":10.0,"avg":10.0,"sum":10.0,"sum_of_squares":100.0,"variance":0.0,"variance_population":0.0,"variance_sampling":"NaN","std_deviation":0.0,"std_deviation_population":0.0,"std_deviation_sampling":"NaN",
				"std_deviation_bounds":{"upper":10.0,"lower":10.0,"upper_population":10.0,"lower_population":10.0,"upper_sampling":"NaN","lower_sampling":"NaN"}}`},
		{"nothing", `{"match_none":{}}`, `"a":{"extended_stats":{"field":"Data.n"}}`,
			`"a":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0,"sum_of_squares":null,"variance":null,"variance_population":null,"variance_sampling":null,"std_deviation":null,"std_deviation_population":null,"std_deviation_sampling":null,
				"std_deviation_bounds":{"upper":null,"lower":null,"upper_population":null,"lower_population":null,"upper_sampling":null,"lower_sampling":null}}`},
		{"missing, in an order", "", `"a":{"terms":{"field":"Data.b","order":{"e.variance":"asc"}},"aggs":{"e":{"extended_stats":{"field":"Data.w","missing":1}}}}`,
			`"a":{` + noOthers + `"buckets":[
				{"key":0,"key_as_string":"false","doc_count":1,"e":{"count":1,"min":1.0,"max":1.0,"avg":1.0,"sum":1.0,"sum_of_squares":1.0,"variance":0.0,"variance_population":0.0,"variance_sampling":"NaN","std_deviation":0.0,"std_deviation_population":0.0,"std_deviation_sampling":"NaN",
					"std_deviation_bounds":{"upper":1.0,"lower":1.0,"upper_population":1.0,"lower_population":1.0,"upper_sampling":"NaN","lower_sampling":"NaN"}}},
				{"key":1,"key_as_string":"true","doc_count":2,"e":{"count":2,"min":1.0,"max":2.0,"avg":1.5,"sum":3.0,"sum_of_squares":5.0,"variance":0.25,"variance_population":0.25,"variance_sampling":0.5,"std_deviation":0.5,"std_deviation_population":0.5,"std_deviation_sampling":0.7071067811865476,
					"std_deviation_bounds":{"upper":2.5,"lower":0.5,"upper_population":2.5,"lower_population":0.5,"upper_sampling":2.914213562373095,"lower_sampling":0.08578643762690485}}}]}`},
	})
}

func TestPercentiles(t *testing.T) {
	checkTable(t, metricsData, []aggCase{
		{"the default percents", "", `"a":{"percentiles":{"field":"Data.n"}}`, `"a":{"values":{"1.0":1.0,"5.0":1.0,"25.0":1.5,"50.0":2.5,"75.0":6.5,"95.0":10.0,"99.0":10.0}}`},
		{"one value", `{"term":{"Data.n":10}}`, `"a":{"percentiles":{"field":"Data.n","percents":[0,50,100]}}`, `"a":{"values":{"0.0":10.0,"50.0":10.0,"100.0":10.0}}`},
		{"not keyed", "", `"a":{"percentiles":{"field":"Data.x","percents":[50],"keyed":false,"format":"0.00"}}`, `"a":{"values":[{"key":50.0,"value":1.0,"value_as_string":"1.00"}]}`},
		{"missing", "", `"a":{"percentiles":{"field":"Data.n","percents":[50],"missing":100}}`, `"a":{"values":{"50.0":3.0}}`},
		{"by hdr, the upper end of equal numbers of two digits", "", `"a":{"percentiles":{"field":"Data.w","percents":[50,100],"hdr":{"number_of_significant_value_digits":2}}}`, `"a":{"values":{"50.0":2.0078125,"100.0":3.0078125}}`},
		{"nothing", `{"match_none":{}}`, `"a":{"percentiles":{"field":"Data.n","percents":[1]}}`, `"a":{"values":{"1.0":null}}`},
		{"inside of buckets", "", `"a":{"terms":{"field":"Data.k.keyword","order":{"p.50":"asc"}},"aggs":{"p":{"percentiles":{"field":"Data.n","percents":[50]}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2,"p":{"values":{"50.0":2.0}}},{"key":"b","doc_count":1,"p":{"values":{"50.0":2.5}}}]}`},
		{"ranks", "", `"a":{"percentile_ranks":{"field":"Data.n","values":[0,0.75,2,5,10,14]}}`, `"a":{"values":{"0.0":0.0,"0.75":6.25,"2.0":37.5,"5.0":65.625,"10.0":100.0,"14.0":100.0}}`},
		{"ranks among one value, not keyed", `{"term":{"Data.n":10}}`, `"a":{"percentile_ranks":{"field":"Data.n","values":[9,10],"keyed":false}}`, `"a":{"values":[{"key":9.0,"value":0.0},{"key":10.0,"value":100.0}]}`},
		{"ranks of nothing", `{"match_none":{}}`, `"a":{"percentile_ranks":{"field":"Data.n","values":[9]}}`, `"a":{"values":{"9.0":null}}`},
		{"median of deviations", "", `"a":{"median_absolute_deviation":{"field":"Data.n"}},"b":{"median_absolute_deviation":{"field":"Data.n","missing":2}},"c":{"median_absolute_deviation":{"field":"Data.nope"}}`,
			`"a":{"value":1.0},"b":{"value":1.0},"c":{"value":null}`},
	})
}

func TestWeightedAvg(t *testing.T) {
	checkTable(t, metricsData, []aggCase{
		{"each value of an item has its weight", "", `"a":{"weighted_avg":{"value":{"field":"Data.n"},"weight":{"field":"Data.w"}}}`, `"a":{"value":5.285714285714286}`},
		{"missing weights", "", `"a":{"weighted_avg":{"value":{"field":"Data.x"},"weight":{"field":"Data.w","missing":1}}}`, `"a":{"value":1.35}`},
		{"missing values and weights", "", `"a":{"weighted_avg":{"value":{"field":"Data.x","missing":1},"weight":{"field":"Data.w","missing":1},"format":"0.0"}}`, `"a":{"value":1.21875,"value_as_string":"1.2"}`},
		{"no weights", "", `"a":{"weighted_avg":{"value":{"field":"Data.x"},"weight":{"field":"Data.nope"}}}`, `"a":{"value":null}`},
		{"nothing", `{"match_none":{}}`, `"a":{"weighted_avg":{"value":{"field":"Data.n"},"weight":{"field":"Data.w"}}}`, `"a":{"value":null}`},
		{"inside of buckets", "", `"a":{"terms":{"field":"Data.k.keyword"},"aggs":{"w":{"weighted_avg":{"value":{"field":"Data.n"},"weight":{"field":"Data.w"}}}}}`,
			`"a":{` + noOthers + `"buckets":[{"key":"a","doc_count":2,"w":{"value":1.75}},{"key":"b","doc_count":1,"w":{"value":2.5}}]}`},
	})
}
