// This file makes the random aggregation of a body that is not about aggregations.

package searchtest

import "strings"

// metrics is an aggregation that suits a field; nil where none does.
func (a *asker) metrics(f string) object {
	c := object{"field": f}
	number := a.kinds[f] == onNumber
	switch a.IntN(6) {
	case 0:
		if !number && a.kinds[f] != onDate {
			return nil
		}
		option(a, c, 2, "percents", []any{50}, []any{1, 33.3, 99.9}, []any{10})
		option(a, c, 3, "keyed", false)
		option(a, c, 3, "missing", 3)
		if number {
			option(a, c, 3, "format", "0.00", "#,##0.#")
		}
		return object{"percentiles": c}
	case 1:
		if !number {
			return nil
		}
		c["values"] = []any{a.IntN(10), 100}
		return object{"percentile_ranks": c}
	case 2:
		if !number && a.kinds[f] != onBool {
			return nil
		}
		option(a, c, 2, "sigma", 0, 1.5, 3)
		return object{"extended_stats": c}
	case 3:
		if !number {
			return nil
		}
		return object{"weighted_avg": object{"value": c, "weight": object{"field": "CreatedAt"}}}
	case 4:
		if a.kinds[f] != onKeyword && a.kinds[f] != onBool {
			return nil
		}
		c["min_doc_count"] = 1 + a.IntN(3)
		option(a, c, 2, "size", 3, 5)
		option(a, c, 2, pick(a.Rand, []string{"gnd", "percentage", "jlh"}), object{})
		option(a, c, 4, "mutual_information", object{"include_negatives": true})
		return object{"significant_terms": c}
	}
	hits := object{"size": 1 + a.IntN(4), "_source": false}
	option(a, hits, 3, "from", 1, 2)
	option(a, hits, 2, "sort", []any{object{"CreatedAt": "asc"}, "_score", object{"ContentID.keyword": "asc"}}, []any{"_score", object{"CreatedAt": "desc"}, object{"ContentID.keyword": "asc"}})
	option(a, hits, 3, "track_scores", true)
	a.inside(hits)
	return object{"terms": object{"field": "TemplateName.keyword"}, "aggs": object{"h": object{"top_hits": hits}}}
}

// aggs is an aggregation that suits a field of any kind but text.
func (a *asker) aggs() object {
	f := pick(a.Rand, append(a.typed, "_id", "_index", "_seq_no", "Name.keyword", "Data.nope.long"))
	if words := a.field(); a.kinds[words] == onKeyword && a.oneIn(2) {
		f = words
	}
	if a.oneIn(2) {
		if m := a.metrics(f); m != nil {
			return object{"a": m}
		}
	}
	kinds := []string{"terms", "cardinality", "value_count"}
	switch a.kinds[f] {
	case onDate:
		kinds = append(kinds, "date_histogram", "max")
	case onNumber:
		kinds = append(kinds, "stats", "sum", "min")
	case onBool:
		kinds = append(kinds, "avg")
	}
	if strings.HasSuffix(f, "edAt") { // one date of each item: Elasticsearch counts further ones again
		kinds = append(kinds, "auto_date_histogram")
	}
	kind := pick(a.Rand, kinds)
	c := object{"field": f}
	switch kind {
	case "date_histogram":
		c["calendar_interval"], c["min_doc_count"] = "year", 1
	case "auto_date_histogram":
		option(a, c, 1, "buckets", 1, 2, 3, 5, 10, 20, 50, 150, 500)
		option(a, c, 2, "minimum_interval", "second", "minute", "hour", "day", "month")
		option(a, c, 2, "time_zone", "Europe/Berlin", "America/New_York", "+05:30")
	}
	return object{"a": object{kind: c}}
}
