// This file says how the queries of a search look for values.

package differences

import (
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
)

// form is how a query looks for values.
type form uint8

const (
	wildcard form = iota
	letters       // other patterns, prefixes, misspelt words
	phrasePrefix
	quoted
	crossFields
	bounds
)

// use is a text that a query looks for in fields.
type use struct {
	form    form
	text    string
	names   []string // names and patterns of fields
	lenient bool     // the text of dates, numbers and booleans is not searched
	clause  bool     // a query of its own, not a part of a query string
}

func (s *search) readNode(n query.Node) {
	add := func(f form, text, name string) {
		s.uses = append(s.uses, use{form: f, text: text, names: []string{name}, clause: true})
	}
	switch n := n.(type) {
	case *query.Wildcard:
		add(wildcard, n.Pattern, n.Field)
	case *query.Prefix:
		add(letters, n.Value, n.Field)
	case *query.Regexp:
		add(letters, n.Pattern, n.Field)
	case *query.Fuzzy:
		add(letters, n.Value.Text, n.Field)
	case *query.Range:
		add(bounds, "", n.Field)
	case *query.Match:
		if n.Fuzziness != nil && !n.Lenient {
			add(letters, n.Text.Text, n.Field)
		}
	case *query.MatchPhrase:
		add(quoted, n.Text.Text, n.Field)
	case *query.MatchPhrasePrefix:
		add(phrasePrefix, n.Text.Text, n.Field)
	case *query.MultiMatch:
		if n.Fuzziness != nil {
			s.readWords(letters, n.Text.Text, namesOf(n.Fields), n.Lenient)
		}
		s.readWords(formOf(n.Kind), n.Text.Text, namesOf(n.Fields), n.Lenient)
	case *query.QueryString:
		names := namesOf(n.Fields)
		if n.DefaultField != "" {
			names = append(names, n.DefaultField)
		}
		s.readStrings(n.Expr, names, &n.StringOptions)
	case *query.SimpleQueryString:
		s.readStrings(n.Expr, namesOf(n.Fields), &n.StringOptions)
	}
}

// noForm is the form of words, which look for values of any type.
const noForm = bounds + 1

func formOf(kind query.FieldsType) form {
	switch kind {
	case query.CrossFields:
		return crossFields
	case query.Phrase:
		return quoted
	case query.PhrasePrefix:
		return phrasePrefix
	}
	return noForm
}

func namesOf(list []query.FieldBoost) (names []string) {
	for _, f := range list {
		names = append(names, f.Field)
	}
	return names
}

// readWords adds a text that is searched for in fields, or in all fields if none is named.
func (s *search) readWords(f form, text string, names []string, lenient *bool) {
	everywhere := len(names) == 0 || slices.Contains(names, "*")
	if len(names) == 0 {
		names = []string{"*"}
	}
	s.uses = append(s.uses, use{form: f, text: text, names: names, lenient: everywhere && lenient == nil || lenient != nil && *lenient})
}

// leafForms are the forms of the leaves of a query string.
var leafForms = map[lucene.LeafKind]form{
	lucene.LeafQuoted: quoted, lucene.LeafPrefix: letters, lucene.LeafWildcard: letters, lucene.LeafRegexp: letters, lucene.LeafFuzzy: letters,
}

// readStrings adds the leaves of a query string.
func (s *search) readStrings(g *lucene.Group, names []string, o *query.StringOptions) {
	if g == nil {
		return
	}
	for _, c := range g.Clauses {
		if c.Leaf == nil {
			s.readStrings(c.Group, names, o)
			continue
		}
		l := c.Leaf
		f, special := leafForms[l.Kind]
		if !special {
			f = formOf(o.Kind)
		}
		if l.Kind == lucene.LeafRange {
			f = bounds
		}
		in := names
		if l.HasField {
			in = []string{l.Field}
		}
		if l.Kind != lucene.LeafWildcard || l.Text != "*" {
			s.readWords(f, l.Text, in, o.Lenient)
		}
	}
}

// anyUse reports whether a query of a form looks in a target that holds.
func (s *search) anyUse(f form, holds func(u *use, t *fields.Target) bool) bool {
	return slices.ContainsFunc(s.uses, func(u use) bool {
		return u.form == f && slices.ContainsFunc(u.names, func(name string) bool {
			return s.anyTarget(name, func(t *fields.Target) bool { return holds(&u, t) })
		})
	})
}

// inText reports whether a query looks in the text of dates, numbers or booleans.
func inText(u *use, t *fields.Target) bool { return typed(t) && !u.lenient }

// fits reports whether a text is a value of a type.
func fits(text string, kind fields.TargetKind) bool {
	ok := false
	switch kind {
	case fields.Date:
		_, ok = analysis.ReadDate(text)
	case fields.Boolean:
		_, ok = analysis.ReadBool(text)
	default:
		_, ok = analysis.ReadDouble(text)
	}
	return ok
}
