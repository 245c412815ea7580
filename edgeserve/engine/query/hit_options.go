// This file defines what hits show of their items, and beside them.

package query

// HitOptions say what hits show.
type HitOptions struct {
	Source         *Source       // nil returns whole items
	HasSource      bool          // the body has _source, even if it selects whole items
	Fields         []FieldFormat // as written in items
	DocvalueFields []FieldFormat // as they are sorted and aggregated
	NoID           bool
	Version, SeqNo bool      // versions, or sequence numbers
	Explain        bool      // explanations of scores
	Highlight      Highlight // nil when absent
	AsHits         bool      // the envelope has a member hits, for what has no place in an item
}

// Source is the _source option: it selects the members of an item that a hit returns.
type Source struct {
	None               bool
	Includes, Excludes []string
}

// FieldFormat is an entry of fields or docvalue_fields: a name or a pattern of stars. Format is ""
// for that of the field's type.
type FieldFormat struct{ Field, Format string }
