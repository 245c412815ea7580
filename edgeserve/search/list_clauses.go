// This file turns a REST list into a body, and holds the clauses that other bodies cannot
// have: those of lists and of the parameters of the search endpoint.

package search

import (
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
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

// keywordTerm matches a whole string, as lists compare: exactly, with a constant score.
type keywordTerm struct{ field, text string }

// Type implements query.Node.
func (*keywordTerm) Type() string { return "keyword_term" }

func (c *compiler) keywordTerm(n *keywordTerm, boost float64) iter.Scorer {
	if f := c.Reader.Field(n.field); f != nil {
		if t, ok := fields.OfSub(f, snapshot.SubKeyword); ok {
			return c.keyword(t, n.text, boost, true)
		}
	}
	return nil
}

// typedOnly is a match on a path that holds numbers, dates or booleans; on text it
// matches nothing, since there the whole value counts.
type typedOnly struct{ *query.Match }

// typed matches a number, date or boolean by value.
func (c *compiler) typed(n *typedOnly, boost float64) (iter.Scorer, error) {
	return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) {
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

func (c *compiler) wordBelow(n *wordBelow, boost float64) iter.Scorer {
	var subs []iter.Scorer
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
	return iter.DisjunctionMax(subs, 0)
}

// mayHaveWord tells whether the text of a value that is no text may have a word: all words
// of numbers and dates begin with a digit.
func mayHaveWord(t snapshot.Type, word string) bool {
	if t == snapshot.Boolean {
		_, ok := analysis.ReadBool(word)
		return ok
	}
	return word[0] >= '0' && word[0] <= '9'
}

// elementNamed matches items with a value below Data under a name: that of an element at
// any depth, or of elements that follow one another in a path, as in venue.city. The path
// from Data on names elements too.
type elementNamed struct{ name string }

// Type implements query.Node.
func (*elementNamed) Type() string { return "element_named" }

// names reports whether a path of Data leads through elements of the name.
func (e *elementNamed) names(path string) bool {
	below := path[len(dataPrefix)-1:] // with its dot
	return strings.Contains(below+".", "."+e.name+".") || isDataPath(e.name) && strings.HasPrefix(path+".", e.name+".")
}

// elementNamed compiles the items that have the element.
func (c *compiler) elementNamed(e *elementNamed, boost float64) iter.Scorer {
	set := c.DocSet()
	for _, f := range c.Reader.FieldsBelow(dataPrefix) {
		if c.Charge(iter.EntrySteps) != nil {
			return nil
		}
		if e.names(f.Path) {
			set.AddColumn(f.SortColumn())
		}
	}
	return set.Scorer(boost)
}

// dataPrefix begins the paths of what an item is about.
const dataPrefix = "Data."

// isDataPath reports whether name is Data. and a path.
func isDataPath(name string) bool {
	return len(name) > len(dataPrefix) && strings.HasPrefix(name, dataPrefix)
}
