// This file defines Node, the values in nodes, and the nodes of the most frequent queries.

package query

import (
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/query/lucene"
)

// Node is a query of the tree. Type is its name in a body.
type Node interface {
	Part
	Type() string
}

// Boosted is a query that a body can hold. Every such query has the option boost.
type Boosted interface {
	Node
	// BoostOption returns the boost of the query itself, without the boosts of the queries around it.
	BoostOption() *float64
}

// ValueKind is the JSON type of a Value.
type ValueKind uint8

// The types of a scalar.
const (
	String ValueKind = iota
	Number
	Boolean
	Null // only where null is a value: a part of the key of a composite aggregation
)

// Value is a JSON scalar. Text is decoded for a String, as sent for a Number, or "true" or "false".
type Value struct {
	Kind ValueKind
	Text string
}

// FieldBoost is an entry of `fields`. Boosted distinguishes `name^1` from `name`: the two differ in effect where an
// entry is repeated.
type FieldBoost struct {
	Field   string
	Boost   float64
	Boosted bool
}

// AllStars reports whether a name consists of stars, the pattern of all fields. exists does not
// take it.
func AllStars(name string) bool { return name != "" && strings.Trim(name, "*") == "" }

// Fuzziness is a `fuzziness` option: a number of edits, or Auto with two limits.
type Fuzziness struct {
	Auto      bool
	Low, High int // with Auto: 0 edits below Low code points, 1 below High, otherwise 2
	Edits     int // without Auto: 0, 1 or 2
}

// Of returns the edits for a word.
func (f *Fuzziness) Of(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case !f.Auto:
		return f.Edits
	case n < f.Low:
		return 0
	case n < f.High:
		return 1
	}
	return 2
}

