// This file defines queries about one word or pattern of a field: fuzzy, regexp, match_bool_prefix.

package query

type (
	// Fuzzy matches terms that are similar to Value. Value is not analyzed.
	Fuzzy struct {
		Field     string
		Value     Value
		Fuzziness Fuzziness
		Spelling
		Boost float64
	}

	// Regexp matches terms by a regular expression of Lucene.
	Regexp struct {
		Field, Pattern  string
		Flags           int // the optional operators, as Lucene's bits
		CaseInsensitive bool
		Rewrite         Rewrite
		Boost           float64
	}

	// MatchBoolPrefix is a Match whose last word is a prefix.
	MatchBoolPrefix struct {
		Field          string
		Text           Value
		And            bool
		MinShouldMatch string
		Fuzziness      *Fuzziness
		Spelling
		Boost float64
	}
)

// Type implements Node, here and below.
func (*Fuzzy) Type() string { return "fuzzy" }

func (*Regexp) Type() string { return "regexp" }

func (*MatchBoolPrefix) Type() string { return "match_bool_prefix" }

func (n *Fuzzy) BoostOption() *float64 { return &n.Boost }

func (n *Regexp) BoostOption() *float64 { return &n.Boost }

func (n *MatchBoolPrefix) BoostOption() *float64 { return &n.Boost }

// Visit implements Part, here and below.
func (n *Fuzzy) Visit(v *Visitor) { v.Field(n.Field) }

func (n *Regexp) Visit(v *Visitor) { v.Field(n.Field) }

func (n *MatchBoolPrefix) Visit(v *Visitor) { v.Field(n.Field) }

// RegexpFlags are all optional operators of a regular expression, as Lucene's bits.
const RegexpFlags = 1<<8 - 1
