// This file parses suggestions: corrections for the words of a text.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"math"
	"slices"
	"strings"
)

// defaultSuggestion is a suggestion without options.
func defaultSuggestion() query.Suggestion {
	return query.Suggestion{Size: 5, Accuracy: 0.5, MaxEdits: 2, PrefixLength: 1, MinWordLength: 4, MaxInspections: 5, MaxTermFreq: 0.01}
}

// suggestModes and stringDistances are named in the order of their constants.
var (
	suggestModes    = strings.Fields("missing popular always")
	stringDistances = strings.Fields("internal levenshtein jaro_winkler ngram")
)

var suggestOptions = strings.Fields("field text size sort suggest_mode max_edits prefix_length min_word_length min_doc_freq max_term_freq accuracy string_distance max_inspections shard_size analyzer")

// otherSuggesters are refused, with what to use instead.
var otherSuggesters = map[string]string{
	"completion": "no field is indexed for it; search with match_phrase_prefix or match_bool_prefix instead",
}

func parseSuggestMember(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object of named suggestions")
		return
	}
	text := m.Member("text")
	for i := range m.Items {
		v := &m.Items[i]
		if p.err != nil {
			return
		}
		if v == text {
			continue
		}
		if len(b.Suggest) >= maxSuggestions {
			p.fail(v, problem.TooManyClauses, "suggest has more than %d suggestions", maxSuggestions)
			return
		}
		b.Suggest = append(b.Suggest, parseSuggestion(p, v, text))
	}
}

func parseSuggestion(p *parser, v, text *strictjson.Value) query.Suggestion {
	s := defaultSuggestion()
	s.Name = v.Name
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"text":"bred","term":{"field":"Name"}}`)
		return s
	}
	var term *strictjson.Value
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case m.Name == "text" || m.Name == "prefix":
			text = m
		case (m.Name == "term" || m.Name == "phrase") && term != nil:
			p.fail(m, problem.BadSuggest, "%s has both term and phrase: give them names of their own", p.path(v))
		case m.Name == "term" || m.Name == "phrase":
			term = m
		case otherSuggesters[m.Name] != "":
			p.fail(m, problem.BadSuggest, "%s suggestions are not supported: %s", m.Name, otherSuggesters[m.Name])
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of a suggestion; known options: text, prefix, term, phrase", strictjson.Clip(m.Name))
		}
	}
	switch {
	case p.err != nil:
	case term == nil:
		p.fail(v, problem.BadSuggest, "%s needs term or phrase", p.path(v))
	case term.Kind != strictjson.Object:
		p.wrongValue(term, "an object")
	default:
		if term.Name == "phrase" {
			parsePhraseSuggestion(p, &s, term)
		} else {
			parseTermSuggestion(p, &s, term)
		}
		if m := term.Member("text"); m != nil {
			text = m
		}
		if p.require(term, "field"); text == nil && p.err == nil {
			p.fail(v, problem.BadSuggest, "%s needs a text", p.path(v))
		}
	}
	if p.err == nil {
		s.Text = p.text(text)
	}
	return s
}

func parseTermSuggestion(p *parser, s *query.Suggestion, v *strictjson.Value) {
	for i := range v.Items {
		o := &v.Items[i]
		if !slices.Contains(suggestOptions, o.Name) {
			p.fail(o, problem.UnknownOption, "unknown option %q of a term suggestion; known options: %s", strictjson.Clip(o.Name), strings.Join(suggestOptions, ", "))
			return
		}
		parseSuggestOption(p, s, o)
	}
	if s.ShardSize == 0 {
		s.ShardSize = max(s.Size, 5)
	}
}

func parseSuggestOption(p *parser, s *query.Suggestion, o *strictjson.Value) {
	switch o.Name {
	case "field":
		s.Field = p.fieldName(o)
	case "size":
		s.Size = p.between(o, 1, maxSuggestSize)
	case "shard_size":
		s.ShardSize = p.between(o, 1, maxSuggestSize)
	case "max_inspections":
		s.MaxInspections = p.between(o, 1, maxSuggestSize)
	case "max_edits":
		s.MaxEdits = p.between(o, 1, 2)
	case "prefix_length":
		s.PrefixLength = p.integer(o, 0)
	case "min_word_length":
		s.MinWordLength = p.integer(o, 1)
	case "min_doc_freq":
		s.MinDocFreq = parseFrequency(p, o)
	case "max_term_freq":
		s.MaxTermFreq = parseFrequency(p, o)
	case "accuracy":
		s.Accuracy = float32(p.tieBreaker(o))
	case "sort":
		s.ByFrequency = p.either(o, p.text(o), "frequency", "score")
	case "suggest_mode":
		s.Mode = query.SuggestMode(slices.Index(suggestModes, p.word(o, suggestModes)))
	case "string_distance":
		s.Distance = query.StringDistance(max(slices.Index(stringDistances, p.word(o, append([]string{"damerau_levenshtein"}, stringDistances...))), 0)) // damerau_levenshtein is the internal one
	case "analyzer":
		s.Whole = p.either(o, p.text(o), "keyword", "standard")
		s.Words = !s.Whole
	}
}

// frequency parses a number of items, or below 1 their share.
func parseFrequency(p *parser, v *strictjson.Value) float32 {
	f := number(v)
	if !(f >= 0) || f > 1 && f != math.Trunc(f) || f > math.MaxInt32 {
		p.wrongValue(v, "a share from 0 to 1 or a number of items")
		return 0
	}
	return float32(f)
}
