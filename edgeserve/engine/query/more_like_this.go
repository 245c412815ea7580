// This file parses more_like_this, which searches for the characteristic terms of texts and items.

package query

import (
	"math"
	"slices"

	"contentedge/edgeserve/wire/problem"
)

// MoreLikeThis matches the items that share terms with Like.
type MoreLikeThis struct {
	Fields          []string // nil: all fields; not empty with texts
	Like, Unlike    []Example
	MinTermFreq     int
	MaxTerms        int // of a field
	MinDocFreq      int
	MaxDocFreq      int
	MinWordLength   int
	MaxWordLength   int // 0: no limit
	StopWords       []string
	MinShouldMatch  string
	BoostTerms      float64 // 0: terms have the same weight
	Include         bool    // match the items of Like, too
	SkipUnsupported bool    // ignore fields without text
	Boost           float64
}

// Type implements Node.
func (*MoreLikeThis) Type() string { return "more_like_this" }

// Visit implements Part. The members of a document in Like are no fields of items.
func (n *MoreLikeThis) Visit(v *Visitor) {
	lists := [][]string{n.Fields}
	for _, e := range slices.Concat(n.Like, n.Unlike) {
		lists = append(lists, e.Fields)
	}
	for _, name := range slices.Concat(lists...) {
		v.Field(name)
	}
}

// Example is a text, an item by its ID, or the leaves of a document.
type Example struct {
	Text   *string
	ID     string
	Leaves []TextLeaf // of a document; not nil
	Fields []string   // of an item or a document; nil: those of the query
}

// TextLeaf is a value of a document as text, and its path.
type TextLeaf struct{ Path, Text string }

const (
	// maxExamples limits the texts and items that a more_like_this reads.
	maxExamples = 100
	// defaultMinTermFreq and the next three are Elasticsearch's.
	defaultMinTermFreq    = 2
	defaultMinDocFreq     = 5
	defaultMaxTerms       = 25
	defaultMinShouldMatch = "30%"
)

func (p *bodyParser) moreLikeThis(t *queryType, v *value) Node {
	n := &MoreLikeThis{MinTermFreq: defaultMinTermFreq, MinDocFreq: defaultMinDocFreq, MaxDocFreq: math.MaxInt32,
		MaxTerms: defaultMaxTerms, MinShouldMatch: defaultMinShouldMatch, Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "fields":
			if n.Fields = p.fieldList(m); len(n.Fields) == 0 {
				p.wrongValue(m, "an array of at least one field")
			}
		case "like":
			n.Like = p.examples(m)
		case "unlike":
			n.Unlike = p.examples(m)
		case "min_term_freq":
			n.MinTermFreq = p.integer(m, 0)
		case "max_query_terms":
			if n.MaxTerms = p.integer(m, 1); n.MaxTerms > maxClauses {
				p.tooMany(m, "terms", n.MaxTerms, maxClauses)
			}
		case "min_doc_freq":
			n.MinDocFreq = p.integer(m, 0)
		case "max_doc_freq":
			n.MaxDocFreq = p.integer(m, 0)
		case "min_word_length":
			n.MinWordLength = p.integer(m, 0)
		case "max_word_length":
			n.MaxWordLength = p.integer(m, 0)
		case "stop_words":
			if m.kind != kindArray {
				p.wrongValue(m, "an array of words")
				break
			}
			n.StopWords = p.texts(m, maxClauses)
		case "minimum_should_match":
			n.MinShouldMatch = p.minMatch(m)
		case "boost_terms":
			n.BoostTerms = p.weight(m)
		case "include":
			n.Include = p.bool(m)
		case "fail_on_unsupported_field":
			n.SkipUnsupported = !p.bool(m)
		case "analyzer":
			p.fixedOption(m)
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	if p.require(v, "like"); p.err == nil && len(n.Like) == 0 {
		p.fail(v, p.code(v), `%s needs a text or an item in "like"`, p.path(v))
	}
	for _, e := range append(n.Like[:len(n.Like):len(n.Like)], n.Unlike...) {
		if e.Text != nil && n.Fields == nil {
			p.fail(v, p.code(v), `%s has a text, but no "fields" to look for its terms in`, p.path(v))
		}
	}
	return n
}

func (p *bodyParser) fieldList(v *value) []string {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of fields")
		return nil
	}
	return p.texts(v, maxClauses)
}

func (p *bodyParser) examples(v *value) (list []Example) {
	if p.tooMany(v, "texts and items", len(v.items), maxExamples) && v.kind == kindArray {
		return nil
	}
	p.each(v, func(e *value) {
		if e.kind != kindObject {
			list = append(list, Example{Text: new(p.text(e))})
			return
		}
		list = append(list, p.example(e))
	})
	return list
}

func (p *bodyParser) example(v *value) (e Example) {
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "_id":
			e.ID = p.text(m)
		case "doc":
			if m.kind != kindObject {
				p.wrongValue(m, "a document")
				break
			}
			e.Leaves = m.leaves("", []TextLeaf{})
		case "fields":
			e.Fields = p.fieldList(m)
		case "_index", "_type", "routing", "_routing":
			p.text(m) // there is one index
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of an item; known options: _id, doc, fields, _index, _type, routing", clip(m.name))
		}
	}
	if (e.ID == "") == (e.Leaves == nil) && p.err == nil {
		p.fail(v, p.code(v), "%s needs _id or doc", p.path(v))
	}
	return e
}

// leaves appends the scalars below an object.
func (v *value) leaves(path string, list []TextLeaf) []TextLeaf {
	for i := range v.items {
		m := &v.items[i]
		below := path
		if v.kind == kindObject {
			if below = m.name; path != "" {
				below = path + "." + m.name
			}
		}
		switch m.kind {
		case kindObject, kindArray:
			list = m.leaves(below, list)
		case kindNull:
		default:
			list = append(list, TextLeaf{below, m.text})
		}
	}
	return list
}
