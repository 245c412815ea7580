// This file has the optional features of expressions. The operator of a feature that is off is an
// ordinary character.

package pattern

// Syntax is a set of optional features of regular expressions, with Lucene's bits.
type Syntax uint16

// The features. Named automata do not exist: with the feature on, <name> is an error.
const (
	Intersection   Syntax = 1 << iota // &
	Complement                        // ~
	EmptyLanguage                     // #
	AnyString                         // @
	NamedAutomaton                    // <name>
	Interval                          // <1-9>
	AnyCase        Syntax = 1 << 8    // the case of ASCII letters does not count, except in a range

	AllSyntax Syntax = 1<<8 - 1
)

func (p *regexpParser) has(s Syntax) bool { return p.syntax&s != 0 }

func (p *regexpParser) matchIf(s Syntax, c byte) bool { return p.has(s) && p.match(c) }

// literal returns a node that matches a character, in both cases if case does not count.
func (p *regexpParser) literal(r rune) *node {
	n := literal(r)
	if other := r ^ ('a' - 'A'); p.has(AnyCase) && ('a' <= r|('a'-'A') && r|('a'-'A') <= 'z') {
		n.spans = normalize(append(n.spans, span{other, other}))
	}
	return n
}
