// This file parses queries about one word or pattern of a field: fuzzy, regexp, match_bool_prefix.

package query

import "strings"

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
func (*Fuzzy) Type() string           { return "fuzzy" }
func (*Regexp) Type() string          { return "regexp" }
func (*MatchBoolPrefix) Type() string { return "match_bool_prefix" }

// Visit implements Part, here and below.
func (n *Fuzzy) Visit(v *Visitor)           { v.Field(n.Field) }
func (n *Regexp) Visit(v *Visitor)          { v.Field(n.Field) }
func (n *MatchBoolPrefix) Visit(v *Visitor) { v.Field(n.Field) }

func (p *bodyParser) fuzzy(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	n := &Fuzzy{Field: o.field, Value: o.value, Fuzziness: autoFuzziness, Spelling: o.spelling(), Boost: o.boost}
	if o.fuzziness != nil {
		n.Fuzziness = *o.fuzziness
	}
	return n
}

func (p *bodyParser) regexp(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &Regexp{
		Field: o.field, Pattern: o.value.Text, Flags: o.flags, CaseInsensitive: isTrue(o.caseInsensitive),
		Rewrite: o.rewrite, Boost: o.boost,
	}
}

func (p *bodyParser) matchBoolPrefix(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &MatchBoolPrefix{
		Field: o.field, Text: o.value, And: o.and, MinShouldMatch: o.minShouldMatch,
		Fuzziness: o.fuzziness, Spelling: o.spelling(), Boost: o.boost,
	}
}

func (o *options) spelling() Spelling {
	return Spelling{o.prefixLength, o.maxExpansions, o.noTranspositions, o.rewrite}
}

// RegexpFlags are all optional operators of a regular expression, as Lucene's bits.
const RegexpFlags = 1<<8 - 1

var regexpFlags = []struct {
	name string
	bit  int
}{{"INTERSECTION", 1}, {"COMPLEMENT", 2}, {"EMPTY", 4}, {"ANYSTRING", 8}, {"INTERVAL", 32}, {"NONE", 0}, {"ALL", RegexpFlags}}

// regexpFlags parses `flags`, the names of operators, or `flags_value`, their bits.
func (p *bodyParser) regexpFlags(m *value) (bits int) {
	if m.name == "flags_value" {
		return p.integer(m, -1) & RegexpFlags
	}
	if m.kind == kindNull || p.text(m) == "" {
		return RegexpFlags
	}
names:
	for name := range strings.SplitSeq(strings.ToUpper(m.text), "|") {
		for _, f := range regexpFlags {
			if name == f.name {
				bits |= f.bit
				continue names
			}
		}
		if name != "" {
			p.wrongValue(m, "flags like INTERSECTION|COMPLEMENT, of INTERSECTION, COMPLEMENT, EMPTY, ANYSTRING, INTERVAL, NONE and ALL")
		}
	}
	return bits
}
