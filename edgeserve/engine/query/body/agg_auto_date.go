// This file parses auto_date_histogram, which chooses its interval.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

// autoUnits are the values of minimum_interval. most is how many such intervals a bucket may span.
var autoUnits = []struct {
	name string
	most int
}{{"second", 30}, {"minute", 30}, {"hour", 12}, {"day", 7}, {"month", 3}, {"year", 1}}

const (
	autoBuckets       = 10    // the default of the option buckets
	maxBucketsOfShard = 65535 // Elasticsearch's search.max_buckets
)

// The limit of buckets depends on the interval, so finishAutoDates parses buckets.
var autoDateOptions = []option[query.Agg]{
	aggField.must(),
	noEffect[query.Agg]("buckets", func(*parser, *strictjson.Value) {}),
	{"minimum_interval", optional, func(p *parser, a *query.Agg, v *strictjson.Value) {
		if v.Kind == strictjson.Null {
			return
		}
		if a.Buckets.Interval = p.text(v); mostBuckets(a.Buckets.Interval) == 0 {
			var names []string
			for _, u := range autoUnits {
				names = append(names, u.name)
			}
			p.wrongValue(v, "one of "+strings.Join(names, ", "))
		}
	}},
	aggFormat,
	aggMissing,
	aggTimeZone,
}

func beginAutoDates(a *query.Agg) { a.Buckets.Size, a.Buckets.Interval = autoBuckets, "second" }

func finishAutoDates(p *parser, a *query.Agg, v *strictjson.Value) {
	if buckets := v.Member("buckets"); buckets != nil {
		a.Buckets.Size = p.between(buckets, 1, mostBuckets(a.Buckets.Interval))
	}
}

// mostBuckets returns the greatest number of buckets for a minimum_interval, or 0 if the interval is unknown.
func mostBuckets(interval string) int {
	for _, u := range autoUnits {
		if u.name == interval {
			return maxBucketsOfShard / u.most
		}
	}
	return 0
}
