// This file lists queries of Elasticsearch that do not exist here, with what to use instead.

package body

import (
	"maps"
	"slices"

	"contentedge/edgeserve/engine/query/strictjson"
)

// AbsentQueries returns the sorted names of the queries of Elasticsearch that do not exist here.
func AbsentQueries() []string { return slices.Sorted(maps.Keys(refusedQueries)) }

// AbsentAggregations returns the sorted names of the aggregations of Elasticsearch that do not exist here.
func AbsentAggregations() []string { return slices.Sorted(maps.Keys(aggInstead)) }

// absent refuses a member with the name of a part of Elasticsearch that does not exist here.
func (p *parser) absent(m *strictjson.Value, code, format, name, hint string) {
	if p.err == nil {
		p.fail(m, code, format, name, hint)
		p.err.Absent = name
	}
}

const (
	noObjects   = "objects are not indexed apart from their item, so name their members by path, like Data.author.name"
	noRelations = "items have no parents and children, so query a path that holds the other item's id"
	noPlaces    = "geographic fields are not supported: query the numbers of a place by range"
	scriptless  = "scripts do not run here, so"
)

var refusedQueries = map[string]string{
	"nested":           noObjects,
	"has_child":        noRelations,
	"has_parent":       noRelations,
	"parent_id":        noRelations,
	"geo_bounding_box": noPlaces,
	"geo_distance":     noPlaces,
	"geo_polygon":      noPlaces,
	"geo_shape":        noPlaces,
	"shape":            noPlaces,
	"script":           scriptless + " say the condition as a bool of ranges and terms",
	"script_score":     scriptless + " use function_score with field_value_factor or a decay",
	"percolate":        "queries are not stored, so search with the query itself",
	"rank_feature":     "use distance_feature, or function_score with field_value_factor",
	"rank_features":    "use function_score with field_value_factor",
	"pinned":           "use a bool whose should is ids with a high boost",
	"common":           "use match, which skips frequent words of no weight by itself",
	"type":             "items have one type, so use match_all",
}
