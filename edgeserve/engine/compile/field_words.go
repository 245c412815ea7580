// This file compiles queries about one word or pattern: fuzzy, regexp, match_bool_prefix.

package compile

import (
	"errors"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

func (c *fieldCompiler) fuzzyQuery(t fields.Target, n *query.Fuzzy, boost float64) (scorer.Scorer, error) {
	return c.fuzzy(t, n.Value.Text, n.Fuzziness.Of(n.Value.Text), n.Spelling, boost)
}

// regexp compiles a regular expression. Its syntax is checked even if no item has the field.
func (c *Compiler) regexp(n *query.Regexp, boost float64) (scorer.Scorer, error) {
	r, err := c.compileRegexp(n)
	if err != nil {
		return nil, err
	}
	if c.field.listing != nil { // even if no item has the field: highlights may look for the pattern in other fields
		c.field.listing.to.Regexp(c.field.listing.leaf(c.resolver.OrEmpty(n.Field), boost), n.Pattern, r, n.Rewrite)
		return nil, nil
	}
	return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) {
		s, err := c.field.scoredMatches(t, r, n.Rewrite, boost)
		return c.field.rewritten(t, s, n.Rewrite, func() string { return "/" + n.Pattern + "/" }), err
	})
}

func (c *Compiler) compileRegexp(n *query.Regexp) (*pattern.Regexp, error) {
	syntax := pattern.Syntax(n.Flags)
	if n.CaseInsensitive {
		syntax |= pattern.AnyCase
	}
	r, steps, err := pattern.CompileRegexpSyntax(n.Pattern, syntax)
	if failed := c.work.Charge(steps); failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, badRegexp("regexp", n.Pattern, err)
	}
	return r, nil
}

// badRegexp returns the error of a pattern in a query of that type. The message has the position in the pattern.
func badRegexp(kind, text string, err error) error {
	var bad *pattern.Error
	if !errors.As(err, &bad) {
		return err
	}
	return &query.Error{Code: problem.BadRegexp, Parameter: kind, Position: -1, Message: "regular expression /" + text + "/: " + bad.Error()}
}

func (c *fieldCompiler) matchBoolPrefix(t fields.Target, n *query.MatchBoolPrefix, boost float64) (scorer.Scorer, error) {
	s, _, err := c.boolPrefix(t, n.Text.Text, words{n.And, n.MinShouldMatch, n.Fuzziness, n.Spelling}, boost)
	return s, err
}

// boolPrefix matches words. The last word is a prefix if the text ends with it. On a keyword the whole text
// is a prefix; on numbers, dates and booleans it is a value.
func (c *fieldCompiler) boolPrefix(t fields.Target, text string, w words, boost float64) (s scorer.Scorer, none bool, err error) {
	switch {
	case t.Kind == fields.Keyword:
		return c.prefix(t, text, boost), false, nil
	case t.Kind != fields.Text && c.listing != nil: // a value has no letters
		return nil, false, nil
	case t.Kind != fields.Text:
		return c.matchOn(t, text, w, boost)
	}
	terms, err := c.words(text)
	if err != nil {
		return nil, false, err
	}
	return c.combineWords(t.Field, terms, w, endsInWord(text), boost)
}

// endsInWord reports whether a text ends with a word.
func endsInWord(text string) bool {
	var tok analysis.Tokenizer
	last := -1
	for tok.Reset([]byte(text)); tok.Next(); {
		_, last = tok.Span()
	}
	return last == len(text)
}
