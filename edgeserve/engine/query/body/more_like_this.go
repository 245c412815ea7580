// This file parses more_like_this, which searches for the characteristic terms of texts and items.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"math"
)

const (
	// maxExamples limits the texts and items that a more_like_this reads.
	maxExamples = 100
	// defaultMinTermFreq and the next three are Elasticsearch's.
	defaultMinTermFreq    = 2
	defaultMinDocFreq     = 5
	defaultMaxTerms       = 25
	defaultMinShouldMatch = "30%"
)

func parseMoreLikeThis(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.MoreLikeThis{MinTermFreq: defaultMinTermFreq, MinDocFreq: defaultMinDocFreq, MaxDocFreq: math.MaxInt32,
		MaxTerms: defaultMaxTerms, MinShouldMatch: defaultMinShouldMatch, Boost: 1}
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "fields":
			if n.Fields = parseFieldList(p, m); len(n.Fields) == 0 {
				p.wrongValue(m, "an array of at least one field")
			}
		case "like":
			n.Like = parseExamples(p, m)
		case "unlike":
			n.Unlike = parseExamples(p, m)
		case "min_term_freq":
			n.MinTermFreq = p.integer(m, 0)
		case "max_query_terms":
			if n.MaxTerms = p.integer(m, 1); n.MaxTerms > lucene.MaxClauses {
				p.tooMany(m, "terms", n.MaxTerms, lucene.MaxClauses)
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
			if m.Kind != strictjson.Array {
				p.wrongValue(m, "an array of words")
				break
			}
			n.StopWords = p.texts(m, lucene.MaxClauses)
		case "minimum_should_match":
			n.MinShouldMatch = parseMinMatch(p, m)
		case "boost_terms":
			n.BoostTerms = p.weight(m)
		case "include":
			n.Include = p.bool(m)
		case "fail_on_unsupported_field":
			n.SkipUnsupported = !p.bool(m)
		case "analyzer":
			parseFixedOption(p, m)
		default:
			parseCommonOption(p, t, m, &n.Boost)
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

func parseFieldList(p *parser, v *strictjson.Value) []string {
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
		if e.Kind != strictjson.Object {
			list = append(list, query.Example{Text: new(p.text(e))})
			return
		}
		list = append(list, parseExample(p, e))
	})
	return list
}

func parseExample(p *parser, v *strictjson.Value) (e query.Example) {
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "_id":
			e.ID = p.text(m)
		case "doc":
			if m.Kind != strictjson.Object {
				p.wrongValue(m, "a document")
				break
			}
			e.Leaves = leaves(m, "", []query.TextLeaf{})
		case "fields":
			e.Fields = parseFieldList(p, m)
		case "_index", "_type", "routing", "_routing":
			p.text(m) // there is one index
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of an item; known options: _id, doc, fields, _index, _type, routing", strictjson.Clip(m.Name))
		}
	}
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
