// This file turns REST lists into bodies. Its clauses occur only in lists and URL parameters.

package search

import (
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
)

// FromList is the body that answers a REST list.
func FromList(l address.List) *query.Body {
	b := &query.Body{From: (l.Page - 1) * l.Size, Size: l.Size}
	var filters []query.Node
	for _, f := range [][2]string{{"Name", l.Name}, {"TemplateName", l.Template}, {"Status", l.Status}, {"CreatedBy", l.CreatedBy}} {
		if f[1] != "" {
			filters = append(filters, &keywordTerm{f[0], f[1]})
		}
	}
	if len(filters) > 0 {
		b.Query = &query.Bool{Filter: filters, Boost: 1}
	}
	b.Sort = []query.SortKey{{Field: l.Sort, Asc: l.Asc, Exact: true}, {Field: snapshot.IDField, Asc: true}}
	return b
}

// keywordTerm matches a whole string exactly, with a constant score.
type keywordTerm struct{ field, text string }

// Type implements query.Node.
func (*keywordTerm) Type() string { return "keyword_term" }

// Visit implements query.Part.
func (n *keywordTerm) Visit(v *query.Visitor) { v.Field(n.field) }

func (c *compiler) keywordTerm(n *keywordTerm, boost float64) scorer.Scorer {
	if f := c.Reader.Field(n.field); f != nil {
		if t, ok := fields.OfSub(f, snapshot.SubKeyword); ok {
			return c.keyword(t, n.text, boost, true)
		}
	}
	return nil
}

// typedOnly matches numbers, dates and booleans, but no text: there the whole value counts.
type typedOnly struct{ *query.Match }

func (c *compiler) typed(n *typedOnly, boost float64) (scorer.Scorer, error) {
	return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) {
		if t.Kind == fields.Text {
			return nil, nil
		}
		return c.match(t, n.Match, boost*n.Boost)
	})
}

// wordBelow matches a word in the values of any path that begins with a prefix.
type wordBelow struct{ prefix, word string }

// Type implements query.Node.
func (*wordBelow) Type() string { return "word_below" }

// Visit implements query.Part: no single field is named.
func (*wordBelow) Visit(*query.Visitor) {}

func (c *compiler) wordBelow(n *wordBelow, boost float64) scorer.Scorer {
	var subs []scorer.Scorer
	for _, f := range c.Reader.FieldsBelow(n.prefix) {
		switch {
		case c.Failed() != nil:
			return nil
		case f.Type == snapshot.Text:
			subs = append(subs, c.Word(f, []byte(n.word), boost))
		case mayHaveWord(f.Type, n.word):
			subs = append(subs, c.stringPhrase(fields.OfPath(f), []string{n.word}, 0, false, boost))
		}
	}
	return scorer.DisjunctionMax(subs, 0)
}

// mayHaveWord tells whether a value may have a word: those of numbers and dates begin with a digit.
func mayHaveWord(t snapshot.Type, word string) bool {
	if t == snapshot.Boolean {
		_, ok := analysis.ReadBool(word)
		return ok
	}
	return word[0] >= '0' && word[0] <= '9'
}

// elementNamed matches items with a value below Data under a name: an element at any depth, or
// successive elements of a path such as venue.city. The path from Data names elements too.
type elementNamed struct{ name string }

// Type implements query.Node.
func (*elementNamed) Type() string { return "element_named" }

// Visit implements query.Part: no single field is named.
func (*elementNamed) Visit(*query.Visitor) {}

func (e *elementNamed) names(path string) bool {
	below := path[len(dataPrefix)-1:] // with its dot
	return strings.Contains(below+".", "."+e.name+".") || isDataPath(e.name) && strings.HasPrefix(path+".", e.name+".")
}

func (c *compiler) elementNamed(e *elementNamed, boost float64) scorer.Scorer {
	set := c.DocSet()
	for _, f := range c.Reader.FieldsBelow(dataPrefix) {
		if c.Charge(scorer.EntrySteps) != nil {
			return nil
		}
		if e.names(f.Path) {
			set.AddColumn(f.SortColumn())
		}
	}
	return set.Scorer(boost)
}

const dataPrefix = "Data."

func isDataPath(name string) bool {
	return len(name) > len(dataPrefix) && strings.HasPrefix(name, dataPrefix)
}
