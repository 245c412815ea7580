// This file compiles single values of one target.

package search

import (
	"cmp"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

func (c *fieldCompiler) termQuery(t fields.Target, n *query.Term, boost float64) (iter.Scorer, error) {
	if n.CaseInsensitive {
		return c.anyCase(t, escapePattern(n.Value.Text), boost), nil
	}
	return c.term(t, n.Value.Text, boost, false)
}

// term matches a token, a string or a value; with constant the score is the boost, as in `terms`.
func (c *fieldCompiler) term(t fields.Target, text string, boost float64, constant bool) (iter.Scorer, error) {
	switch t.Kind {
	case fields.Text:
		s := c.Word(t.Field, []byte(text), boost)
		if constant {
			s = iter.Constant(s, boost)
		}
		return s, nil
	case fields.Keyword:
		return c.keyword(t, text, boost, constant), nil
	case fields.Boolean:
		return c.boolean(t, text, boost, constant)
	case fields.Date:
		return c.valueRange(t, &iter.Bound{Text: text, Inc: true}, &iter.Bound{Text: text, Inc: true}, boost)
	}
	return c.number(t, text, boost)
}

func (c *fieldCompiler) terms(t fields.Target, values []query.Value, boost float64) (iter.Scorer, error) {
	var subs []iter.Scorer
	for _, v := range values {
		s, err := c.term(t, v.Text, boost, true)
		if err := cmp.Or(err, c.Charge(16)); err != nil {
			return nil, err
		}
		subs = append(subs, s)
	}
	s := iter.Constant(iter.Disjunction(subs, 1), boost)
	return c.Titled(s, func() string { return termsText(t, values) }), nil
}

func (c *fieldCompiler) keyword(t fields.Target, text string, boost float64, constant bool) iter.Scorer {
	c.Charge(2 * iter.LookupSteps)
	ord, ok := t.Values.Strings().Find([]byte(text))
	if !ok || t.Admit != nil && !t.Admit(text) {
		return nil
	}
	return c.value(t, ord, boost, constant || t.IsID)
}

func (c *fieldCompiler) value(t fields.Target, ord int, boost float64, constant bool) iter.Scorer {
	column := t.Values.Column()
	name := func() string { return t.Name() + ":" + valueText(t, ord) }
	if constant {
		return c.Titled(c.Ordinals(column, ord, ord+1, boost), func() string { return "ConstantScore(" + name() + ")" })
	}
	return c.Keyword(column, ord, column.Count(ord), boost, name)
}

func (c *fieldCompiler) boolean(t fields.Target, text string, boost float64, constant bool) (iter.Scorer, error) {
	ord, ok, err := booleanOrdinal(t, text)
	if err != nil || !ok {
		return nil, err
	}
	return c.value(t, ord, boost, constant), nil
}

// booleanOrdinal finds a boolean; ok is false if no item has it.
func booleanOrdinal(t fields.Target, text string) (ord int, ok bool, err error) {
	want := int64(0)
	switch text {
	case "true":
		want = 1
	case "false":
	default:
		return 0, false, unfit(fields.Boolean, text)
	}
	n := t.Values.Numbers()
	ord = n.FindInt(want)
	return ord, ord < n.Len() && n.Int(ord) == want, nil
}
