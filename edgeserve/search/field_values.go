// This file compiles single values of one target.

package search

import (
	"cmp"
	"slices"

	"contentedge/edgeserve/analysis"
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

func (c *fieldCompiler) terms(t fields.Target, n *query.Terms, boost float64) (iter.Scorer, error) {
	var subs []iter.Scorer
	for _, v := range n.Values {
		s, err := c.term(t, v.Text, boost, true)
		if err := cmp.Or(err, c.Charge(16)); err != nil {
			return nil, err
		}
		subs = append(subs, s)
	}
	return iter.Constant(iter.Disjunction(subs, 1), boost), nil
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
	column, score := t.Values.Column(), boost
	if !constant {
		score = iter.KeywordScore(column, column.Count(ord), boost)
	}
	return c.Ordinals(column, ord, ord+1, score)
}

func (c *fieldCompiler) boolean(t fields.Target, text string, boost float64, constant bool) (iter.Scorer, error) {
	want := int64(0)
	switch text {
	case "true":
		want = 1
	case "false":
	default:
		return nil, unfit(fields.Boolean, text)
	}
	n := t.Values.Numbers()
	ord := n.FindInt(want)
	if ord == n.Len() || n.Int(ord) != want {
		return nil, nil
	}
	return c.value(t, ord, boost, constant), nil
}

// notNumbers are texts that Elasticsearch reads as numbers but no item can have.
var notNumbers = []string{"NaN", "Infinity", "+Infinity", "-Infinity"}

func (c *fieldCompiler) number(t fields.Target, text string, boost float64) (iter.Scorer, error) {
	f, i, isInt, ok := analysis.ParseNumber(text)
	switch {
	case slices.Contains(notNumbers, text):
		return nil, nil
	case !ok:
		return nil, unfit(t.Kind, text)
	}
	n := t.Values.Numbers()
	ord := 0
	if t.Kind == fields.Float {
		f = float64(float32(f))
	}
	if t.Kind.IsFraction() {
		if ord = n.FindFloat(f); ord == n.Len() || n.Float(ord) != f {
			return nil, nil
		}
	} else if ord = n.FindInt(i); !isInt || ord == n.Len() || n.Int(ord) != i {
		return nil, nil
	}
	return c.Ordinals(t.Values.Column(), ord, ord+1, boost), nil
}
