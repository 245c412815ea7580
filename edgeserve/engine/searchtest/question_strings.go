// This file makes up query strings: by their grammar, so that most are valid, and out
// of loose tokens, so that many are not.

package searchtest

import (
	"strings"
)

func (a *asker) queryString() object {
	c := object{}
	switch a.IntN(4) {
	case 0, 1:
		a.near = a.field()
		c["default_field"] = a.near
	case 2:
		c["fields"] = a.fieldList()
	}
	c["query"] = a.expression(3)
	if a.oneIn(8) {
		c["query"] = a.noise()
	}
	option(a, c, 4, "default_operator", "and", "or")
	option(a, c, 6, "phrase_slop", 1, 3)
	option(a, c, 3, "lenient", true, true, false)
	option(a, c, 8, "fuzziness", any("AUTO"), "AUTO:2,4", 0, 1, 2)
	option(a, c, 4, "type", append([]string{"best_fields"}, fieldsTypes...)...)
	option(a, c, 6, "tie_breaker", 0, 0.3, 1)
	option(a, c, 5, "minimum_should_match", minimums...)
	option(a, c, 8, "rewrite", rewriteMethods...)
	option(a, c, 20, "allow_leading_wildcard", true, false)
	option(a, c, 6, "time_zone", "+02:00", "Asia/Tokyo", "America/New_York")
	option(a, c, 30, "escape", true, false)
	a.stringOptions(c)
	return c
}

// stringOptions sets what both query strings have in common.
func (a *asker) stringOptions(c object) {
	option(a, c, 8, "fuzzy_prefix_length", 0, 1, 2)
	option(a, c, 8, "fuzzy_max_expansions", 1, 2, 5)
	option(a, c, 8, "fuzzy_transpositions", true, false)
	option(a, c, 8, "quote_field_suffix", ".keyword", ".long", ".nope")
	option(a, c, 8, "analyze_wildcard", true, false)
	if a.oneIn(8) {
		a.counted(c)
	}
}

// counted asks for a minimum of the words of one leaf, which count one by one on one field.
func (a *asker) counted(c object) {
	text := strings.Join([]string{a.word(), a.word(), a.start()}[a.IntN(2):], "-")
	delete(c, "default_field")
	c["query"] = pick(a.Rand, []string{"", "", "+"}) + quoteSyntax(text) + pick(a.Rand, []string{"", "*", "* "})
	c["fields"] = []any{a.field() + pick(a.Rand, []string{"", "^2", "^0.5"})}
	c["minimum_should_match"] = pick(a.Rand, minimums)
	c["analyze_wildcard"] = !a.oneIn(3)
}

// expression is some clauses, with a limited depth of parentheses.
func (a *asker) expression(depth int) string {
	var b strings.Builder
	for i := range 1 + a.IntN(4) {
		if i > 0 {
			b.WriteString(pick(a.Rand, []string{" ", " ", " ", " AND ", " OR ", " && ", " || "}))
		}
		b.WriteString(pick(a.Rand, []string{"", "", "", "", "", "NOT ", "-", "+", "!"}))
		if a.oneIn(6) {
			b.WriteString(a.name() + ":")
		}
		if depth > 0 && a.oneIn(5) {
			b.WriteString("(" + a.expression(depth-1) + ")")
		} else {
			b.WriteString(a.atom())
		}
		if a.oneIn(9) {
			b.WriteString(pick(a.Rand, []string{"^2", "^0.5", "^0", "^3"}))
		}
	}
	return b.String()
}

// name is a field in front of a clause.
func (a *asker) name() string {
	if a.oneIn(8) {
		return pick(a.Rand, []string{"_exists_", "*", `Data.\*`, "_id", `N\*`, quoteSyntax(pick(a.Rand, subPatterns))})
	}
	return quoteSyntax(a.field())
}

