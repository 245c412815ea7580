// This file holds the operators of simple_query_string, each of which a search can switch off.

package lucene

import "strings"

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
	// AllOperators switches all operators on. It is the default.
	AllOperators = 1<<iota - 1
)

var simpleFlags = []struct {
	name string
	bits int
}{
	{"AND", simpleAnd}, {"NOT", simpleNot}, {"OR", simpleOr}, {"PREFIX", simplePrefix}, {"PHRASE", simplePhrase},
	{"PRECEDENCE", simplePrecedence}, {"ESCAPE", simpleEscape}, {"WHITESPACE", simpleWhitespace}, {"FUZZY", simpleFuzzy},
	{"NEAR", simpleNear}, {"SLOP", simpleNear},
}

// ParseOperators parses names of operators, joined by |. NONE and ALL end the list. A text without names means ALL.
func ParseOperators(text string) (operators int, ok bool) {
	if text == "" {
		return AllOperators, true
	}
names:
	for name := range strings.SplitSeq(strings.ToUpper(text), "|") {
		switch name {
		case "ALL", "-1":
			return AllOperators, true
		case "NONE":
			return 0, true
		case "":
			continue
		}
		for _, f := range simpleFlags {
			if name == f.name {
				operators |= f.bits
				continue names
			}
		}
		return AllOperators, false
	}
	return operators, true
}
