// This file defines how the terms that a pattern or a misspelt word finds are scored.

package query

// DefaultExpansions is how many terms a prefix or a misspelt word expands to, unless the body sets a number.
const DefaultExpansions = 50

// Spelling says how far a misspelt word may be from a term, and how terms score.
type Spelling struct {
	PrefixLength     int // how many code points at the start must be equal
	MaxExpansions    int
	NoTranspositions bool // swapping two neighbours counts as two edits
	Rewrite          Rewrite
}

// RewriteKind is how the terms of one clause score together.
type RewriteKind uint8

// The rewrite methods.
const (
	RewriteDefault    RewriteKind = iota // constant for patterns, blended for misspelt words
	RewriteConstant                      // only the boost
	RewriteScoring                       // every term as a clause of its own
	RewriteTop                           // each of the best terms as a clause of its own
	RewriteTopBoost                      // the best terms, each with its similarity as score
	RewriteTopBlended                    // the best terms, all as common as the commonest one
)

// Rewrite is a `rewrite` option. Top is the number of best terms, for the kinds that choose them.
type Rewrite struct {
	Kind    RewriteKind
	Top     int
	Clauses bool // constant_score_boolean: terms are clauses, which matters to highlights
}

// IsConstant reports whether every match of a pattern has the same score.
func (r Rewrite) IsConstant() bool { return r.Kind <= RewriteConstant }
