// This file compiles terms_set, and terms that takes its values from an item (terms lookup).

package compile

import (
	"cmp"
	"fmt"
	"math"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// lookup reads the values of an item, once for each lookup. An item of another environment is an error.
func (c *Compiler) lookup(l *query.Lookup) error {
	if env := c.resolver.Reader.Meta().Env; l.Index != env {
		return &query.Error{Code: problem.BadQuery, Parameter: "index", Position: -1,
			Message: fmt.Sprintf("terms can be looked up in the environment that is searched only, %q, not in %.80q: write the terms themselves", env, l.Index)}
	}
	values, err := c.valuesOf(l)
	if err != nil {
		return err
	}
	if c.looked == nil {
		c.looked = map[*query.Lookup][]query.Value{}
	}
	c.looked[l] = values
	return nil
}

// valuesOf finds the values of an item at a path in the column of that path. It does not read the item's JSON.
func (c *Compiler) valuesOf(l *query.Lookup) (values []query.Value, err error) {
	d, ok := c.resolver.Reader.Lookup(l.ID)
	f := c.resolver.Reader.Field(l.Path)
	if !ok || f == nil {
		return nil, nil
	}
	t, ok := fields.OfSub(f, snapshot.SubKeyword)
	if !ok {
		return nil, nil
	}
	column := t.Values.Column()
	if !column.Has(d) {
		return nil, nil
	}
	from, to := column.Start(column.Least(d)), column.Start(column.Greatest(d)+1)
	if err := c.work.Charge(scorer.LookupSteps + (to-from)/2); err != nil {
		return nil, err
	}
	for p := from; p < to; p++ {
		if column.Doc(p) == d {
			text := t.Values.Strings().At(column.OrdOf(p), nil)
			values = append(values, query.Value{Text: string(text)})
		}
	}
	return values, nil
}

// valuesFor returns the values of a terms query: its own, or the values that lookup has read.
func (c *Compiler) valuesFor(n *query.Terms) []query.Value {
	if n.Lookup != nil {
		return c.looked[n.Lookup]
	}
	return n.Values
}

func (c *Compiler) termsSet(n *query.TermsSet, boost float64) (scorer.Scorer, error) {
	if len(n.Values) == 0 {
		return nil, nil
	}
	var subs []scorer.Scorer
	if t, ok := c.resolver.Resolve(n.Field); ok {
		for _, v := range n.Values {
			s, err := c.field.term(t, v.Text, boost)
			if err := cmp.Or(badValue(err, n.Field), c.work.Failed()); err != nil {
				return nil, err
			}
			subs = append(subs, s)
		}
	}
	t, ok := c.resolver.Resolve(n.MinField)
	if !ok || !t.Kind.Typed() {
		return nil, &query.Error{Code: problem.BadQuery, Parameter: "minimum_should_match_field", Position: -1,
			Message: fmt.Sprintf("%.80q holds no numbers, of which terms_set needs one for each item", n.MinField)}
	}
	return c.request.Covering(subs, leastOf(t)), nil
}

// leastOf returns a function to the least number of a document: at least 1, without its fraction. A document
// without a number never has enough terms.
func leastOf(t fields.Target) func(snapshot.DocID) int {
	column, numbers := t.Values.Column(), t.Values.Numbers()
	return func(d snapshot.DocID) int {
		ord := column.Least(d)
		switch {
		case ord == column.Distinct:
			return math.MaxInt
		case t.Kind.IsFraction():
			return int(max(1, min(math.MaxInt32, numbers.Float(ord))))
		}
		return int(max(1, min(math.MaxInt32, numbers.Int(ord))))
	}
}
