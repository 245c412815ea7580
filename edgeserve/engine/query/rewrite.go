// This file parses `rewrite`: how the terms that a pattern or a misspelt word finds are scored.

package query

import (
	"strconv"
	"strings"
)

// Spelling says how far a misspelt word may be from a term, and how terms score.
type Spelling struct {
	PrefixLength     int // code points that must be equal
	MaxExpansions    int
	NoTranspositions bool // swapped neighbours are two edits
	Rewrite          Rewrite
}

// RewriteKind is how the terms of one clause score together.
type RewriteKind uint8

// The rewrite methods.
const (
	RewriteDefault    RewriteKind = iota // constant for patterns, blended for misspelt words
	RewriteConstant                      // the boost alone
	RewriteScoring                       // every term as a clause of its own
	RewriteTop                           // the same, of the best terms
	RewriteTopBoost                      // the best terms, each with its similarity as score
	RewriteTopBlended                    // the best terms, as common as the commonest of them
)

// Rewrite is a `rewrite` option. Top is the number of best terms, for the kinds of them.
type Rewrite struct {
	Kind    RewriteKind
	Top     int
	Clauses bool // constant_score_boolean: terms are clauses, which matters to highlights
}

// IsConstant reports whether every match of a pattern has the same score.
func (r Rewrite) IsConstant() bool { return r.Kind <= RewriteConstant }

var rewriteNames = map[string]RewriteKind{
	"constant_score": RewriteConstant, "constant_score_boolean": RewriteConstant, "scoring_boolean": RewriteScoring,
	"top_terms_": RewriteTop, "top_terms_boost_": RewriteTopBoost, "top_terms_blended_freqs_": RewriteTopBlended,
}

const rewriteValues = "constant_score, constant_score_boolean, scoring_boolean, top_terms_N, top_terms_boost_N or top_terms_blended_freqs_N"

func (p *bodyParser) rewrite(m *value) (r Rewrite) {
	if m.kind == kindNull {
		return r
	}
	name := p.text(m)
	digits := strings.IndexAny(name, "0123456789")
	if digits >= 0 {
		n, err := strconv.ParseInt(name[digits:], 10, 32)
		if err != nil || n < 1 {
			p.wrongValue(m, rewriteValues)
		}
		r.Top, name = int(min(n, maxClauses)), name[:digits]
	}
	kind, ok := rewriteNames[name]
	if !ok || (kind >= RewriteTop) != (digits >= 0) {
		p.wrongValue(m, rewriteValues)
	}
	r.Kind, r.Clauses = kind, name == "constant_score_boolean"
	return r
}
