// This file defines which parts of an item, and which facts about it, a hit shows.

package query

// HitOptions say what hits show.
type HitOptions struct {
	Source         *Source       // nil returns whole items
	HasSource      bool          // the body has _source, even if it selects whole items
	Fields         []FieldFormat // the entries of fields: values as items have them
	DocvalueFields []FieldFormat // the entries of docvalue_fields: values as sorts and aggregations read them
	NoID           bool
	Version, SeqNo bool      // hits have versions, or sequence numbers
	Explain        bool      // hits have explanations of their scores
	Highlight      Highlight // nil when absent
	AsHits         bool      // the envelope has a member hits, because some of the options above have no place in an item
}

// SourceField is the name of the only stored field.
const SourceField = "_source"

// Source is the _source option: it selects the members of an item that a hit returns.
type Source struct {
	None               bool
	Includes, Excludes []string
}

// FieldFormat is an entry of fields or docvalue_fields. Field is a name or a pattern with stars.
// Format is "" for the default format of the field's type.
type FieldFormat struct{ Field, Format string }