// quoteSyntax escapes what means something in a query string.
func quoteSyntax(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(" \t\n\u3000+-!():^[]\"{}~*?\\/", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (a *asker) atom() string {
	word := quoteSyntax(a.word())
	switch a.IntN(20) {
	case 0:
		return quoteSyntax(a.text())
	case 1, 2, 3:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.text()) + `"` + pick(a.Rand, []string{"", "", "~1", "~3", "~100", "~2.7", "~x"})
	case 4, 5:
		return quoteSyntax(a.start()) + "*"
	case 6:
		return strings.NewReplacer(" ", "?", "/", "?", "(", "", ")", "", `"`, "", "[", "", "]", "", ":", "?", "^", "", "~", "").Replace(a.pattern())
	case 7, 8:
		return word + "~" + pick(a.Rand, []string{"", "", "1", "2", "0", "3", "0.8", "AUTO", "abc", "-1"})
	case 9:
		return "/" + strings.ReplaceAll(a.regexp(), "/", ".") + "/"
	case 10:
		return pick(a.Rand, []string{"[", "{"}) + a.limit() + " TO " + a.limit() + pick(a.Rand, []string{"]", "}"})
	case 11:
		return pick(a.Rand, []string{">", ">=", "<", "<="}) + pick(a.Rand, []string{quoteSyntax(a.limit()), quoteSyntax(a.limit()), ""})
	case 12:
		return "*"
	case 13:
		return pick(a.Rand, []string{`"!"`, `\!`, `\-\-`, "...", "true", "false", "2021", "42", "1.0", "2021-04-23"})
	}
	return word
}

// limit is a bound of a range.
func (a *asker) limit() string {
	s := pick(a.Rand, []string{a.word(), pick(a.Rand, spellings), a.date(), "*", "true", a.text()})
	if s == "" || strings.ContainsAny(s, " ]}\t\n\"\\") {
		return `"` + strings.NewReplacer(`"`, "", `\`, "").Replace(s) + `"`
	}
	return s
}

// regexp is an expression that may match a word: the word with parts replaced.
func (a *asker) regexp() string {
	var b strings.Builder
	word := []rune(a.word())
	for _, r := range word[:min(len(word), 8)] { // more could be too complex
		c := string(r)
		if strings.ContainsAny(c, `.?*+{}[]()|"\&~#@<>^-`) {
			c = `\` + c
		}
		b.WriteString(pick(a.Rand, []string{c, c, c, c, c + "?", c + "+", "[" + c + "x-z]", "[^" + c + "]", ".", "(" + c + "|o)", c + "{1,2}", ".*", "@", "(x&.)?" + c}))
	}
	s := pick(a.Rand, []string{"", "", "", ".*", "~(foo)&", "<1-20>|", "#|"}) + b.String() + pick(a.Rand, []string{"", "", ".*", "~x", `"."?`, "("})
	return s
}

// noise is tokens in any order.
func (a *asker) noise() string {
	var b strings.Builder
	for range 1 + a.IntN(8) {
		b.WriteString(pick(a.Rand, []string{"AND", "OR", "NOT", "&&", "||", "!", "+", "-", "(", ")", ":", "*", "?", "^2", "^", "~", "~1", `"`, "[", "]", "{", "}", " TO ",
			"/", `\`, " ", " ", " ", "\u3000", "\u00a0", ">", "<=", a.word(), a.word(), a.word(), a.name(), quoteSyntax(a.word())}))
	}
	return b.String()
}

func (a *asker) simpleQueryString() object {
	var b strings.Builder
	for range 1 + a.IntN(7) {
		b.WriteString(pick(a.Rand, []string{"+", "|", "-", "(", ")", `"`, " ", "*", "~1", "~", "~2", `\`, a.word(), a.word() + " ", a.word() + " ", a.word() + " ", `"` + a.text() + `"`, a.start() + "*"}))
	}
	c := object{"query": b.String()}
	if !a.oneIn(4) {
		c["fields"] = a.fieldList()
	}
	option(a, c, 3, "default_operator", "and", "or")
	option(a, c, 6, "minimum_should_match", minimums...)
	option(a, c, 3, "lenient", true, true, false)
	option(a, c, 6, "flags", "ALL", "NONE", "OR|AND|PREFIX", "and|not|phrase|", "PRECEDENCE|ESCAPE|WHITESPACE", "FUZZY|NEAR|PHRASE|WHITESPACE")
	a.stringOptions(c)
	return c
}