type (
	// MatchAll matches every item.
	MatchAll struct{ Boost float64 }

	// MatchNone matches no item. Its boost has no effect. It gives each node an address of its own, which
	// names of queries need: Go may give two values of size zero one address.
	MatchNone struct{ Boost float64 }

	// Bool combines clauses. MinShouldMatch is the option as written, "" when absent.
	Bool struct {
		Must, Filter, Should, MustNot []Node
		MinShouldMatch                string
		Boost                         float64
	}

	// Term matches one exact term of a field.
	Term struct {
		Field           string
		Value           Value
		CaseInsensitive bool
		Boost           float64
	}

	// Terms matches any of several exact terms, with a constant score.
	Terms struct {
		Field  string
		Values []Value
		Lookup *Lookup // if not nil, the values come from an item
		Boost  float64
	}

	// Prefix matches terms that begin with Value. Value is not analyzed.
	Prefix struct {
		Field, Value    string
		CaseInsensitive bool
		Rewrite         Rewrite
		Boost           float64
	}

	// Wildcard matches a pattern with * ? and \. CaseInsensitive is nil when absent.
	Wildcard struct {
		Field, Pattern  string
		CaseInsensitive *bool
		Rewrite         Rewrite
		Boost           float64
	}

	// Range matches values between bounds. A nil bound leaves its side unbounded.
	Range struct {
		Field            string
		Gt, Gte, Lt, Lte *Value
		Format, TimeZone string // of dates; empty: ISO or epoch milliseconds, UTC
		Boost            float64
	}

	// Exists matches items that have a value at Field: a path, an object path or a pattern.
	Exists struct {
		Field string
		Boost float64
	}

	// IDs matches items by ContentID.
	IDs struct {
		Values []string
		Boost  float64
	}

	// Match analyzes Text and matches its terms.
	Match struct {
		Field          string
		Text           Value
		And            bool
		MinShouldMatch string
		Fuzziness      *Fuzziness
		Spelling
		Lenient      bool
		ZeroTermsAll bool
		Boost        float64
	}

	// MatchPhrase matches the terms of Text in order, within Slop.
	MatchPhrase struct {
		Field        string
		Text         Value
		Slop         int
		ZeroTermsAll bool
		Boost        float64
	}

	// MatchPhrasePrefix is a MatchPhrase whose last term is a prefix.
	MatchPhrasePrefix struct {
		Field         string
		Text          Value
		Slop          int
		MaxExpansions int
		ZeroTermsAll  bool
		Boost         float64
	}

	// MultiMatch is a Match, or a phrase, over several fields. Kind says how fields combine.
	MultiMatch struct {
		Fields         []FieldBoost // empty means all fields
		Kind           FieldsType
		Text           Value
		And            bool
		MinShouldMatch string
		Slop           int // phrase and phrase_prefix
		TieBreaker     float64
		Fuzziness      *Fuzziness
		Spelling
		Lenient      *bool
		ZeroTermsAll bool
		Boost        float64
	}

	// ConstantScore gives every match of Filter the score Boost.
	ConstantScore struct {
		Filter Node
		Boost  float64
	}

	// QueryString is a parsed query_string. Evaluation reports its syntax error Err, unless a
	// sibling clause cannot match any item. Expr is nil if the text is blank or Err is set.
	QueryString struct {
		DefaultField string       // "" when absent
		Fields       []FieldBoost // nil when absent
		And          bool         // default_operator
		PhraseSlop   int
		Fuzziness    Fuzziness // for a bare ~; Auto 3,6 unless given
		StringOptions
		Boost float64
		Text  string
		Expr  *lucene.Group
		Err   *Error
	}

	// SimpleQueryString is a parsed simple_query_string. Every text is valid. Expr follows Lucene's simple parser, so
	// its shape differs from a QueryString:
	//
	//   - And is already applied. Only Mod combines clauses: ModReq is MUST, ModNone is SHOULD.
	//   - No clause has a Conj, a boost or a field, except that the whole text "*" becomes *:*.
	//   - Elements joined by one operator form a Group. When the operator changes, the elements
	//     so far become the first clause of a new Group.
	//   - A negated element is a Group with a single ModNot clause. It matches every item that the
	//     clause does not match, and scores 1. If the clause vanishes, so does the Group.
	//   - A ModNone clause without siblings must match.
	//   - Leaves are LeafText, LeafQuoted (always with Slop), LeafPrefix, LeafFuzzy (Fuzzy "1" or "2").
	//   - A plain minimum_should_match applies to the clauses of Expr.
	SimpleQueryString struct {
		Fields    []FieldBoost // empty means all fields
		And       bool
		Operators int // the operators that Text may have, as bits of package lucene
		StringOptions
		Boost float64
		Text  string
		Expr  *lucene.Group // nil if the text is blank
	}
)

// Type implements Node, here and below.
func (*MatchAll) Type() string { return "match_all" }

func (*MatchNone) Type() string { return "match_none" }

func (*Bool) Type() string { return "bool" }

func (*Term) Type() string { return "term" }

func (*Terms) Type() string { return "terms" }

func (*Prefix) Type() string { return "prefix" }

func (*Wildcard) Type() string { return "wildcard" }

func (*Range) Type() string { return "range" }

func (*Exists) Type() string { return "exists" }

func (*IDs) Type() string { return "ids" }

func (*Match) Type() string { return "match" }

func (*MatchPhrase) Type() string { return "match_phrase" }

func (*MatchPhrasePrefix) Type() string { return "match_phrase_prefix" }

func (*MultiMatch) Type() string { return "multi_match" }

func (*ConstantScore) Type() string { return "constant_score" }

func (*QueryString) Type() string { return "query_string" }

func (*SimpleQueryString) Type() string { return "simple_query_string" }

// BoostOption implements Boosted, here and below.
func (n *MatchAll) BoostOption() *float64 { return &n.Boost }

func (n *MatchNone) BoostOption() *float64 { return &n.Boost }

func (n *Bool) BoostOption() *float64 { return &n.Boost }

func (n *Term) BoostOption() *float64 { return &n.Boost }

func (n *Terms) BoostOption() *float64 { return &n.Boost }

func (n *Prefix) BoostOption() *float64 { return &n.Boost }

