// This file compiles queries that name fields: one, several, or all that match a pattern.

package compile

import (
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// on compiles a query of one field. A field that no item has matches nothing.
func (c *Compiler) on(field string, compile func(fields.Target) (scorer.Scorer, error)) (scorer.Scorer, error) {
	t, ok := c.resolver.Resolve(field)
	if !ok {
		return nil, searchable(field, false)
	}
	s, err := compile(t)
	return s, badValue(err, field)
}

// onText compiles a query of one field that reads the text of values: a pattern or a part of a word. The numbers of a
// metadata field have no text.
func (c *Compiler) onText(field string, compile func(fields.Target) (scorer.Scorer, error)) (scorer.Scorer, error) {
	return c.on(field, func(t fields.Target) (scorer.Scorer, error) {
		if err := textual(&t); err != nil {
			return nil, err
		}
		return compile(t)
	})
}

// textual returns the error of a field whose values have no text.
func textual(t *fields.Target) error {
	if t.Metadata && t.Kind.Typed() {
		return &unfitError{why: "holds numbers without a text: use term, terms or range"}
	}
	return nil
}

// searchable returns an error for a metadata field that queries cannot search. exists selects what exists can search.
func searchable(field string, exists bool) error {
	if fields.Unsearchable(field, exists) {
		return badValue(&unfitError{why: "is not searchable: no query knows its values"}, field)
	}
	return nil
}

// searchableName returns the error of a clause that names an unsearchable metadata field, unless the clause is lenient.
func searchableName(field string, lenient bool) error {
	if lenient {
		return nil
	}
	return searchable(field, false)
}

// searchableList returns the first error of searchableName for a list of fields.
func searchableList(list []query.FieldBoost, lenient bool) error {
	for _, f := range list {
		if err := searchableName(f.Field, lenient); err != nil {
			return err
		}
	}
	return nil
}

// targets resolves a `fields` option. An empty one means all fields, which are lenient by default.
// multiply is the parameter of fields.Resolver.List. all reports whether the option means all fields, and forgive
// whether the fields are lenient.
func (c *Compiler) targets(list []query.FieldBoost, multiply bool, lenient *bool) (ts []fields.Target, all, forgive bool, err error) {
	if all = len(list) == 0; all {
		ts, forgive = c.resolver.AllFields(), true
	} else {
		ts, forgive = c.resolver.List(list, multiply)
	}
	ts = c.inOrder(ts)
	valuesOnly(ts, lenient)
	forgive = option(lenient, forgive)
	return ts, all, forgive, searchableList(list, forgive)
}

// valuesOnly keeps clauses with the option lenient from searching the text of typed values. In Elasticsearch words and
// patterns are errors on typed values, and a lenient clause drops these errors.
func valuesOnly(ts []fields.Target, lenient *bool) {
	for i := range ts {
		ts[i].ValuesOnly = ts[i].ValuesOnly || option(lenient, false)
	}
}

func option(value *bool, absent bool) bool {
	if value == nil {
		return absent
	}
	return *value
}

func (c *Compiler) exists(name string, boost float64) (scorer.Scorer, error) {
	if err := searchable(name, true); err != nil {
		return nil, err
	}
	var subs []scorer.Scorer
	for _, t := range c.resolver.Existing(name) {
		s := c.request.WithDescription(c.request.HasValue(t.Sort, boost), func() string { return existsText(&t) })
		if scorer.IsAll(s) {
			return scorer.Constant(s, boost), nil
		}
		subs = append(subs, s)
	}
	return scorer.Constant(scorer.Disjunction(subs, 1), boost), nil
}

// rangeQuery compiles a range. Without bounds it matches any value.
func (c *Compiler) rangeQuery(t fields.Target, n *query.Range, boost float64) (scorer.Scorer, error) {
	lo, hi := rangeBounds(n)
	switch {
	case lo == nil && hi == nil && c.field.listing != nil:
		return nil, nil
	case lo == nil && hi == nil:
		return c.exists(n.Field, boost)
	}
	dates, err := c.field.dateReader(n.Format, n.TimeZone)
	if err != nil {
		return nil, err
	}
	return c.field.rangeOf(t, lo, hi, dates, boost)
}
