// This file lists the words that intervals look for, for highlights.

package compile

import (
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// IntervalWord is a word that intervals look for, or the words that a matcher accepts.
type IntervalWord struct {
	Field   string // the field to look in
	Text    string // the word; with a matcher, its name
	Matcher pattern.Matcher
}

// IntervalWords lists the words that the sources of a query look for, without words that must not occur.
func (c *Compiler) IntervalWords(n *query.Intervals) (list []IntervalWord, err error) {
	if c.unmappedInterval(n) {
		return nil, nil
	}
	b := c.intervalCompiler()
	root, err := b.rule(n.Rule, n.Field)
	if err != nil {
		return nil, err
	}
	seen := map[foundKey]bool{}
	var walk func(s *intervalSource, field string)
	walk = func(s *intervalSource, field string) {
		key := foundKey{s, field}
		if seen[key] || c.work.Charge(16) != nil {
			return
		}
		seen[key] = true
		word := IntervalWord{Field: field, Text: s.text}
		switch {
		case s.kind == wordSource:
			list = append(list, word)
		case s.kind == termsSource && s.only != "":
			word.Text = s.only
			list = append(list, word)
		case s.kind == termsSource:
			word.Matcher = s.matcher
			list = append(list, word)
		case s.kind == fieldSource:
			walk(s.parts[0], s.text)
		case s.kind == relatedSource && scorer.Relation(s.n) >= scorer.NotContaining:
			walk(s.parts[0], field)
		default:
			for _, p := range s.parts {
				walk(p, field)
			}
		}
	}
	walk(root, n.Field)
	return list, c.work.Charge(0)
}
