// This file translates queries about letters, which a release evaluates for numbers, dates and booleans too, and
// wildcards that ignore the case of all letters. Elasticsearch's option ignores the case of A to Z only.

package translate

import (
	"maps"
	"regexp"
	"strings"
	"unicode"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/cluster/layout"
)

// escapedLetters are backslashes that mean nothing here. There they ask for this case.
var escapedLetters = regexp.MustCompile(`\\(\pL)`)

// letters translates a query that looks at whole values.
func (t *translator) letters(kind string, of object) (string, any) {
	out := object{}
	for path, value := range of {
		options, long := value.(object)
		if !long {
			options = object{"value": value}
		}
		options = maps.Clone(options)
		_, said := options["case_insensitive"]
		if options["value"] == "" && !t.x.Compared { // an engine finds no empty value then
			delete(options, "case_insensitive")
			said = true
		}
		typ := t.fields.typeOf(path)
		keyword := path + ".keyword"
		switch {
		case typ == "" && (kind != "term" || options["case_insensitive"] == true) && t.typedSub(path):
			t.refuse(lettersOfSub)
		case typ == "" || kind == "term" && t.boolean(path, options["value"]) || kind == "wildcard" && t.words && typ == "text":
		case kind == "wildcard":
			if !said {
				options["case_insensitive"] = true
			}
			if text, ok := options["value"].(string); ok {
				options["value"] = escapedLetters.ReplaceAllString(text, "$1")
			}
			if t.fields.typed(path) {
				t.texts = append(t.texts, keyword)
			}
			if text, _ := options["value"].(string); options["case_insensitive"] == true && strings.ContainsFunc(text, beyondASCII) {
				delete(options, "case_insensitive")
				options["value"], options["flags"] = expression(text), "NONE"
				return "regexp", object{t.value(keyword): options}
			}
			path = keyword
		case t.fields.typed(path) && (kind != "term" || options["case_insensitive"] == true):
			t.texts = append(t.texts, keyword)
			path = keyword
		}
		name := t.value(path)
		if path == "_id" && kind == "term" && options["case_insensitive"] != true {
			name = path // an id scores 1
		}
		if !long && len(options) == 1 {
			out[name] = value
			continue
		}
		out[name] = options
		if path == "_id" && name != path && (kind == "term" || kind == "fuzzy") {
			score := t.options(options)
			delete(options, "boost")
			delete(options, "_name")
			score["filter"] = object{kind: out}
			return "constant_score", score
		}
	}
	return kind, out
}

// boolean reports whether a value is one of a path of booleans, whose case Elasticsearch may ignore.
func (t *translator) boolean(path string, value any) bool {
	text, ok := value.(string)
	return t.fields.typeOf(path) == "boolean" && (!ok || text == "true" || text == "false")
}

// match translates a match, which may be about the text of numbers, dates or booleans. A release looks there for
// phrases that are not values; all items with the words score alike.
func (t *translator) match(kind string, of object) (string, any) {
	out := object{}
	for path, value := range of {
		options, long := value.(object)
		_, fuzzy := options["fuzziness"]
		text, _ := options["query"].(string)
		if !long {
			text, _ = value.(string)
		}
		switch typ := t.fields.typeOf(path); {
		case path == "_id":
			if fuzzy && !t.x.Compared {
				t.refuse("misspelt ids")
			}
			out[path] = value
			continue
		case !t.fields.typed(path):
			if (kind == "match_phrase_prefix" || fuzzy && options["lenient"] != true) && t.typedSub(path) {
				t.refuse(lettersOfSub)
			}
		case kind == "match_phrase_prefix" && t.x.Compared:
			path = layout.Hidden(path, layout.Words)
		case kind == "match_phrase_prefix", kind == "match_phrase" && !t.x.Compared && text != "" && !reads(typ, text):
			return "constant_score", t.wordsOf(kind, path, value)
		case kind == "match" && fuzzy && options["lenient"] != true:
			path += ".keyword"
		}
		out[t.value(path)] = value
	}
	return kind, out
}

// reads reports whether a text is a value of a type, or one that the clock decides.
func reads(typ, text string) bool {
	return layout.Reads(typ, text) || typ == "date" && (strings.HasPrefix(text, "now") || strings.Contains(text, "||"))
}

// wordsOf is a constant_score of a phrase in the text of numbers, dates or booleans.
func (t *translator) wordsOf(kind, path string, value any) object {
	words, _ := t.fields.Sub(path, layout.Words)
	out := object{}
	if options, ok := value.(object); ok {
		if number(options["slop"]) >= valueGap {
			t.refuse("a slop from one number, date or boolean to another")
		}
		out, value = t.options(options), maps.Clone(options)
		maps.DeleteFunc(value.(object), func(name string, _ any) bool { return name == "boost" || name == "_name" })
	}
	out["filter"] = object{kind: object{words: value}}
	if kind == "match_phrase_prefix" {
		out["filter"] = allPrefixes(words, value)
	}
	return out
}

// maxExpansions is how many terms a prefix stands for: more than one has in the text of dates.
const maxExpansions = 16384

// allPrefixes is a match_phrase_prefix whose prefix stands for all terms, as it does in the text of numbers.
func allPrefixes(field string, value any) object {
	options, long := value.(object)
	if !long {
		options = object{"query": value}
	}
	text, _ := options["query"].(string)
	if terms := analysis.Terms(text); len(terms) == 1 {
		return object{"prefix": object{field: object{"value": terms[0]}}}
	}
	options = maps.Clone(options)
	options["max_expansions"] = maxExpansions
	return object{"match_phrase_prefix": object{field: options}}
}

// valueGap is how many words an engine puts between the values of a field. In a release no phrase reaches so far in the
// text of numbers.
const valueGap = 100

// lettersOfSub is why a body cannot be asked.
const lettersOfSub = "letters or words of a sub-field of numbers, dates or booleans"

// typedSub reports whether a name belongs to a sub-field of numbers, dates or booleans, which a forwarder cannot ask
// for letters: the index has no text of the values that it selects.
func (t *translator) typedSub(field string) bool {
	name := t.fields.ToIndex(field)
	return !t.x.Compared && name != field && layout.IsHidden(first(name)) && !strings.HasSuffix(field, ".keyword")
}

func beyondASCII(r rune) bool { return r > unicode.MaxASCII && unicode.SimpleFold(r) != r }

// expression is a wildcard as a regular expression with all cases of letters.
func expression(wildcard string) string {
	var b strings.Builder
	quoted := false
	for _, r := range wildcard {
		switch {
		case r == '\\' && !quoted:
			quoted = true
			continue
		case r == '*' && !quoted:
			b.WriteString(".*")
		case r == '?' && !quoted:
			b.WriteString(".")
		case unicode.SimpleFold(r) != r:
			b.WriteString("(" + string(r))
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				b.WriteString("|" + string(other))
			}
			b.WriteString(")")
		default:
			b.WriteString(regexpSpecial.ReplaceAllString(string(r), `\$0`))
		}
		quoted = false
	}
	if quoted {
		b.WriteString(`\\`)
	}
	return b.String()
}

var regexpSpecial = regexp.MustCompile(`[.?+*|{}\[\]()"\\#@&<>~^$-]`)
