// This file says what to use instead of the aggregation types that are not supported.

package body

// aggInstead maps the aggregation types of Elasticsearch that are not supported to what to use instead.
var aggInstead = map[string]string{
	"scripted_metric": scriptInstead,
	"geo_bounds":      geoInstead, "geo_centroid": geoInstead, "geo_distance": geoInstead, "geohash_grid": geoInstead, "geotile_grid": geoInstead,
	"nested": flatInstead, "reverse_nested": flatInstead, "children": flatInstead, "parent": flatInstead,
	"boxplot": "use percentiles with 0, 25, 50, 75 and 100", "string_stats": "use cardinality and terms", "t_test": "use extended_stats of both groups",
	"matrix_stats": "use extended_stats of each field", "top_metrics": "use top_hits with a sort, a size and _source", "rate": "use date_histogram",
	"significant_text": "use significant_terms on a keyword field", "diversified_sampler": "use sampler, or terms with top_hits inside",
	"ip_range":   "use filters",
	"moving_avg": responseInstead, "moving_fn": responseInstead, "normalize": responseInstead, "cumulative_cardinality": responseInstead,
	"inference": responseInstead, "variable_width_histogram": "use histogram", "multi_terms": "use composite, or terms inside of terms",
}

const (
	responseInstead = "compute it from the buckets of the response"
	scriptInstead   = "scripts are not supported: write the values into the items, and use sum, stats or terms on them"
	geoInstead      = "geo points are not supported: use range or histogram on fields of numbers"
	flatInstead     = "items are flat: name the path of a field, and use filter where others are excluded"
)
