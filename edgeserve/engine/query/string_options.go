// This file holds the options that query_string and simple_query_string share, and flags.

package query

import "strings"

// StringOptions are options of query_string. simple_query_string has some of them.
type StringOptions struct {
	Kind              FieldsType // of words; MostFields in simple_query_string
	TieBreaker        float64
	Lenient           *bool
	MinShouldMatch    string // of the clauses at the top
	Spelling                 // Rewrite is that of prefixes, wildcards and regular expressions
	QuoteSuffix       string // quoted texts search the fields of this suffix, where they exist
	AnalyzeWildcard   bool   // the words of a prefix count
	NoLeadingWildcard bool
	TimeZone          string // of dates without one
}

func (o *options) stringOptions() StringOptions {
	return StringOptions{
		Kind: o.fieldsType, TieBreaker: o.tie(), Lenient: o.lenient, MinShouldMatch: o.minShouldMatch, Spelling: o.spelling(),
		QuoteSuffix: o.quoteSuffix, AnalyzeWildcard: o.analyzeWildcard, NoLeadingWildcard: o.noLeadingWildcard,
		TimeZone: o.timeZone,
	}
}

// stringOption parses an option of query strings alone. The result is false if m is none.
func (p *bodyParser) stringOption(o *options, m *value) bool {
	switch m.name {
	case "fuzzy_prefix_length":
		o.prefixLength = p.integer(m, 0)
	case "fuzzy_max_expansions":
		o.maxExpansions = p.expansions(m, 1)
	case "quote_field_suffix":
		if m.kind != kindNull {
			o.quoteSuffix = p.text(m)
		}
	case "analyze_wildcard":
		o.analyzeWildcard = p.bool(m)
	case "allow_leading_wildcard":
		o.noLeadingWildcard = !p.bool(m)
	case "escape":
		o.escape = p.bool(m)
	case "time_zone":
		if m.kind != kindNull {
			o.timeZone = p.text(m)
		}
	default:
		return false
	}
	return true
}

// syntaxEscapes escapes what has a meaning in a query string.
var syntaxEscapes = func() *strings.Replacer {
	var pairs []string
	for _, c := range `\+-!():^[]"{}~*?|&/` {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}()

// The operators of simple_query_string, as Lucene's bits.
const (
	simpleAnd = 1 << iota
	simpleNot
	simpleOr
	simplePrefix
	simplePhrase
	simplePrecedence
	simpleEscape
	simpleWhitespace
	simpleFuzzy
	simpleNear
	simpleAll = 1<<iota - 1
)

var simpleFlags = []struct {
	name string
	bits int
}{
	{"AND", simpleAnd}, {"NOT", simpleNot}, {"OR", simpleOr}, {"PREFIX", simplePrefix}, {"PHRASE", simplePhrase},
	{"PRECEDENCE", simplePrecedence}, {"ESCAPE", simpleEscape}, {"WHITESPACE", simpleWhitespace}, {"FUZZY", simpleFuzzy},
	{"NEAR", simpleNear}, {"SLOP", simpleNear},
}

// simpleFlags parses the `flags` of simple_query_string: names, or bits. NONE and ALL end the list.
func (p *bodyParser) simpleFlags(m *value) (bits int) {
	if m.kind == kindNumber {
		return p.integer(m, -1) & simpleAll
	}
	text := strings.ToUpper(p.text(m))
	if text == "" {
		return simpleAll
	}
names:
	for name := range strings.SplitSeq(text, "|") {
		switch name {
		case "ALL", "-1":
			return simpleAll
		case "NONE":
			return 0
		case "":
			continue
		}
		for _, f := range simpleFlags {
			if name == f.name {
				bits |= f.bits
				continue names
			}
		}
		p.wrongValue(m, "flags like OR|AND|PREFIX, of ALL, NONE, AND, NOT, OR, PREFIX, PHRASE, PRECEDENCE, ESCAPE, WHITESPACE, FUZZY, NEAR and SLOP")
		return simpleAll
	}
	return bits
}
