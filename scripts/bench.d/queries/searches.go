// This file draws and writes queries that do more than collect matches: suggestions, second scores,
// explanations.

package queries

import (
	"strings"
	"unicode"

	"contentedge/edgeserve/engine/analysis"
)

// More kinds that Lucene and Elasticsearch have too.
const (
	Suggest       Kind = "suggest"       // field, misspelled word
	SuggestPhrase Kind = "suggestphrase" // field, text with a misspelled word
	Rescore       Kind = "rescore"       // field, word, word: the phrase of both scores again
	TermsSet      Kind = "termsset"      // field, field of numbers: how many words have to match; words
	RandomScore   Kind = "random"        // field, word, field of names that give the numbers
	MostFields    Kind = "most"          // two words, then fields: the scores of all fields count
	PhrasePrefix  Kind = "phraseprefix"  // word and prefix of the next one, then fields
	SpanNot       Kind = "spannot"       // field, word, word that is not near
	SpanOr        Kind = "spanor"        // field, word, word
	Sloppy        Kind = "sloppy"        // field, word, word
	TermsFilter   Kind = "terms"         // field of names, names
	Distance      Kind = "distance"      // field, word, field of dates, origin (Unix ms)
	FuzzyMatch    Kind = "fuzzymatch"    // field, misspelled word: the edits depend on its length
	Plain         Kind = "plain"         // field, word
	Explain       Kind = "explain"       // field, word, word
	Named         Kind = "named"         // field, word, word
)

// What Lucene is asked for too.
const (
	rescoreWindow = 50
	randomSeed    = 7
	phraseWords   = 4 // of a text that is corrected
	phraseErrors  = 2
	manyNames     = 20
)

// searches are rows of the benchmark, in report order.
var searches = []family{
	{"suggest, term", Suggest, func(d *drawer) []string { return d.misspelled() }},
	{"suggest, phrase", SuggestPhrase, func(d *drawer) []string { return d.misspelledText() }},
	{"rescore by a phrase", Rescore, func(d *drawer) []string { return d.phrase() }},
	{"terms_set", TermsSet, func(d *drawer) []string { return d.covering() }},
	{"function_score, random_score", RandomScore, func(d *drawer) []string { return append(d.words(d.regular), idField) }},
	{"multi_match, most_fields of 3", MostFields, func(d *drawer) []string { return append(tail(d.words(d.regular, d.regular)), d.texts...) }},
	{"multi_match, phrase_prefix of 3", PhrasePrefix, func(d *drawer) []string { return d.phraseAndPrefix() }},
	{"span_not", SpanNot, func(d *drawer) []string { return d.phrase() }},
	{"span_or", SpanOr, func(d *drawer) []string { return d.words(d.regular, d.regular) }},
	{"phrase with slop", Sloppy, func(d *drawer) []string { return d.phrase() }},
	{"terms, 20 names", TermsFilter, func(d *drawer) []string { return d.names(manyNames) }},
	{"distance_feature by date", Distance, func(d *drawer) []string { return d.decay() }},
	{"match, fuzziness AUTO", FuzzyMatch, func(d *drawer) []string { return d.misspelled() }},
	{"regexp .*foo.* on Name", Regexp, func(d *drawer) []string { return d.patternWithin(nameField) }},
	{"highlight, plain", Plain, func(d *drawer) []string { return d.words(d.regular) }},
	{"explain", Explain, func(d *drawer) []string { return d.words(d.regular, d.regular) }},
	{"named queries", Named, func(d *drawer) []string { return d.words(d.regular, d.regular) }},
}

