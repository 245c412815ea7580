// This file compiles a text over several fields, by the type of the query.

package compile

import (
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// fieldsText says how a text matches several fields, and how the fields combine.
type fieldsText struct {
	kind    query.FieldsType
	words   words
	slop    int
	tie     float32 // the share of their score that fields other than the best add
	lenient bool
}

func (c *Compiler) multiMatch(n *query.MultiMatch, boost float64) (scorer.Scorer, error) {
	ts, _, lenient, err := c.targets(n.Fields, false, n.Lenient)
	if err != nil {
		return nil, err
	}
	f := fieldsText{
		kind: n.Kind, words: words{n.And, n.MinShouldMatch, n.Fuzziness, n.Spelling},
		slop: n.Slop, tie: float32(n.TieBreaker), lenient: lenient,
	}
	parts, err := c.fieldParts(ts, n.Text.Text, f, boost)
	if err != nil {
		return nil, err
	}
	var subs []scorer.Scorer
	for _, p := range parts {
		if p.none && n.ZeroTermsAll {
			p.s = c.request.All(p.boost)
		}
		subs = append(subs, p.s)
	}
	return scorer.DisjunctionMax(subs, f.tie), nil
}

// fieldPart is the Scorer of a text on one field or on a group of fields. none reports whether the text has no words.
type fieldPart struct {
	s     scorer.Scorer
	none  bool
	boost float64
}

// fieldParts matches a text on each field, or on each group of fields.
func (c *Compiler) fieldParts(ts []fields.Target, text string, f fieldsText, boost float64) (parts []fieldPart, err error) {
	if f.kind == query.CrossFields && c.field.listing == nil {
		return c.crossFields(ts, text, f, boost)
	}
	parts = make([]fieldPart, 0, len(ts))
	for _, t := range ts {
		p := fieldPart{boost: boost * t.Boost}
		p.s, p.none, err = c.field.textOn(t, text, f, p.boost)
		p.s = scorer.Boosted(p.s, t.Boost)
		if isUnfit(err) && f.lenient {
			p.s, err = nil, nil
		}
		if err != nil {
			return nil, badValue(err, t.Name())
		}
		if err := c.work.Failed(); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// textOn matches a text on one field.
func (c *fieldCompiler) textOn(t fields.Target, text string, f fieldsText, boost float64) (s scorer.Scorer, none bool, err error) {
	if c.listing != nil && t.Kind.Typed() && f.words.fuzziness != nil {
		return nil, false, nil // next to other fields, Elasticsearch leaves out a field without letters
	}
	switch f.kind {
	case query.Phrase:
		return c.quoted(t, text, f.slop, boost)
	case query.PhrasePrefix:
		return c.phrasePrefix(t, text, f.slop, f.words.spelling.MaxExpansions, boost)
	case query.BoolPrefix:
		return c.boolPrefix(t, text, f.words, boost)
	}
	return c.matchOn(t, text, f.words, boost)
}
