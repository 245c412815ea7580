// This file describes the body of a search. The names of members, queries, aggregations and their options come from the
// tables of package body. Where an option may have values of many forms, the schema allows any: the pages of the query
// language say more than a schema can.

package openapi

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/wire/address"
)

// onField are the queries whose only member is a field, which holds the options, or the value of the first option. The
// options of other queries are in the query itself.
var onField = map[string]bool{
	"fuzzy": true, "intervals": true, "match": true, "match_bool_prefix": true, "match_phrase": true, "match_phrase_prefix": true,
	"prefix": true, "range": true, "regexp": true, "span_term": true, "term": true, "terms_set": true, "wildcard": true,
}

// besideField are the queries that hold a field next to their options.
var besideField = map[string]bool{"terms": true}

// clauses are options that hold queries: one, or also several.
var (
	oneQuery    = schema("Query")
	someQueries = object{{"anyOf", []any{oneQuery, arrayOf(oneQuery)}}}
)

// queryOptions are the schemas of options that have the same form in every query.
var queryOptions = map[string]object{
	"must": someQueries, "filter": someQueries, "should": someQueries, "must_not": someQueries, "queries": someQueries,
	"positive": oneQuery, "negative": oneQuery,
	"fields": {{"anyOf", []any{texts, text}}}, "default_field": text, "_name": text,
}

// bodyMembers are the schemas of members of a body. Members without one hold what the page of the query language says.
var bodyMembers = map[string]object{
	"query": oneQuery, "post_filter": oneQuery,
	"aggs": schema("AggregationRequests"), "aggregations": schema("AggregationRequests"),
	"sort":      described(anything, "A field, `{\"field\":\"asc\"}`, `{\"field\":{…}}` with options, or an array of them"),
	"_source":   described(anything, "`true`, `false`, a path or a pattern, an array of them, or `{\"includes\":…,\"excludes\":…}`"),
	"highlight": described(anObject, "The fields in whose texts matches are marked"),
	"suggest":   described(anObject, "Named suggestions"),
	"collapse":  described(anObject, "`{\"field\":…}`: the first hit of each value"),
	"from":      described(anything, "How many hits come before the first one of the page"),
	"size":      described(anything, "How many hits a page has; 10 unless given"),
}

func searchSchemas() object {
	return object{
		{"SearchBody", described(object{{"type", []string{"object", "null"}}, {"properties", membersOfBody()}, {"additionalProperties", false}, {"example", object{
			{"size", 2}, {"_source", address.FieldName}, {"query", object{{"match", object{{"Data.title", "bread"}}}}},
		}}}, "A search body of Elasticsearch 7. The node accepts more than this schema can say, and refuses some of what it allows: a 400 names the place and what is known there.")},
		{"Query", described(object{{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"properties", queries()}, {"additionalProperties", false}}, "One query: its type, and in that its options.")},
		{"AggregationRequests", described(object{{"type", "object"}, {"additionalProperties", schema("AggregationRequest")}}, "Aggregations by names of the client's choice.")},
		{"AggregationRequest", described(object{{"type", "object"}, {"properties", aggregations()}, {"additionalProperties", false}}, "One type of aggregation, and next to it aggregations of its buckets.")},
		{"Aggregations", described(object{{"type", "object"}, {"additionalProperties", anObject}}, "The results of aggregations by the names of the request, in the form of Elasticsearch.")},
		{"Suggestions", described(object{{"type", "object"}, {"additionalProperties", arrayOf(anObject)}}, "Suggestions by the names of the request, in the form of Elasticsearch.")},
		{"Hit", hitSchema()},
	}
}

// hitSchema describes the members of a hit other than its item.
func hitSchema() object {
	return structure(object{
		{"_index", text}, {"_type", text}, {"_id", text}, {"_score", object{{"type", []string{"number", "null"}}}},
		{"_source", schema("PartialItem")},
		{"highlight", described(object{{"type", "object"}, {"additionalProperties", texts}}, "Fragments of texts by field, with matches marked")},
		{"sort", arrayOf(anything)},
		{"fields", object{{"type", "object"}, {"additionalProperties", arrayOf(anything)}}},
		{"matched_queries", texts},
		{"inner_hits", object{{"type", "object"}, {"additionalProperties", anObject}}},
		{"_explanation", anObject}, {"_version", integer}, {"_seq_no", integer}, {"_primary_term", integer},
	})
}

func membersOfBody() (all object) {
	for _, name := range body.Members() {
		of, ok := bodyMembers[name]
		if !ok {
			of = anything
		}
		all = append(all, member{name, of})
	}
	return all
}

func queries() (all object) {
	for _, name := range body.Types() {
		options := optionsOf(name)
		switch {
		case onField[name]:
			value := object{{"anyOf", []any{options, object{{"type", []string{"string", "number", "boolean"}}}}}}
			options = object{{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", value}}
		case besideField[name]:
			options = options.with("additionalProperties", object{{"anyOf", []any{arrayOf(anything), anObject}}})
		}
		all = append(all, member{name, options})
	}
	return all
}

func optionsOf(name string) object {
	var members object
	for _, option := range body.QueryOptions(name) {
		of, ok := queryOptions[option]
		if !ok || strings.HasPrefix(name, "span_") || name == "field_masking_span" || name == "intervals" {
			of = anything
		}
		members = append(members, member{option, of})
	}
	return structure(members)
}

func aggregations() (all object) {
	for _, kind := range query.AggKinds() {
		of := oneQuery
		if kind != query.AggFilter { // whose value is a query
			var members object
			for _, option := range body.AggOptions(kind) {
				members = append(members, member{option, anything})
			}
			of = structure(members)
		}
		all = append(all, member{string(kind), of})
	}
	for _, name := range []string{"aggs", "aggregations"} {
		all = append(all, member{name, schema("AggregationRequests")})
	}
	return append(all, member{"meta", anObject})
}