// searchOf returns the body of a search, or nil for a kind of another file.
func searchOf(kind Kind, a []string) object {
	switch kind {
	case Suggest:
		return suggest(a[1], object{"term": object{"field": a[0]}})
	case SuggestPhrase:
		generator := object{"field": a[0], "suggest_mode": "always"}
		return suggest(a[1], object{"phrase": object{"field": a[0], "gram_size": 2, "max_errors": phraseErrors, "direct_generator": []any{generator}}})
	case Rescore:
		phrase := object{"match_phrase": object{a[0]: a[1] + " " + a[2]}}
		return object{"query": match(a[0], a[1]), "rescore": object{"window_size": rescoreWindow, "query": object{"rescore_query": phrase}}}
	case TermsSet:
		return clause("terms_set", object{a[0]: object{"terms": a[2:], "minimum_should_match_field": a[1]}})
	case RandomScore:
		random := object{"seed": randomSeed, "field": a[2] + ".keyword"}
		return clause("function_score", object{"query": match(a[0], a[1]), "random_score": random})
	case MostFields:
		return clause("multi_match", object{"query": a[0] + " " + a[1], "fields": a[2:], "type": "most_fields"})
	case PhrasePrefix:
		return clause("multi_match", object{"query": a[0] + " " + a[1], "fields": a[2:], "type": "phrase_prefix"})
	case SpanNot:
		return clause("span_not", object{"include": spanTerm(a[0], a[1]), "exclude": spanTerm(a[0], a[2]), "dist": slop})
	case SpanOr:
		return clause("span_or", object{"clauses": []any{spanTerm(a[0], a[1]), spanTerm(a[0], a[2])}})
	case Sloppy:
		return clause("match_phrase", object{a[0]: object{"query": a[1] + " " + a[2], "slop": slop}})
	case TermsFilter:
		return clause("terms", object{a[0] + ".keyword": a[1:]})
	case Distance:
		near := object{"distance_feature": object{"field": a[2], "origin": date(a[3]), "pivot": decayScale}}
		return clause("bool", object{"must": match(a[0], a[1]), "should": near})
	case FuzzyMatch:
		return clause("match", object{a[0]: object{"query": a[1], "fuzziness": "AUTO"}})
	case Plain:
		return object{"query": match(a[0], a[1]), "highlight": object{"type": "plain", "fields": object{a[0]: object{}}}}
	case Explain:
		return object{"query": match(a[0], a[1]+" "+a[2]), "explain": true}
	case Named:
		named := func(word string) object {
			return object{"match": object{a[0]: object{"query": word, "_name": word}}}
		}
		return clause("bool", object{"should": []any{named(a[1]), named(a[2])}})
	}
	return nil
}

func suggest(text string, by object) object {
	by["text"] = text
	return object{"suggest": object{"words": by}}
}

func spanTerm(field, word string) object { return object{"span_term": object{field: word}} }

// misspelledText draws neighbouring words, and misspells one.
func (d *drawer) misspelledText() []string {
	texts := values(d.item(), d.field)
	if len(texts) == 0 {
		return nil
	}
	words := analysis.Terms(d.pick(texts))
	if len(words) < phraseWords {
		return nil
	}
	from := d.rnd.IntN(len(words) - phraseWords + 1)
	words = words[from : from+phraseWords]
	at := d.rnd.IntN(phraseWords)
	word := []rune(words[at])
	if len(word) < 5 || strings.ContainsFunc(strings.Join(words, ""), func(r rune) bool { return !unicode.IsLetter(r) }) {
		return nil
	}
	d.misspell(word)
	words[at] = string(word)
	return []string{d.field, strings.Join(words, " ")}
}

// covering draws words of one item.
func (d *drawer) covering() []string {
	words := tail(d.together(4))
	if words == nil || d.number == "" {
		return nil
	}
	return append([]string{d.field, d.number}, words...)
}

// patternWithin draws a part of a value.
func (d *drawer) patternWithin(path string) []string {
	part := d.contains(path)
	if part == nil {
		return nil
	}
	return []string{path + ".keyword", ".*" + part[1] + ".*"}
}

// names draws the names of items.
func (d *drawer) names(n int) []string {
	args := []string{nameField}
	for range n {
		name := d.member(nameField)
		if name == "" || strings.ContainsFunc(name, unicode.IsControl) {
			return nil
		}
		args = append(args, name)
	}
	return args
}

// phraseAndPrefix draws two adjacent words, and cuts the second one.
func (d *drawer) phraseAndPrefix() []string {
	words := tail(d.phrase())
	if words == nil {
		return nil
	}
	letters := []rune(words[1])
	if len(letters) < 4 {
		return nil
	}
	return append([]string{words[0], string(letters[:3])}, d.texts...)
}
