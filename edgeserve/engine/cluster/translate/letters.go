// This file translates queries about letters, which a release evaluates for numbers, dates and booleans too, and
// wildcards that ignore the case of all letters. Elasticsearch's option ignores the case of A to Z only.

package translate

import (
	"maps"
	"regexp"
	"strings"
	"unicode"

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
		typ := t.fields.typeOf(path)
		keyword := path + ".keyword"
		switch {
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
		if name := t.letterField(kind, path); !long && len(options) == 1 {
			out[name] = value
		} else {
			out[name] = options
		}
	}
	return kind, out
}

// letterField translates the field of a query about letters. An id is a whole value like others.
func (t *translator) letterField(kind, field string) string {
	if field == "_id" && kind == "term" {
		return field
	}
	return t.value(field)
}

// boolean reports whether a value is one of a path of booleans, whose case Elasticsearch may ignore.
func (t *translator) boolean(path string, value any) bool {
	text, ok := value.(string)
	return t.fields.typeOf(path) == "boolean" && (!ok || text == "true" || text == "false")
}

// typedText translates a match that is about the text of numbers, dates or booleans.
func (t *translator) typedText(kind string, of object) object {
	out := object{}
	for path, value := range of {
		options, _ := value.(object)
		switch _, fuzzy := options["fuzziness"]; {
		case !t.fields.typed(path):
		case kind == "match_phrase_prefix":
			path = layout.Hidden(path, layout.Words)
		case fuzzy && options["lenient"] != true:
			path += ".keyword"
		}
		out[path] = value
	}
	return out
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
