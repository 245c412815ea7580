// This file compiles single values of one target.

package compile

import (
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

func (c *fieldCompiler) termQuery(t fields.Target, n *query.Term, boost float64) (scorer.Scorer, error) {
	switch {
	case n.CaseInsensitive && c.listing != nil:
		c.listing.to.AnyCase(c.listing.leaf(t, boost), n.Value.Text)
		return nil, nil
	case n.CaseInsensitive:
		return c.anyCase(t, pattern.Escape(n.Value.Text), boost), nil
	}
	return c.term(t, n.Value.Text, boost)
}

// term matches a token, a string or a value.
func (c *fieldCompiler) term(t fields.Target, text string, boost float64) (scorer.Scorer, error) {
	if c.listing != nil {
		c.listing.to.Word(c.listing.leaf(t, boost), text)
		return nil, nil
	}
	switch t.Kind {
	case fields.Text:
		return c.request.Word(t.Field, []byte(text), boost), nil
	case fields.Keyword:
		return c.keyword(t, text, boost, false), nil
	case fields.Boolean:
		return c.boolean(t, text, boost)
	case fields.Date:
		return c.valueRange(t, &scorer.Bound{Text: text, Inc: true}, &scorer.Bound{Text: text, Inc: true}, boost)
	}
	return c.number(t, text, boost)
}

func (c *fieldCompiler) terms(t fields.Target, values []query.Value, boost float64) (scorer.Scorer, error) {
	if c.listing != nil {
		c.listing.to.Values(c.listing.leaf(t, boost), values)
		return nil, nil
	}
	s, err := c.anyOf(t, values, boost)
	if err != nil {
		return nil, err
	}
	return c.request.WithDescription(s, func() string { return termsText(t, values) }), nil
}

// anyOf matches any of some values.
func (c *fieldCompiler) anyOf(t fields.Target, values []query.Value, boost float64) (scorer.Scorer, error) {
	var words []scorer.Scorer
	var ords []scorer.OrdinalRange
	for _, v := range values {
		if err := c.work.Charge(16); err != nil {
			return nil, err
		}
		if t.Kind == fields.Text {
			words = append(words, c.request.Word(t.Field, []byte(v.Text), boost))
			continue
		}
		from, to, err := c.ordinalsOf(t, v.Text)
		if err != nil {
			return nil, err
		}
		ords = append(ords, scorer.OrdinalRange{From: from, To: to})
	}
	if t.Kind == fields.Text {
		return scorer.Constant(scorer.Disjunction(words, 1), boost), nil
	}
	return c.request.AnyOrdinals(t.Values.Column(), ords, boost), nil
}

// ordinalsOf returns the ordinals of a value of a typed or keyword target: none, from == to, if no item has it.
func (c *fieldCompiler) ordinalsOf(t fields.Target, text string) (from, to int, err error) {
	switch t.Kind {
	case fields.Keyword:
		if ord, ok := c.keywordOrdinal(t, text); ok {
			return ord, ord + 1, nil
		}
		return 0, 0, nil
	case fields.Boolean:
		ord, ok, err := booleanOrdinal(t, text)
		if err != nil || !ok {
			return 0, 0, err
		}
		return ord, ord + 1, nil
	case fields.Date:
		value := &scorer.Bound{Text: text, Inc: true}
		return c.ordinals(&t, value, value, nil)
	}
	return numberOrdinals(t, text)
}

func (c *fieldCompiler) keyword(t fields.Target, text string, boost float64, constant bool) scorer.Scorer {
	ord, ok := c.keywordOrdinal(t, text)
	if !ok {
		return nil
	}
	return c.value(t, ord, boost, constant || t.Metadata)
}

// keywordOrdinal finds a whole string; ok is false if no item has it.
func (c *fieldCompiler) keywordOrdinal(t fields.Target, text string) (ord int, ok bool) {
	c.work.Charge(scorer.LookupSteps)
	ord, ok = c.request.Find(t.Values.Strings(), []byte(text))
	return ord, ok && (t.Admit == nil || t.Admit(text))
}

func (c *fieldCompiler) value(t fields.Target, ord int, boost float64, constant bool) scorer.Scorer {
	column := t.Values.Column()
	name := func() string { return t.Name() + ":" + valueText(t, ord) }
	if constant {
		return c.request.WithDescription(c.request.Ordinals(column, ord, ord+1, boost), func() string { return "ConstantScore(" + name() + ")" })
	}
	return c.request.Keyword(column, ord, column.Count(ord), boost, name)
}

func (c *fieldCompiler) boolean(t fields.Target, text string, boost float64) (scorer.Scorer, error) {
	ord, ok, err := booleanOrdinal(t, text)
	if err != nil || !ok {
		return nil, err
	}
	return c.value(t, ord, boost, false), nil
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
