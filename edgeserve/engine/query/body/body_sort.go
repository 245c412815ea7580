// This file parses the sort of a body.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

func parseSortMember(p *parser, b *query.Body, m *strictjson.Value) { b.Order.Keys = parseSort(p, m) }

func parseTrackScores(p *parser, b *query.Body, m *strictjson.Value) {
	b.Order.TrackScores = p.bool(m)
	b.Show.AsHits = b.Show.AsHits || b.Order.TrackScores
}

func parseSort(p *parser, v *strictjson.Value) []query.SortKey {
	var keys []query.SortKey
	p.each(v, func(e *strictjson.Value) {
		switch e.Kind {
		case strictjson.String:
			keys = append(keys, query.SortKey{Field: p.fieldName(e), Asc: e.Text != scoreKey})
		case strictjson.Object:
			for i := range e.Items {
				keys = append(keys, parseSortKey(p, &e.Items[i]))
			}
		default:
			p.wrongValue(e, `a field name or an object like {"CreatedAt":"desc"}`)
		}
		if len(keys) > maxSortKeys {
			p.fail(e, problem.BadSort, "sort has more than %d keys", maxSortKeys)
		}
	})
	return keys
}

const scoreKey = "_score"

// refusedKeys maps sort keys of Elasticsearch that are not supported to what to use instead.
var refusedKeys = map[string]string{
	"_script":       "scripts are not supported: sort by a field",
	"_geo_distance": "geo points are not supported: sort by a field",
}

func parseSortKey(p *parser, m *strictjson.Value) query.SortKey {
	k := query.SortKey{Field: m.Name, Asc: m.Name != scoreKey}
	if m.Name == "" {
		p.fail(m, problem.BadSort, "a sort key needs the name of a field")
	}
	if why := refusedKeys[m.Name]; why != "" {
		p.fail(m, problem.BadSort, "the sort key %s is not supported, as %s", m.Name, why)
	}
	if m.Kind != strictjson.Object {
		k.Asc = p.ascending(m)
		return k
	}
	if k.Field == scoreKey {
		scoreKeyOptions.parse(p, &k, m)
	} else {
		sortKeyOptions.parse(p, &k, m)
	}
	return k
}

// The values that sort options may have.
var (
	sortModes    = strings.Fields("min max sum avg median")
	numericTypes = strings.Fields("long double date date_nanos")
)

var (
	sortOrder = option[query.SortKey]{"order", optional, func(p *parser, k *query.SortKey, v *strictjson.Value) { k.Asc = p.ascending(v) }}

	scoreKeyOptions = newTable("the sort key _score", []option[query.SortKey]{sortOrder})

	sortKeyOptions = newTable("a sort key", []option[query.SortKey]{
		sortOrder,
		{"missing", optional, func(p *parser, k *query.SortKey, v *strictjson.Value) {
			if v.Kind != strictjson.Null && (v.Kind != strictjson.String || v.Text != "_last") {
				k.Missing = new(p.scalar(v)) // the place of items without a value
			}
		}},
		{"mode", optional, func(p *parser, k *query.SortKey, v *strictjson.Value) { k.Mode = p.word(v, sortModes) }},
		{"unmapped_type", optional, func(p *parser, k *query.SortKey, v *strictjson.Value) { k.Unmapped = p.text(v) }},
		{"numeric_type", optional, func(p *parser, k *query.SortKey, v *strictjson.Value) { k.NumericType = p.word(v, numericTypes) }},
		nestedOption("nested"), nestedOption("nested_path"), nestedOption("nested_filter"),
	})
)

func nestedOption(name string) option[query.SortKey] {
	return option[query.SortKey]{name, unlisted, func(p *parser, _ *query.SortKey, v *strictjson.Value) {
		p.fail(v, problem.UnknownOption, "the option %s of a sort key is not supported, nor are nested documents: leave it out", name)
	}}
}

func (p *parser) ascending(v *strictjson.Value) bool { return p.either(v, v.Text, "asc", "desc") }
