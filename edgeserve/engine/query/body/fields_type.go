// This file parses the `type` of queries over several fields.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"strings"
)

// tieBreaker is how much of the scores of other than the best field counts, unless a body says it.
func tieBreakerOf(t query.FieldsType) float64 {
	if t == query.MostFields || t == query.BoolPrefix {
		return 1
	}
	return 0
}

func parseFieldsType(p *parser, m *strictjson.Value) query.FieldsType {
	name := p.text(m)
	for i, t := range query.FieldsTypes {
		if name == t || name == strings.ReplaceAll(t, "_", "") || name == camelCase(t) {
			return query.FieldsType(i)
		}
	}
	p.wrongValue(m, "one of "+strings.Join(query.FieldsTypes, ", "))
	return query.BestFields
}

// camelCase is another spelling of a name with underscores.
func camelCase(name string) string {
	first, second, ok := strings.Cut(name, "_")
	if !ok {
		return name
	}
	return first + strings.ToUpper(second[:1]) + second[1:]
}

// tie is the tie breaker that applies: that of the body, or of the type.
func (o *options) tie() float64 {
	if o.tieBreaker == nil {
		return tieBreakerOf(o.fieldsType)
	}
	return *o.tieBreaker
}
