// This file translates aggregations and suggestions.

package translate

import (
	"encoding/json"
	"maps"
	"strconv"

	"contentedge/edgeserve/engine/cluster/layout"
)

const (
	// allTerms is how many terms significant_terms looks at: all, or it chooses a few before it looks at min_doc_count.
	allTerms = 65536
	// mostCounted is up to which number of distinct values a cluster keeps their hashes. No engine takes more.
	mostCounted = 40000
	// shardTerms is how many terms of each shard are compared. Counts are exact if no shard has more: a response says
	// so with a doc_count_error_upper_bound of 0.
	shardTerms = 16384
	// compression of digests makes percentiles of some thousand values exact. With the default compression OpenSearch
	// estimates them, and differently each time. Inside buckets, which may be many, a digest keeps its default.
	compression        = 1000
	defaultCompression = 100
)

// aggs translates named aggregations. query is the query of the body, which marks hits of buckets.
func (t *translator) aggs(v any, query any) any {
	named, ok := v.(object)
	if !ok {
		return v
	}
	out := object{}
	for name, agg := range named {
		of, ok := agg.(object)
		if !ok {
			out[name] = agg
			continue
		}
		all := object{}
		for kind, options := range of {
			switch kind {
			case "aggs", "aggregations":
				t.inBuckets++
				all[kind] = t.aggs(options, query)
				t.inBuckets--
			case "meta":
				all[kind] = options
			default:
				all[kind] = t.agg(kind, options, query)
			}
		}
		out[name] = all
	}
	return out
}

// agg translates the options of an aggregation of a kind.
func (t *translator) agg(kind string, v any, query any) any {
	if kind == "filter" {
		return t.query(v)
	}
	o, ok := v.(object)
	if !ok {
		return v
	}
	switch kind {
	case "top_hits":
		if query == nil {
			query = object{"match_all": object{}}
		}
		return t.hits(o, query)
	case "filters", "adjacency_matrix":
		return t.filters(o)
	case "composite":
		return t.composite(o)
	case "weighted_avg":
		o = maps.Clone(o)
		o["value"], o["weight"] = t.counted(o["value"]), t.counted(o["weight"])
		return o
	}
	field, _ := o["field"].(string)
	if value, ok := t.shared(field); ok && kind != "significant_terms" {
		o = maps.Clone(o)
		o["field"], o["missing"] = layout.None, value
		return o
	}
	if kind == "significant_terms" { // it looks for terms, which a copy of the values lacks, and counts items
		o = maps.Clone(o)
		o["field"] = t.value(field)
	} else {
		o = t.counted(o).(object)
	}
	switch kind {
	case "percentiles", "percentile_ranks":
		if o["hdr"] == nil && t.inBuckets == 0 && !t.x.Compared {
			o["tdigest"] = object{"compression": compression}
		}
	case "cardinality":
		if _, ok := o["precision_threshold"]; !ok {
			o["precision_threshold"] = mostCounted
		}
	case "significant_terms":
		o["shard_size"] = allTerms
		if of, ok := o["background_filter"]; ok {
			o["background_filter"] = t.query(of)
		}
	case "terms":
		if t.x.Shards > 1 && !t.x.Compared {
			o["shard_size"] = max(shardTerms, 2*number(o["size"]))
		}
	}
	return o
}

// counted translates the field whose values are counted.
func (t *translator) counted(of any) any {
	o, ok := of.(object)
	if !ok {
		return of
	}
	o = maps.Clone(o)
	if field, ok := o["field"].(string); ok {
		o["field"] = t.docValue(field)
	}
	return o
}

// number is the integer of a member, or 0.
func number(v any) int {
	text, _ := v.(json.Number)
	n, _ := strconv.Atoi(string(text))
	return n
}

// filters translates named filters, or a list of filters.
func (t *translator) filters(o object) object {
	o = maps.Clone(o)
	switch of := o["filters"].(type) {
	case object:
		named := object{}
		for name, filter := range of {
			named[name] = t.query(filter)
		}
		o["filters"] = named
	case []any:
		o["filters"] = t.query(of)
	}
	return o
}

// composite translates the sources of a composite.
func (t *translator) composite(o object) object {
	list, ok := o["sources"].([]any)
	if !ok {
		return o
	}
	o = maps.Clone(o)
	sources := make([]any, len(list))
	for i, source := range list {
		sources[i] = ofKinds(source, t.counted)
	}
	o["sources"] = sources
	return o
}

// suggest translates named suggestions.
func (t *translator) suggest(v any) any { return ofKinds(v, t.suggester) }

// ofKinds returns named objects whose members are kinds, with the options of each kind changed.
func ofKinds(v any, change func(options any) any) any {
	named, ok := v.(object)
	if !ok {
		return v
	}
	out := object{}
	for name, of := range named {
		if kinds, ok := of.(object); ok {
			all := object{}
			for kind, options := range kinds {
				all[kind] = change(options)
			}
			of = all
		}
		out[name] = of
	}
	return out
}

// suggester translates the options of a suggester, whose words may come from other fields.
func (t *translator) suggester(options any) any {
	o, ok := t.named(options, "field").(object)
	if !ok {
		return options
	}
	if list, ok := o["direct_generator"].([]any); ok {
		out := make([]any, len(list))
		for i, generator := range list {
			out[i] = t.named(generator, "field")
		}
		o["direct_generator"] = out
	}
	return o
}
