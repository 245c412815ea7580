// This file tests how aggregations of numbers are parsed, and prints their options.

package body

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func (o object) plain(name string, f float64) object {
	return o.raw(name, strconv.FormatFloat(f, 'f', -1, 64))
}

func printExtendedStats(s *query.ExtendedStats, o object) object { return o.plain("sigma", s.Sigma) }

func printPercentiles(s *query.Percentiles, o object) object {
	var list []string
	for _, f := range s.At {
		list = append(list, strconv.FormatFloat(f, 'f', -1, 64))
	}
	name := "percents"
	if s.Ranks {
		name = "values"
	}
	o = o.raw(name, "["+strings.Join(list, ",")+"]")
	if s.List {
		o = o.raw("keyed", "false")
	}
	if s.HDR {
		o = o.raw("hdr", `{"number_of_significant_value_digits":`+strconv.Itoa(s.Digits)+"}")
	}
	return o
}

func printWeightedAvg(w *query.WeightedAvg, o object) object {
	return o.raw("value", printOperand(w.Value)).raw("weight", printOperand(w.Weight))
}

func printOperand(o query.Operand) string {
	return object(nil).text("field", o.Field).value("missing", o.Missing).done()
}

func TestMetricAggs(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"extended_stats":{"field":"F"}`, `"extended_stats":{"field":"F","sigma":2}`},
		{`"extended_stats":{"field":"F","sigma":"0.5","missing":1,"format":"0.0"}`, `"extended_stats":{"field":"F","format":"0.0","missing":1,"sigma":0.5}`},
		{`"percentiles":{"field":"F"}`, `"percentiles":{"field":"F","percents":[1,5,25,50,75,95,99]}`},
		{`"percentiles":{"field":"F","percents":["50",12.5,100],"keyed":false,"tdigest":{"compression":200}}`, `"percentiles":{"field":"F","percents":[12.5,50,100],"keyed":false}`},
		{`"percentiles":{"field":"F","percents":50,"hdr":{}}`, `"percentiles":{"field":"F","percents":[50],"hdr":{"number_of_significant_value_digits":3}}`},
		{`"percentile_ranks":{"field":"F","values":[3,-1],"keyed":true,"tdigest":{}}`, `"percentile_ranks":{"field":"F","values":[-1,3]}`},
		{`"percentile_ranks":{"field":"F","values":3,"hdr":{"number_of_significant_value_digits":0}}`, `"percentile_ranks":{"field":"F","values":[3],"hdr":{"number_of_significant_value_digits":0}}`},
		{`"median_absolute_deviation":{"field":"F","compression":10}`, `"median_absolute_deviation":{"field":"F"}`},
		{`"weighted_avg":{"value":{"field":"F","missing":2},"weight":{"field":"G"},"format":"0"}`, `"weighted_avg":{"format":"0","value":{"field":"F","missing":2},"weight":{"field":"G"}}`},
		{`"sum":{"field":"F","value_type":"date","missing":"2020"}`, `"sum":{"field":"F","missing":"2020","value_type":"date"}`},
	} {
		checkBody(t, `{"aggs":{"x":{`+c.in+`}}}`, `{"aggs":{"x":{`+c.want+`}}}`)
	}
	for _, order := range []string{"p.50", "p.50.0", "p[50.0]", "p.99.9", "e.std_deviation", "e.sum_of_squares", "e.std_upper_sampling", "m", "m.value", "w"} {
		in := `{"aggs":{"x":{"terms":{"field":"F","order":{"` + order + `":"asc"}},"aggs":{"p":{"percentiles":{"field":"F","percents":[50,99.9]}},"e":{"extended_stats":{"field":"F"}},"m":{"median_absolute_deviation":{"field":"F"}},"w":{"weighted_avg":{"value":{"field":"F"},"weight":{"field":"F"}}}}}}}`
		if _, err := Parse([]byte(in)); err != nil {
			t.Errorf("%s: %v", order, err)
		}
	}
}

func TestMetricAggErrors(t *testing.T) {
	for _, c := range []struct{ in, code, at, want string }{
		{`"extended_stats":{"field":"F","sigma":-1}`, problem.BadAggregation, "extended_stats.sigma", "must be a number from 0, not -1"},
		{`"percentiles":{"field":"F","percents":[]}`, problem.BadAggregation, "percentiles.percents", "a non-empty array of numbers"},
		{`"percentiles":{"field":"F","percents":[101]}`, problem.BadAggregation, "percentiles.percents[0]", "from 0 to 100, not 101"},
		{`"percentiles":{"field":"F","percents":["x"]}`, problem.BadAggregation, "percentiles.percents[0]", "must be a number"},
		{`"percentiles":{"field":"F","values":[1]}`, problem.UnknownOption, "percentiles.values", "known options: field, missing, format, value_type, percents, keyed, tdigest, hdr"},
		{`"percentiles":{"field":"F","tdigest":{},"hdr":{}}`, problem.BadAggregation, "percentiles", "give only one"},
		{`"percentiles":{"field":"F","tdigest":{"compression":-1}}`, problem.BadAggregation, "percentiles.tdigest.compression", "from 0"},
		{`"percentiles":{"field":"F","tdigest":{"x":1}}`, problem.UnknownOption, "percentiles.tdigest.x", "known options: compression"},
		{`"percentiles":{"field":"F","hdr":{"number_of_significant_value_digits":6}}`, problem.BadAggregation, "percentiles.hdr.number_of_significant_value_digits", "from 0 to 5"},
		{`"percentiles":{"field":"F","percents":[` + strings.Repeat("1,", 1000) + `1]}`, problem.TooManyClauses, "percentiles.percents", "at most 1000"},
		{`"percentile_ranks":{"field":"F"}`, problem.BadAggregation, "percentile_ranks", `needs "values"`},
		{`"percentile_ranks":{"field":"F","values":[-1],"hdr":{}}`, problem.BadAggregation, "percentile_ranks", "use tdigest"},
		{`"median_absolute_deviation":{"field":"F","compression":0}`, problem.BadAggregation, "median_absolute_deviation.compression", "above 0"},
		{`"weighted_avg":{"value":{"field":"F"}}`, problem.BadAggregation, "weighted_avg", `needs "weight"`},
		{`"weighted_avg":{"value":{"missing":1},"weight":{"field":"F"}}`, problem.BadAggregation, "weighted_avg.value", `needs "field"`},
		{`"weighted_avg":{"value":{"script":"1"},"weight":{"field":"F"}}`, problem.UnknownOption, "weighted_avg.value.script", "scripts are not supported"},
		{`"weighted_avg":{"value":{"field":"F","x":1},"weight":{"field":"F"}}`, problem.UnknownOption, "weighted_avg.value.x", "known options: field, missing"},
		{`"sum":{"field":"F","value_type":"ip"}`, problem.BadAggregation, "sum.value_type", "one of string"},
		{`"terms":{"field":"F","order":{"p.51":"asc"}},"aggs":{"p":{"percentiles":{"field":"F"}}}`, problem.BadAggregation, "terms.order.p.51", "cannot order buckets"},
	} {
		_, err := Parse([]byte(`{"aggs":{"x":{` + c.in + `}}}`))
		var e *query.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Parameter != "aggs.x."+c.at || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %#v", c.in, err)
		}
	}
}
