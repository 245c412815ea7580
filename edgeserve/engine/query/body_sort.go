// This file parses the sort of a body.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

func (p *bodyParser) sortMember(b *Body, m *value) { b.Sort = p.sort(m) }

func (p *bodyParser) trackScores(b *Body, m *value) {
	b.TrackScores = p.bool(m)
	b.Hits = b.Hits || b.TrackScores
}

func (p *bodyParser) sort(v *value) []SortKey {
	var keys []SortKey
	p.each(v, func(e *value) {
		switch e.kind {
		case kindString:
			keys = append(keys, SortKey{Field: p.fieldName(e), Asc: e.text != scoreKey})
		case kindObject:
			for i := range e.items {
				keys = append(keys, p.sortKey(&e.items[i]))
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

func (p *bodyParser) sortKey(m *value) SortKey {
	k := SortKey{Field: m.name, Asc: m.name != scoreKey}
	if m.name == "" {
		p.fail(m, problem.BadSort, "a sort key needs the name of a field")
	}
	if why := refusedKeys[m.name]; why != "" {
		p.fail(m, problem.BadSort, "the sort key %s is not supported, as %s", m.name, why)
	}
	if m.kind != kindObject {
		k.Asc = p.ascending(m)
		return k
	}
	for i := range m.items {
		p.sortOption(&k, &m.items[i])
	}
	return k
}

// The values that sort options may have.
var (
	sortModes     = strings.Fields("min max sum avg median")
	numericTypes  = strings.Fields("long double date date_nanos")
	unmappedTypes = strings.Fields("keyword long integer short byte double float half_float date date_nanos boolean ip")
)

func (p *bodyParser) sortOption(k *SortKey, o *value) {
	switch {
	case o.name == "order":
		k.Asc = p.ascending(o)
	case k.Field == scoreKey:
		p.fail(o, problem.UnknownOption, "unknown option %q of the sort key _score; known options: order", clip(o.name))
	case o.name == "missing":
		k.Missing = p.missing(o)
	case o.name == "mode":
		k.Mode = p.word(o, sortModes)
	case o.name == "unmapped_type":
		k.Unmapped = p.text(o)
	case o.name == "numeric_type":
		k.NumericType = p.word(o, numericTypes)
	case strings.HasPrefix(o.name, "nested"):
		p.fail(o, problem.UnknownOption, "the option %s of a sort key is not supported, as there are no nested documents: leave it out", clip(o.name))
	default:
		p.fail(o, problem.UnknownOption, "unknown option %q of a sort key; known options: order, missing, mode, unmapped_type, numeric_type", clip(o.name))
	}
}

// missing parses what stands for items without a value; nil is _last.
func (p *bodyParser) missing(o *value) *Value {
	if o.kind == kindNull || o.kind == kindString && o.text == "_last" {
		return nil
	}
	return new(p.scalar(o))
}

// word parses one of several words, in any case.
func (p *bodyParser) word(v *value, words []string) string {
	word := strings.ToLower(p.text(v))
	if !slices.Contains(words, word) {
		p.wrongValue(v, "one of "+strings.Join(words, ", "))
	}
	return word
}

// ByScore reports whether the only sort key is the score.
func (b *Body) ByScore() bool { return len(b.Sort) == 1 && b.Sort[0].Field == "_score" }

// DropScoreSort drops a sort by the best scores, which Elasticsearch takes for no sort.
func (b *Body) DropScoreSort() {
	if b.ByScore() && !b.Sort[0].Asc {
		b.Sort = nil
	}
}

// CheckUnmapped reports whether a field that no item has can be sorted as a type.
func CheckUnmapped(typ string) error {
	if slices.Contains(unmappedTypes, typ) {
		return nil
	}
	return &Error{Code: problem.BadSort, Parameter: "sort", Position: -1, Message: "no field can be sorted by as the unmapped_type " + quote(clip(typ)) + "; known types: " + strings.Join(unmappedTypes, ", ")}
}

func (p *bodyParser) ascending(v *value) bool { return p.either(v, v.text, "asc", "desc") }
