// This file writes suggestions, with all options: the defaults of some depend on others.

package encode

import (
	"encoding/json"
	"math"
	"strconv"

	"contentedge/edgeserve/engine/query"
)

// suggest writes suggestions by their names.
func (e *encoder) suggest(o object, list []query.Suggestion) {
	if list == nil {
		return
	}
	named := make(object, len(list))
	for i := range list {
		s := &list[i]
		kind, options := "term", object(nil)
		if s.Phrase == nil {
			options = e.candidates(s)
		} else {
			kind, options = "phrase", e.phrase(s)
		}
		options["shard_size"] = whole(s.ShardSize)
		if s.Whole {
			options["analyzer"] = "keyword"
		}
		if s.Words {
			options["analyzer"] = "standard"
		}
		named[s.Name] = object{"text": s.Text, kind: options}
	}
	o["suggest"] = named
}

// candidates writes the options by which words of a field are found for a word of the text.
func (e *encoder) candidates(s *query.Suggestion) object {
	o := object{
		"field":           s.Field,
		"size":            whole(s.Size),
		"sort":            "score",
		"suggest_mode":    query.SuggestModes[s.Mode],
		"string_distance": query.StringDistances[s.Distance],
		"accuracy":        e.score(float64(s.Accuracy)),
		"max_edits":       whole(s.MaxEdits),
		"prefix_length":   whole(s.PrefixLength),
		"min_word_length": whole(s.MinWordLength),
		"max_inspections": whole(s.MaxInspections),
		"min_doc_freq":    e.frequency(s.MinDocFreq),
		"max_term_freq":   e.frequency(s.MaxTermFreq),
	}
	if s.ByFrequency {
		o["sort"] = "frequency"
	}
	return o
}

// frequency writes a share or a number of items. Rounding to 32 bits lifts the greatest number above its limit.
func (e *encoder) frequency(f float32) json.Number {
	if f < 1 {
		return e.score(float64(f))
	}
	return json.Number(strconv.FormatFloat(min(float64(f), math.MaxInt32), 'f', 0, 64))
}

// phrase writes the options of a suggestion of whole texts.
func (e *encoder) phrase(s *query.Suggestion) object {
	p := s.Phrase
	o := object{
		"field":                      s.Field,
		"size":                       whole(s.Size),
		"direct_generator":           array(p.Generators, func(g query.Suggestion) any { return e.candidates(&g) }),
		"max_errors":                 e.score(float64(p.MaxErrors)),
		"real_word_error_likelihood": e.score(float64(p.RealWord)),
		"confidence":                 e.score(float64(p.Confidence)),
		"gram_size":                  whole(p.GramSize),
		"token_limit":                whole(p.TokenLimit),
		"separator":                  p.Separator,
		"smoothing":                  e.smoothing(p),
	}
	if p.Tagged {
		o["highlight"] = object{"pre_tag": p.Pre, "post_tag": p.Post}
	}
	return o
}

// smoothing writes the model by its name. A model that is named has another default discount than a body without
// smoothing, so the discount is written.
func (e *encoder) smoothing(p *query.PhraseSuggestion) object {
	switch p.Smoothing {
	case query.Laplace:
		return object{"laplace": object{"alpha": e.double(p.Alpha)}}
	case query.LinearInterpolation:
		return object{"linear": object{"unigram_lambda": e.double(p.Unigram), "bigram_lambda": e.double(p.Bigram), "trigram_lambda": e.double(p.Trigram)}}
	}
	return object{"stupid_backoff": object{"discount": e.double(p.Discount)}}
}
