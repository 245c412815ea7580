// This file prints Groups as query strings. Parsing the text gives an equal Group.

package lucene

import (
	"strconv"
	"strings"
)

// String returns g as a query string. A nil Group gives "".
func (g *Group) String() string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	g.print(&b)
	return b.String()
}

// print writes the clauses. It writes the boost ^1 after a word that another word follows.
// The boost has no effect, but keeps the parser from joining the two words.
func (g *Group) print(b *strings.Builder) {
	word := false
	for i := range g.Clauses {
		c := &g.Clauses[i]
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString([]string{"", "AND ", "OR "}[c.Conj])
		b.WriteString([]string{"", "-", "+"}[c.Mod])
		after := word
		word = c.Leaf != nil && c.Leaf.Kind == LeafText && !c.Leaf.HasField && c.Leaf.Boost == 1
		switch {
		case c.Leaf == nil:
			b.WriteByte('(')
			c.Group.print(b)
			b.WriteByte(')')
			printBoost(b, c.Group.Boost)
		case word && after && c.Conj == ConjNone && c.Mod == ModNone:
			c.Leaf.print(b)
			b.WriteString("^1")
		default:
			c.Leaf.print(b)
		}
	}
}

func printBoost(b *strings.Builder, boost float64) {
	if boost != 1 {
		b.WriteString("^" + strconv.FormatFloat(boost, 'f', -1, 32))
	}
}

// print writes the leaf with its field and boost.
func (l *Leaf) print(b *strings.Builder) {
	if l.HasField {
		if l.Field == "*" {
			b.WriteString("*:")
		} else {
			b.WriteString(escapeWord(l.Field) + ":")
		}
	}
	switch l.Kind {
	case LeafText:
		b.WriteString(escapeWord(l.Text))
	case LeafQuoted:
		b.WriteString(`"` + escapeQuoted(l.Text) + `"`)
		if l.Slop >= 0 {
			b.WriteString("~" + strconv.Itoa(l.Slop))
		}
	case LeafPrefix:
		b.WriteString(escapeWord(l.Text) + "*")
	case LeafWildcard:
		b.WriteString(l.Text)
	case LeafRegexp:
		b.WriteString("/" + l.Text + "/")
	case LeafFuzzy:
		b.WriteString(escapeWord(l.Text) + "~" + l.Fuzzy)
	case LeafRange:
		l.printRange(b)
	}
	printBoost(b, l.Boost)
}

func (l *Leaf) printRange(b *strings.Builder) {
	b.WriteByte("{["[bit(l.IncLow)])
	printBound(b, l.Low, l.LowOpen)
	b.WriteString(" TO ")
	printBound(b, l.High, l.HighOpen)
	b.WriteByte("}]"[bit(l.IncHigh)])
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// printBound writes a bound in quotes. The lexer treats an escaped quote in a bound
// ambiguously, so quotes and backslashes are written as hex escapes.
func printBound(b *strings.Builder, s string, open bool) {
	if open {
		b.WriteByte('*')
		return
	}
	b.WriteString(`"` + strings.NewReplacer(`\`, `\u005c`, `"`, `\u0022`, `/`, `\u002f`).Replace(s) + `"`)
}

// escapeQuoted escapes a text for quotes. It writes a slash as a hex escape: after a
// backslash the lexer could take the slash as the end of a regular expression.
func escapeQuoted(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `/`, `\u002f`).Replace(s)
}

// escapeWord escapes a text so that the lexer reads it as a single term.
func escapeWord(s string) string {
	if s != "" && wordKind(s) != tokTerm {
		return `\` + s
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '/':
			b.WriteString(`\u002f`)
			continue
		case c <= ' ', // unescaped, a text of only such characters would be blank
			classes[c] == stop || classes[c] == wild || classes[c] == escape,
			classes[c] == sign && i == 0,
			spaceLen(s, i) > 0:
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
