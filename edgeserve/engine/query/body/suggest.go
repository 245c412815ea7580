// This file parses suggestions: corrections for the words of a text.

package body

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// defaultSuggestion is a suggestion without options.
func defaultSuggestion() query.Suggestion {
	return query.Suggestion{Size: 5, Accuracy: 0.5, MaxEdits: 2, PrefixLength: 1, MinWordLength: 4, MaxInspections: 5, MaxTermFreq: 0.01}
}

// Rows for the options of suggestions, some of which phrase suggestions and their generators have too.
var (
	suggestField = option[query.Suggestion]{"field", required, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.Field = p.fieldName(v) }}
	suggestText  = noEffect[query.Suggestion]("text", func(*parser, *strictjson.Value) {}) // parseSuggestion reads it
	suggestSize  = option[query.Suggestion]{"size", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.Size = p.between(v, 1, maxSuggestSize) }}
	suggestSort  = option[query.Suggestion]{"sort", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) {
		s.ByFrequency = p.either(v, p.text(v), "frequency", "score")
	}}
	suggestMode = option[query.Suggestion]{"suggest_mode", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) {
		s.Mode = query.SuggestMode(slices.Index(query.SuggestModes, p.word(v, query.SuggestModes)))
	}}
	suggestMaxEdits      = option[query.Suggestion]{"max_edits", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.MaxEdits = p.between(v, 1, 2) }}
	suggestPrefixLength  = option[query.Suggestion]{"prefix_length", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.PrefixLength = p.integer(v, 0) }}
	suggestMinWordLength = option[query.Suggestion]{"min_word_length", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.MinWordLength = p.integer(v, 1) }}
	suggestMinDocFreq    = option[query.Suggestion]{"min_doc_freq", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.MinDocFreq = p.frequency(v) }}
	suggestMaxTermFreq   = option[query.Suggestion]{"max_term_freq", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.MaxTermFreq = p.frequency(v) }}
	suggestAccuracy      = option[query.Suggestion]{"accuracy", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { s.Accuracy = float32(p.tieBreaker(v)) }}
	suggestDistance      = option[query.Suggestion]{"string_distance", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) {
		word := p.word(v, append([]string{"damerau_levenshtein"}, query.StringDistances...))
		s.Distance = query.StringDistance(max(slices.Index(query.StringDistances, word), 0)) // damerau_levenshtein is the internal one
	}}
	suggestInspections = option[query.Suggestion]{"max_inspections", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) {
		s.MaxInspections = p.between(v, 1, maxSuggestSize)
	}}
	suggestShardSize = option[query.Suggestion]{"shard_size", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) {
		s.ShardSize = p.between(v, 1, maxSuggestSize)
	}}
	suggestAnalyzer = option[query.Suggestion]{"analyzer", optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) {
		s.Whole = p.either(v, p.text(v), "keyword", "standard")
		s.Words = !s.Whole
	}}
)

var termSuggestOptions = newTable("a term suggestion", []option[query.Suggestion]{
	suggestField, suggestText, suggestSize, suggestSort, suggestMode, suggestMaxEdits, suggestPrefixLength, suggestMinWordLength,
	suggestMinDocFreq, suggestMaxTermFreq, suggestAccuracy, suggestDistance, suggestInspections, suggestShardSize, suggestAnalyzer,
})

// otherSuggesters maps suggesters that are not supported to what to use instead.
var otherSuggesters = map[string]string{
	"completion": "no field is indexed for it; search with match_phrase_prefix or match_bool_prefix instead",
}

func parseSuggestMember(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object of named suggestions")
		return
	}
	text := m.Member("text")
	b.Suggest = []query.Suggestion{} // not nil, because a body that asks for no suggestion searches nothing either
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
			p.absent(m, problem.BadSuggest, "%s suggestions are not supported: %s", m.Name, otherSuggesters[m.Name])
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
		options := termSuggestOptions
		if term.Name == "phrase" {
			s.Phrase, options = defaultPhrase(), phraseOptions
		}
		options.parse(p, &s, term)
		if s.ShardSize == 0 {
			s.ShardSize = max(s.Size, 5)
		}
		if s.Phrase != nil && s.Phrase.Generators == nil {
			g := defaultSuggestion()
			g.Field, g.ShardSize = s.Field, g.Size
			s.Phrase.Generators = []query.Suggestion{g}
		}
		if m := term.Member("text"); m != nil {
			text = m
		}
		if text == nil && p.err == nil {
			p.fail(v, problem.BadSuggest, "%s needs a text", p.path(v))
		}
	}
	if p.err == nil {
		s.Text = p.text(text)
	}
	return s
}

// frequency parses a number of items or, below 1, a share of all items.
func (p *parser) frequency(v *strictjson.Value) float32 {
	f := number(v)
	if !(f >= 0) || f > 1 && f != math.Trunc(f) || f > math.MaxInt32 {
		p.wrongValue(v, "a share from 0 to 1 or a number of items")
		return 0
	}
	return float32(f)
}
