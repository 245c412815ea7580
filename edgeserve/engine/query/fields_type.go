// This file parses the `type` of queries over several fields.

package query

import "strings"

// FieldsType is how a text matches several fields.
type FieldsType uint8

// The types, in the order of error messages.
const (
	BestFields   FieldsType = iota // the best field scores
	MostFields                     // all fields score
	CrossFields                    // a word may be in any field, as common as in the field that has it most
	Phrase                         // best_fields with the words as a phrase
	PhrasePrefix                   // the same, the last word being a prefix
	BoolPrefix                     // most_fields, the last word being a prefix
)

var fieldsTypes = []string{"best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"}

// String returns the type as bodies write it.
func (t FieldsType) String() string { return fieldsTypes[t] }

// tieBreaker is how much of the scores of other than the best field counts, unless a body says it.
func (t FieldsType) tieBreaker() float64 {
	if t == MostFields || t == BoolPrefix {
		return 1
	}
	return 0
}

func (p *bodyParser) fieldsType(m *value) FieldsType {
	name := p.text(m)
	for i, t := range fieldsTypes {
		if name == t || name == strings.ReplaceAll(t, "_", "") || name == camelCase(t) {
			return FieldsType(i)
		}
	}
	p.wrongValue(m, "one of "+strings.Join(fieldsTypes, ", "))
	return BestFields
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
		return o.fieldsType.tieBreaker()
	}
	return *o.tieBreaker
}
