// This file parses histograms of dates that choose their interval.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"strings"
)

// autoUnits are the least intervals of auto_date_histogram, each with the most of them in a bucket.
// maxBuckets is what all intervals may be before they become fewer buckets.
var autoUnits = []struct {
	name string
	most int
}{{"second", 30}, {"minute", 30}, {"hour", 12}, {"day", 7}, {"month", 3}, {"year", 1}}

const (
	autoBuckets       = 10    // the default of buckets
	maxBucketsOfShard = 65535 // Elasticsearch's search.max_buckets
)

func parseAutoDateHistogramAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	a.Size, a.Interval = autoBuckets, "second"
	most := maxBucketsOfShard / 30
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		if o.Name != "minimum_interval" {
			return o.Name == "buckets"
		}
		if o.Kind == strictjson.Null {
			return true
		}
		a.Interval = p.text(o)
		var names []string
		for _, u := range autoUnits {
			if names = append(names, u.name); u.name == a.Interval {
				most = maxBucketsOfShard / u.most
				return true
			}
		}
		p.wrongValue(o, "one of "+strings.Join(names, ", "))
		return true
	})
	p.require(v, "field")
	if o := v.Member("buckets"); o != nil {
		a.Size = p.between(o, 1, most)
	}
}
