// This file writes more_like_this.

package encode

import (
	"math"

	"contentedge/edgeserve/engine/query"
)

func (e *encoder) moreLikeThis(n *query.MoreLikeThis) object {
	o := object{"like": examples(n.Like)}
	if n.Unlike != nil {
		o["unlike"] = examples(n.Unlike)
	}
	texts(o, "fields", n.Fields)
	integer(o, "min_term_freq", n.MinTermFreq, query.DefaultMinTermFreq)
	integer(o, "max_query_terms", n.MaxTerms, query.DefaultMaxTerms)
	integer(o, "min_doc_freq", n.MinDocFreq, query.DefaultMinDocFreq)
	integer(o, "max_doc_freq", n.MaxDocFreq, math.MaxInt32)
	integer(o, "min_word_length", n.MinWordLength, 0)
	integer(o, "max_word_length", n.MaxWordLength, 0)
	texts(o, "stop_words", n.StopWords)
	word(o, "minimum_should_match", n.MinShouldMatch, query.DefaultMoreLikeThisMinMatch)
	e.weight(o, "boost_terms", n.BoostTerms, 0)
	flag(o, "include", n.Include)
	flagOff(o, "fail_on_unsupported_field", n.SkipUnsupported)
	return o
}

func examples(list []query.Example) []any {
	out := make([]any, len(list))
	for i, x := range list {
		if x.Text != nil {
			out[i] = *x.Text
			continue
		}
		o := object{}
		text(o, "_id", x.ID)
		if x.Leaves != nil {
			o["doc"] = document(x.Leaves)
		}
		texts(o, "fields", x.Fields)
		out[i] = o
	}
	return out
}

// document writes the leaves of a document as members of one object, whose names are their paths.
func document(leaves []query.TextLeaf) object {
	o := object{}
	for _, l := range leaves {
		switch before := o[l.Path].(type) {
		case nil:
			o[l.Path] = l.Text
		case string:
			o[l.Path] = []any{before, l.Text}
		case []any:
			o[l.Path] = append(before, l.Text)
		}
	}
	return o
}
