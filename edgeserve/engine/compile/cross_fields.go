// This file compiles cross_fields: the fields of a group count as one field with all their words.

package compile

import (
	"cmp"
	"math"
	"slices"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// crossFields matches the words of a text on analyzed fields, and the whole text on other fields.
func (c *Compiler) crossFields(ts []fields.Target, text string, f fieldsText, boost float64) (parts []fieldPart, err error) {
	var analyzed, whole []fields.Target
	for _, t := range ts {
		if t.Kind == fields.Text {
			analyzed = append(analyzed, t)
		} else {
			whole = append(whole, t)
		}
	}
	for _, group := range [][]fields.Target{analyzed, whole} {
		if len(group) == 0 {
			continue
		}
		subs, weight, err := c.groupWords(group, text, f, boost)
		switch {
		case isUnfit(err) && f.lenient:
			parts = append(parts, fieldPart{})
		case err != nil:
			return nil, badValue(err, group[0].Name())
		default:
			parts = append(parts, fieldPart{c.field.joinWords(subs, f.words), len(subs) == 0, weight})
		}
	}
	return parts, nil
}

// groupWords matches each word of a text on the fields of a group. The fields of a group are all analyzed, or none
// is. weight is the boost of a group that is not analyzed.
func (c *Compiler) groupWords(group []fields.Target, text string, f fieldsText, boost float64) (subs []scorer.Scorer, weight float64, err error) {
	terms := []string{text}
	if group[0].Kind == fields.Text {
		if terms, err = c.field.words(text); err != nil {
			return nil, 0, err
		}
	}
	weight = boost
	if len(group) == 1 {
		weight *= group[0].Boost
	}
	subs = make([]scorer.Scorer, len(terms))
	for i, term := range terms {
		if len(group) == 1 {
			subs[i], err = c.field.term(group[0], term, weight)
		} else {
			subs[i], err = c.field.blend(group, term, f, boost)
		}
		if err := cmp.Or(err, c.work.Failed()); err != nil {
			return nil, 0, err
		}
	}
	return subs, weight, nil
}

// blendedTerm is a term of one field of a group.
type blendedTerm struct {
	t    fields.Target
	info snapshot.TermInfo // text
	ord  int               // keyword, boolean
	df   int
}

// blend matches a term in several fields as if it were about equally common in each. A field of numbers or dates scores
// as it does without other fields.
func (c *fieldCompiler) blend(group []fields.Target, text string, f fieldsText, boost float64) (scorer.Scorer, error) {
	var subs []scorer.Scorer
	var terms []blendedTerm
	var blended []scorer.Scorer
	tokens := math.MaxInt
	for _, t := range group {
		b, is, err := c.blendedTerm(t, text)
		if !is && err == nil {
			var s scorer.Scorer
			s, err = c.term(t, text, boost*t.Boost)
			subs = append(subs, s)
		}
		switch {
		case isUnfit(err) && f.lenient:
		case err != nil:
			return nil, badValue(err, t.Name())
		case b.df > 0:
			terms = append(terms, b)
			tokens = min(tokens, tokensOf(t))
		case is:
			blended = append(blended, nil) // explanations count a field without the term
		}
	}
	blendFrequencies(terms, min(c.request.Items, tokens))
	for _, b := range terms {
		blended = append(blended, c.expansionScorer(b.t, expansion{info: b.info, ord: b.ord, term: text}, b.df, boost*b.t.Boost))
	}
	if s := scorer.DisjunctionMax(blended, f.tie); s != nil {
		subs = append(subs, s)
	}
	return scorer.DisjunctionMax(subs, f.tie), nil
}

// blendedTerm finds a term with its frequency. is reports whether the values of the target are terms.
func (c *fieldCompiler) blendedTerm(t fields.Target, text string) (b blendedTerm, is bool, err error) {
	c.work.Charge(scorer.LookupSteps)
	b.t = t
	ok := false
	switch {
	case t.Kind == fields.Text:
		if b.info, ok = t.Field.Terms().Lookup([]byte(text)); ok {
			b.df = b.info.DF
		}
		return b, true, nil
	case t.Kind == fields.Keyword && !t.Metadata:
		b.ord, ok = c.request.Find(t.Values.Strings(), []byte(text))
	case t.Kind == fields.Boolean:
		b.ord, ok, err = booleanOrdinal(t, text)
	default:
		return b, false, nil
	}
	if ok {
		b.df = t.Values.Column().Count(b.ord)
	}
	return b, true, err
}

// tokensOf is the number of terms in all documents.
func tokensOf(t fields.Target) int {
	if t.Kind == fields.Text {
		return int(t.Field.Tokens)
	}
	return t.Values.Column().Pairs
}

// blendFrequencies makes all terms as common as the commonest term. A less common term counts as slightly more
// common, so that the field where the term is most usual scores best. most limits the frequency.
func blendFrequencies(terms []blendedTerm, most int) {
	slices.SortStableFunc(terms, func(a, b blendedTerm) int { return cmp.Compare(b.df, a.df) })
	blended, before := 0, 0
	for i := range terms {
		df := terms[i].df
		switch {
		case i == 0:
			blended = min(most, df)
		case df < before:
			blended++
		}
		before, terms[i].df = df, min(most, blended)
	}
}
