// This file defines how a text matches several fields: the `type` of multi_match and query_string.

package query

// FieldsType is how a text matches several fields.
type FieldsType uint8

// The types, in the order of error messages.
const (
	BestFields   FieldsType = iota // the best field scores
	MostFields                     // all fields score
	CrossFields                    // a word may be in any field; it counts as common as in the field where it is commonest
	Phrase                         // best_fields with the words as a phrase
	PhrasePrefix                   // best_fields with the words as a phrase whose last word is a prefix
	BoolPrefix                     // most_fields with a prefix as the last word
)

// FieldsTypes are the names of the types in bodies.
var FieldsTypes = []string{"best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"}

// TieBreaker returns the share of their score that fields other than the best one add, unless the body says it.
func (t FieldsType) TieBreaker() float64 {
	if t == MostFields || t == BoolPrefix {
		return 1
	}
	return 0
}

// String returns the type as bodies write it.
func (t FieldsType) String() string { return FieldsTypes[t] }