func (n *Wildcard) BoostOption() *float64 { return &n.Boost }

func (n *Range) BoostOption() *float64 { return &n.Boost }

func (n *Exists) BoostOption() *float64 { return &n.Boost }

func (n *IDs) BoostOption() *float64 { return &n.Boost }

func (n *Match) BoostOption() *float64 { return &n.Boost }

func (n *MatchPhrase) BoostOption() *float64 { return &n.Boost }

func (n *MatchPhrasePrefix) BoostOption() *float64 { return &n.Boost }

func (n *MultiMatch) BoostOption() *float64 { return &n.Boost }

func (n *ConstantScore) BoostOption() *float64 { return &n.Boost }

func (n *QueryString) BoostOption() *float64 { return &n.Boost }

func (n *SimpleQueryString) BoostOption() *float64 { return &n.Boost }

// Visit implements Part, here and below.
func (*MatchAll) Visit(*Visitor) {}

func (*MatchNone) Visit(*Visitor) {}

func (*IDs) Visit(*Visitor) {}

func (n *Term) Visit(v *Visitor) { v.Field(n.Field) }

func (n *Prefix) Visit(v *Visitor) { v.Field(n.Field) }

func (n *Wildcard) Visit(v *Visitor) { v.Field(n.Field) }

func (n *Range) Visit(v *Visitor) { v.Field(n.Field) }

func (n *Exists) Visit(v *Visitor) { v.Field(n.Field) }

func (n *Match) Visit(v *Visitor) { v.Field(n.Field) }

func (n *MatchPhrase) Visit(v *Visitor) { v.Field(n.Field) }

func (n *MatchPhrasePrefix) Visit(v *Visitor) { v.Field(n.Field) }

func (n *MultiMatch) Visit(v *Visitor) { visitFields(v, n.Fields) }

func (n *SimpleQueryString) Visit(v *Visitor) { visitFields(v, n.Fields) }

func (n *ConstantScore) Visit(v *Visitor) { v.Part(n.Filter) }

// Visit shows clauses in the order in which Elasticsearch builds them: if several have one _name, the last counts.
func (n *Bool) Visit(v *Visitor) {
	for _, list := range [...][]Node{n.Must, n.MustNot, n.Should, n.Filter} {
		visitAll(v, list)
	}
}

func (n *Terms) Visit(v *Visitor) {
	v.Field(n.Field)
	if n.Lookup != nil {
		v.Field(n.Lookup.Path)
	}
}

func (n *QueryString) Visit(v *Visitor) {
	v.Field(n.DefaultField)
	visitFields(v, n.Fields)
	visitGroup(v, n.Expr)
}

func visitFields(v *Visitor, list []FieldBoost) {
	for _, f := range list {
		v.Field(f.Field)
	}
}

// Map implements parent, here and below.
func (n *Bool) Map(f func(Node) Node) Node {
	must, a := mapList(n.Must, f)
	filter, b := mapList(n.Filter, f)
	should, c := mapList(n.Should, f)
	mustNot, d := mapList(n.MustNot, f)
	if !(a || b || c || d) {
		return n
	}
	out := *n
	out.Must, out.Filter, out.Should, out.MustNot = must, filter, should, mustNot
	return &out
}

func (n *ConstantScore) Map(f func(Node) Node) Node {
	if filter := f(n.Filter); filter != n.Filter {
		return &ConstantScore{Filter: filter, Boost: n.Boost}
	}
	return n
}

// ExistsField precedes a colon in a query string where a field's name follows.
const ExistsField = "_exists_"

// visitGroup shows v the fields that the clauses of a query string name.
func visitGroup(v *Visitor, g *lucene.Group) {
	if g == nil {
		return
	}
	for _, c := range g.Clauses {
		switch leaf := c.Leaf; {
		case c.Group != nil:
			visitGroup(v, c.Group)
		case !leaf.HasField:
		case leaf.Field == ExistsField:
			v.Field(leaf.Text)
		default:
			v.Field(leaf.Field)
		}
	}
}
