// This file holds the query tree: what a search body asks for, without any
// knowledge of the index that will answer it. The parsers beside it build the
// tree; package search gives it its meaning.

package query

// Node is a query of the tree. String prints it in a compact form that tests
// compare and that two equal queries share.
type Node interface {
	String() string
}

// Kind is the JSON type of a Value.
type Kind uint8

// The scalar JSON types a query may name.
const (
	String Kind = iota
	Number
	Boolean
)

// Value is a JSON scalar of a body: for a String its decoded text, for a Number
// its JSON text as sent, for a Boolean "true" or "false".
type Value struct {
	Kind Kind
	Text string
}

// FieldBoost is an entry of a `fields` list. Boosted tells `name^2` from `name`:
// the two combine differently when a name is listed twice.
type FieldBoost struct {
	Field   string
	Boost   float64
	Boosted bool
}

// Fuzziness is a `fuzziness` option: Edits, or Auto with its two limits.
type Fuzziness struct {
	Auto      bool
	Low, High int // with Auto: 0 edits below Low code points, 1 below High, else 2
	Edits     int // without Auto: 0, 1 or 2
}

type (
	// MatchAll matches every item.
	MatchAll struct{ Boost float64 }

	// MatchNone matches no item.
	MatchNone struct{}

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
		Boost  float64
	}

	// Prefix matches terms that begin with Value, as written.
	Prefix struct {
		Field, Value    string
		CaseInsensitive bool
		Boost           float64
	}

	// Wildcard matches a pattern of * ? and \. CaseInsensitive is nil when absent.
	Wildcard struct {
		Field, Pattern  string
		CaseInsensitive *bool
		Boost           float64
	}

	// Range matches values between bounds; a nil bound is open.
	Range struct {
		Field            string
		Gt, Gte, Lt, Lte *Value
		Boost            float64
	}

	// Exists matches items with a value at Field: a path, an object path or a pattern.
	Exists struct {
		Field string
		Boost float64
	}

	// IDs matches items by ContentID.
	IDs struct {
		Values []string
		Boost  float64
	}

	// Match analyzes Text and matches its words.
	Match struct {
		Field          string
		Text           Value
		And            bool
		MinShouldMatch string
		Fuzziness      *Fuzziness
		PrefixLength   int
		MaxExpansions  int // default 50
		Lenient        bool
		ZeroTermsAll   bool
		Boost          float64
	}

	// MatchPhrase matches the words of Text in order, within Slop.
	MatchPhrase struct {
		Field        string
		Text         Value
		Slop         int
		ZeroTermsAll bool
		Boost        float64
	}

	// MatchPhrasePrefix is MatchPhrase whose last word is a prefix.
	MatchPhrasePrefix struct {
		Field         string
		Text          Value
		Slop          int
		MaxExpansions int // default 50
		ZeroTermsAll  bool
		Boost         float64
	}

	// MultiMatch is Match over several fields; the best field scores.
	MultiMatch struct {
		Fields         []FieldBoost // none: all fields
		Text           Value
		And            bool
		MinShouldMatch string
		TieBreaker     float64
		Fuzziness      *Fuzziness
		PrefixLength   int
		MaxExpansions  int // default 50
		Lenient        *bool
		ZeroTermsAll   bool
		Boost          float64
	}

	// ConstantScore gives every match of Filter the score Boost.
	ConstantScore struct {
		Filter Node
		Boost  float64
	}

	// QueryString is a parsed query_string. Err is its syntax error, reported only
	// when the clause is evaluated: a sibling that can match nothing hides it.
	// Expr is nil when the text is blank or Err is set.
	QueryString struct {
		DefaultField string       // "" when absent
		Fields       []FieldBoost // nil when absent
		And          bool         // default_operator
		PhraseSlop   int
		Lenient      *bool
		Fuzziness    Fuzziness // for a bare ~; Auto 3,6 unless given
		Boost        float64
		Text         string
		Expr         *Group
		Err          *Error
	}

	// SimpleQueryString is a parsed simple_query_string; it has no syntax errors.
	//
	// Its Group is built as Lucene's simple parser builds boolean queries, so only Mod
	// counts: ModReq is MUST, ModNone is SHOULD, and no clause has a Conj, a boost or,
	// but for the whole text "*" (a match-all, spelled *:*), a field. And is already
	// applied. A list joined by one operator is one Group; where the operator changes,
	// what stands before becomes the first clause of a new Group. A negated element is
	// a Group of one clause that is ModNot: it matches every item that the clause does
	// not and scores 1, unlike a pure negation of query_string; it vanishes with its
	// clause. A ModNone clause next to no other clause must match. Leaves are LeafText,
	// LeafQuoted (Slop is always given), LeafPrefix and LeafFuzzy (Fuzzy is "1" or
	// "2"). A bare minimum_should_match applies to the clauses of Expr.
	SimpleQueryString struct {
		Fields         []FieldBoost // none: all fields
		And            bool
		MinShouldMatch string
		Lenient        *bool
		Boost          float64
		Text           string
		Expr           *Group // nil when the text is blank
	}
)

// Conj is the operator written before a clause.
type Conj uint8

// The operators between clauses.
const (
	ConjNone Conj = iota
	ConjAnd
	ConjOr
)

// Mod is the modifier written before a clause.
type Mod uint8

// The modifiers of a clause.
const (
	ModNone Mod = iota
	ModNot      // NOT, ! or -
	ModReq      // +
)

// Group is one parenthesis level of a query string: a flat list of clauses, to be
// combined by the classic parser's rules. Boost is 1 unless written. A field prefix
// before the parenthesis is carried by the leaves that have none of their own.
type Group struct {
	Clauses []Clause
	Boost   float64
}

// Clause is one element of a Group; exactly one of Group and Leaf is set.
type Clause struct {
	Conj  Conj
	Mod   Mod
	Group *Group
	Leaf  *Leaf
}

// LeafKind tells what a Leaf's text is.
type LeafKind uint8

// The kinds of leaves.
const (
	LeafText     LeafKind = iota // words to analyze, escapes resolved; adjacent words joined by a space
	LeafQuoted                   // a quoted text, escapes resolved
	LeafPrefix                   // text without its final *, escapes resolved
	LeafWildcard                 // a pattern, escapes kept; a bare * too
	LeafRegexp                   // the text between the slashes, raw
	LeafFuzzy                    // text before ~, escapes resolved
	LeafRange                    // Low and High
)

// Leaf is an atom of a query string.
type Leaf struct {
	Kind     LeafKind
	Field    string // the prefix, or that of a group around, escapes resolved; "" without one
	HasField bool
	Text     string
	Boost    float64 // 1 unless written

	Slop  int    // LeafQuoted with ~n; -1 otherwise
	Fuzzy string // LeafFuzzy: the text after ~, "" for a bare one

	Low, High         string // LeafRange bounds, escapes resolved
	LowOpen, HighOpen bool   // the bound is *, in quotes or not
	IncLow, IncHigh   bool
}
