// This file parses the sort of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strings"
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

// refusedKeys are sort keys of Elasticsearch that are not supported.
var refusedKeys = map[string]string{
	"_script":       "there are no scripts: sort by a field",
	"_geo_distance": "there are no geo points: sort by a field",
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
		k.Asc = parseAscending(p, m)
		return k
	}
	for i := range m.Items {
		parseSortOption(p, &k, &m.Items[i])
	}
	return k
}

// The values that sort options may have.
var (
	sortModes    = strings.Fields("min max sum avg median")
	numericTypes = strings.Fields("long double date date_nanos")
)

func parseSortOption(p *parser, k *query.SortKey, o *strictjson.Value) {
	switch {
	case o.Name == "order":
		k.Asc = parseAscending(p, o)
	case k.Field == scoreKey:
		p.fail(o, problem.UnknownOption, "unknown option %q of the sort key _score; known options: order", strictjson.Clip(o.Name))
	case o.Name == "missing":
		k.Missing = parseMissing(p, o)
	case o.Name == "mode":
		k.Mode = p.word(o, sortModes)
	case o.Name == "unmapped_type":
		k.Unmapped = p.text(o)
	case o.Name == "numeric_type":
		k.NumericType = p.word(o, numericTypes)
	case strings.HasPrefix(o.Name, "nested"):
		p.fail(o, problem.UnknownOption, "the option %s of a sort key is not supported, as there are no nested documents: leave it out", strictjson.Clip(o.Name))
	default:
		p.fail(o, problem.UnknownOption, "unknown option %q of a sort key; known options: order, missing, mode, unmapped_type, numeric_type", strictjson.Clip(o.Name))
	}
}

// missing parses what stands for items without a value; nil is _last.
func parseMissing(p *parser, o *strictjson.Value) *query.Value {
	if o.Kind == strictjson.Null || o.Kind == strictjson.String && o.Text == "_last" {
		return nil
	}
	return new(p.scalar(o))
}

// word parses one of several words, in any case.
func (p *parser) word(v *strictjson.Value, words []string) string {
	word := strings.ToLower(p.text(v))
	if !slices.Contains(words, word) {
		p.wrongValue(v, "one of "+strings.Join(words, ", "))
	}
	return word
}

func parseAscending(p *parser, v *strictjson.Value) bool { return p.either(v, v.Text, "asc", "desc") }
