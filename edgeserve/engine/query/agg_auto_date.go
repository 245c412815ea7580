// This file parses histograms of dates that choose their interval.

package query

import "strings"

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

func (p *bodyParser) autoDateHistogramAgg(a *Agg, t *aggType, v *value) {
	a.Size, a.Interval = autoBuckets, "second"
	most := maxBucketsOfShard / 30
	p.aggOptions(a, t, v, func(o *value) bool {
		if o.name != "minimum_interval" {
			return o.name == "buckets"
		}
		if o.kind == kindNull {
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
	if o := v.member("buckets"); o != nil {
		a.Size = p.between(o, 1, most)
	}
}
