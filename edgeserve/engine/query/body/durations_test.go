package body

import "testing"

// Durations have a unit, as in Elasticsearch 7.10.2; a JSON number is milliseconds where it takes one.
func TestDurations(t *testing.T) {
	for options, ok := range map[string]bool{
		`"fixed_interval":"1d"`: true, `"fixed_interval":"90m"`: true, `"fixed_interval":" 1 D "`: true, `"fixed_interval":"86400000000nanos"`: true,
		`"fixed_interval":"1"`: false, `"fixed_interval":"1000"`: false, `"fixed_interval":86400000`: false, `"fixed_interval":"0d"`: false,
		`"fixed_interval":"1M"`: false, `"fixed_interval":"1.5d"`: false, `"fixed_interval":"1micros"`: false, `"fixed_interval":"d"`: false,
		`"fixed_interval":""`: false, `"fixed_interval":"1w"`: false,
		`"interval":86400000`: true, `"interval":"1M"`: true, `"interval":"2d"`: true, `"interval":"1"`: false, `"interval":"1000"`: false, `"interval":0`: false,
		`"interval":"1d","offset":1`: true, `"interval":"1d","offset":-1`: true, `"interval":"1d","offset":"-6h"`: true, `"interval":"1d","offset":"0"`: true,
		`"interval":"1d","offset":"-0"`: true, `"interval":"1d","offset":"1micros"`: true, `"interval":"1d","offset":"1"`: false, `"interval":"1d","offset":"-1"`: false,
		`"interval":"1d","offset":"+6"`: false, `"interval":"1d","offset":"h"`: false,
	} {
		for _, agg := range []string{`{"date_histogram":{"field":"F",` + options + `}}`, `{"composite":{"sources":[{"k":{"date_histogram":{"field":"F",` + options + `}}}]}}`} {
			if _, err := Parse([]byte(`{"aggs":{"a":` + agg + `}}`)); (err == nil) != ok {
				t.Errorf("%s: %v", agg, err)
			}
		}
	}
}
