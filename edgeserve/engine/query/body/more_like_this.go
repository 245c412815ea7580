// This file parses more_like_this, which searches for the characteristic terms of texts and items.

package body

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

// maxExamples limits the texts and items that a more_like_this reads.
const maxExamples = 100

var moreLikeThisOptions = newQueryTable("more_like_this", []option[query.MoreLikeThis]{
	{"fields", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) {
		if n.Fields = p.fieldNames(v); len(n.Fields) == 0 {
			p.wrongValue(v, "an array of at least one field")
		}
	}},
	{"like", required, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.Like = parseExamples(p, v) }},
	{"unlike", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.Unlike = parseExamples(p, v) }},
	{"min_term_freq", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.MinTermFreq = p.integer(v, 0) }},
	{"max_query_terms", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) {
		n.MaxTerms = p.integer(v, 1)
		p.tooMany(v, "terms", n.MaxTerms, lucene.MaxClauses)
	}},
	{"min_doc_freq", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.MinDocFreq = p.integer(v, 0) }},
	{"max_doc_freq", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.MaxDocFreq = p.integer(v, 0) }},
	{"min_word_length", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.MinWordLength = p.integer(v, 0) }},
	{"max_word_length", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.MaxWordLength = p.integer(v, 0) }},
	{"stop_words", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) {
		if v.Kind != strictjson.Array {
			p.wrongValue(v, "an array of words")
			return
		}
		n.StopWords = p.texts(v, lucene.MaxClauses)
	}},
	{"minimum_should_match", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.MinShouldMatch = p.minMatch(v) }},
	{"boost_terms", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.BoostTerms = p.weight(v) }},
	{"include", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.Include = p.bool(v) }},
	{"fail_on_unsupported_field", optional, func(p *parser, n *query.MoreLikeThis, v *strictjson.Value) { n.SkipUnsupported = !p.bool(v) }},
	analyzer[query.MoreLikeThis](),
})

func parseMoreLikeThis(p *parser, v *strictjson.Value) query.Node {
	n := &query.MoreLikeThis{MinTermFreq: query.DefaultMinTermFreq, MinDocFreq: query.DefaultMinDocFreq, MaxDocFreq: math.MaxInt32,
		MaxTerms: query.DefaultMaxTerms, MinShouldMatch: query.DefaultMoreLikeThisMinMatch, Boost: 1}
	moreLikeThisOptions.parse(p, n, v)
	if p.err == nil && len(n.Like) == 0 {
		p.fail(v, p.code(v), `%s needs a text or an item in "like"`, p.path(v))
	}
	for _, e := range slices.Concat(n.Like, n.Unlike) {
		if e.Text != nil && n.Fields == nil {
			p.fail(v, p.code(v), `%s has a text, but no "fields" to look for its terms in`, p.path(v))
		}
	}
	return n
}

func (p *parser) fieldNames(v *strictjson.Value) []string {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of fields")
		return nil
	}
	return p.texts(v, lucene.MaxClauses)
}

func parseExamples(p *parser, v *strictjson.Value) (list []query.Example) {
	if p.tooMany(v, "texts and items", len(v.Items), maxExamples) && v.Kind == strictjson.Array {
		return nil
	}
	p.each(v, func(e *strictjson.Value) {
		if e.Kind == strictjson.Object {
			list = append(list, parseExample(p, e))
		} else {
			list = append(list, query.Example{Text: new(p.text(e))})
		}
	})
	return list
}

// exampleOptions are the options of an example: an item or a document. _index is ignored: there is one index.
var exampleOptions = newTable("an item", []option[query.Example]{
	{"_id", optional, func(p *parser, e *query.Example, v *strictjson.Value) { e.ID = p.text(v) }},
	{"doc", optional, func(p *parser, e *query.Example, v *strictjson.Value) {
		if v.Kind != strictjson.Object {
			p.wrongValue(v, "a document")
			return
		}
		e.Leaves = leaves(v, "", []query.TextLeaf{})
	}},
	{"fields", optional, func(p *parser, e *query.Example, v *strictjson.Value) { e.Fields = p.fieldNames(v) }},
	noEffect[query.Example]("_index", checkText),
	noEffect[query.Example]("_type", checkText),
	noEffect[query.Example]("routing", checkText),
	{"_routing", unlisted, func(p *parser, _ *query.Example, v *strictjson.Value) { p.text(v) }},
})

func parseExample(p *parser, v *strictjson.Value) (e query.Example) {
	exampleOptions.parse(p, &e, v)
	if (e.ID == "") == (e.Leaves == nil) && p.err == nil {
		p.fail(v, p.code(v), "%s needs _id or doc", p.path(v))
	}
	return e
}

// leaves appends the scalars below an object.
func leaves(v *strictjson.Value, path string, list []query.TextLeaf) []query.TextLeaf {
	for i := range v.Items {
		m := &v.Items[i]
		below := path
		if v.Kind == strictjson.Object {
			if below = m.Name; path != "" {
				below = path + "." + m.Name
			}
		}
		switch m.Kind {
		case strictjson.Object, strictjson.Array:
			list = leaves(m, below, list)
		case strictjson.Null:
		default:
			list = append(list, query.TextLeaf{Path: below, Text: m.Text})
		}
	}
	return list
}
