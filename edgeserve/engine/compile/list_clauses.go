// This file compiles the queries that only lists and URL parameters make. No body can name them.

package compile

import (
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// KeywordTerm matches a whole string exactly, with a constant score.
type KeywordTerm struct{ Field, Text string }

// Type implements query.Node.
func (*KeywordTerm) Type() string { return "keyword_term" }

// Visit implements query.Part.
func (n *KeywordTerm) Visit(v *query.Visitor) { v.Field(n.Field) }

func (c *Compiler) keywordTerm(n *KeywordTerm, boost float64) scorer.Scorer {
	if f := c.resolver.Reader.Field(n.Field); f != nil {
		if t, ok := fields.OfSub(f, snapshot.SubKeyword); ok {
			return c.field.keyword(t, n.Text, boost, true)
		}
	}
	return nil
}

// TypedOnly is a Match that matches nothing on text. There a KeywordTerm compares whole strings.
type TypedOnly struct{ *query.Match }

func (c *Compiler) typed(n *TypedOnly, boost float64) (scorer.Scorer, error) {
	return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) {
		if t.Kind == fields.Text {
			return nil, nil
		}
		return c.field.match(t, n.Match, boost*n.Boost)
	})
}

// WordBelow matches a word in the values of any path that begins with a prefix.
type WordBelow struct{ Prefix, Word string }

// Type implements query.Node.
func (*WordBelow) Type() string { return "word_below" }

// Visit implements query.Part: no single field is named.
func (*WordBelow) Visit(*query.Visitor) {}

func (c *Compiler) wordBelow(n *WordBelow, boost float64) scorer.Scorer {
	var subs []scorer.Scorer
	for _, f := range c.resolver.Reader.FieldsBelow(n.Prefix) {
		switch {
		case c.work.Failed() != nil:
			return nil
		case f.Type == snapshot.Text:
			subs = append(subs, c.request.Word(f, []byte(n.Word), boost))
		case mayHaveWord(f.Type, n.Word):
			subs = append(subs, c.field.stringPhrase(fields.OfPath(f), []string{n.Word}, 0, false, boost))
		}
	}
	return scorer.DisjunctionMax(subs, 0)
}

// mayHaveWord reports whether a value may have a word. The words of numbers and dates begin with a digit.
func mayHaveWord(t snapshot.Type, word string) bool {
	if t == snapshot.Boolean {
		_, ok := analysis.ReadBool(word)
		return ok
	}
	return word[0] >= '0' && word[0] <= '9'
}

// ElementNamed matches items that have a value below Data at an element of a name. Name is the name of an
// element at any depth, successive names such as venue.city, or a path that begins with Data.
type ElementNamed struct{ Name string }

// Type implements query.Node.
func (*ElementNamed) Type() string { return "element_named" }

// Visit implements query.Part: no single field is named.
func (*ElementNamed) Visit(*query.Visitor) {}

// Names reports whether a path below Data has the element.
func (e *ElementNamed) Names(path string) bool {
	below := path[len(DataPrefix)-1:] // the path below Data, with a dot before it
	return strings.Contains(below+".", "."+e.Name+".") || IsDataPath(e.Name) && strings.HasPrefix(path+".", e.Name+".")
}

func (c *Compiler) elementNamed(e *ElementNamed, boost float64) scorer.Scorer {
	set := c.request.DocSet()
	for _, f := range c.resolver.Reader.FieldsBelow(DataPrefix) {
		if c.work.Charge(scorer.EntrySteps) != nil {
			return nil
		}
		if e.Names(f.Path) {
			set.AddColumn(f.SortColumn())
		}
	}
	return set.Scorer(boost)
}

// DataPrefix begins the paths of the members of Data.
const DataPrefix = "Data."

// IsDataPath reports whether a name is the path of a member of Data.
func IsDataPath(name string) bool {
	return len(name) > len(DataPrefix) && strings.HasPrefix(name, DataPrefix)
}
