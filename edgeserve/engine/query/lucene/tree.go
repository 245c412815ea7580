// Package lucene parses query strings. Parse has Lucene's classic grammar, for query_string. ParseSimple has
// its simple grammar, for simple_query_string. Both return a Group. The package knows neither fields nor bodies.
package lucene

// Limits of query strings.
const (
	// MaxClauses limits one parenthesis level, as in Lucene.
	MaxClauses = 1024
	// MaxNodes limits the clauses of all levels, because nesting multiplies MaxClauses.
	MaxNodes = 8192
	// maxParens limits nested parentheses, and with them recursion.
	maxParens = 100
)

// Fault says what is wrong with a query string.
type Fault uint8

// The faults.
const (
	Syntax Fault = iota
	TooManyClauses
	TooDeep
)

// Error says why a query string has no Group.
type Error struct {
	Fault    Fault
	Message  string
	Position int // byte offset in the query string; -1 if unknown
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Conj is the operator before a clause.
type Conj uint8

// The operators between clauses.
const (
	ConjNone Conj = iota
	ConjAnd
	ConjOr
)

// Mod is the modifier before a clause.
type Mod uint8

// The modifiers of a clause.
const (
	ModNone Mod = iota
	ModNot      // NOT, ! or -
	ModReq      // +
)

// Group is one parenthesis level: a flat list of clauses that Lucene's classic rules combine. Boost
// defaults to 1. Leaves without a field prefix have the prefix of the parenthesis.
type Group struct {
	Clauses []Clause
	Boost   float64

	continued bool // simple_query_string: the first clause holds the elements before the operator changed
}

// Clause is one element of a Group. Either Group or Leaf is set.
type Clause struct {
	Conj  Conj
	Mod   Mod
	Group *Group
	Leaf  *Leaf

	written operator // simple_query_string: the operator before the element in the text
}

// LeafKind is the type of a Leaf.
type LeafKind uint8

// The leaf types. Escapes are resolved unless the comment says otherwise.
const (
	LeafText     LeafKind = iota // words to analyze; adjacent words are joined by a space
	LeafQuoted                   // a quoted text
	LeafPrefix                   // the text without its final *
	LeafWildcard                 // a pattern with its escapes, or a bare *
	LeafRegexp                   // the raw text between the slashes
	LeafFuzzy                    // the text before ~
	LeafRange                    // Low and High
)

// Leaf is an atom of a query string.
type Leaf struct {
	Kind     LeafKind
	Field    string // the prefix of the leaf, or of the nearest parenthesis, without escapes; "" without either
	HasField bool
	Text     string
	Adjacent bool    // LeafText: the text is several words of the query string
	Boost    float64 // default 1

	Slop  int    // LeafQuoted: the n of ~n; -1 without one
	Fuzzy string // LeafFuzzy: the text after ~; "" for a bare ~

	Low, High         string // LeafRange bounds, without escapes
	LowOpen, HighOpen bool   // the bound is *, quoted or not
	IncLow, IncHigh   bool
}

// OneSided turns a text that begins with < or > into a range. In a bare >= the character = is the bound.
func (l *Leaf) OneSided() *Leaf {
	if len(l.Text) < 2 || l.Text[0] != '<' && l.Text[0] != '>' {
		return l
	}
	r := *l
	r.Kind, r.Text = LeafRange, ""
	rest := l.Text[1:]
	inc := len(rest) > 1 && rest[0] == '='
	if inc {
		rest = rest[1:]
	}
	r.LowOpen, r.IncLow, r.HighOpen, r.IncHigh = true, true, true, true
	switch {
	case rest == "*": // the star was escaped, and is not a bound either
	case l.Text[0] == '>':
		r.Low, r.IncLow, r.LowOpen = rest, inc, false
	default:
		r.High, r.IncHigh, r.HighOpen = rest, inc, false
	}
	return &r
}
