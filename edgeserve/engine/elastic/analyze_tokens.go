// This file splits texts into tokens, and filters the tokens.

package elastic

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"contentedge/edgeserve/engine/analysis"
)

const (
	// positionGap is between the values of a field.
	positionGap = 100
	// maxTokenUnits is where the whitespace tokenizer cuts a token, in UTF-16 code units.
	maxTokenUnits = 255
)

// token is a token of a text.
type token struct {
	term       string
	start, end int // in UTF-16 code units
	kind       string
	position   int
}

// tokens collects the tokens of several texts.
type tokens struct {
	list     []token
	position int // the position of the first token of the next text
	offset   int // the offset of the next text, in UTF-16 code units
}

// read adds the tokens of a text. It may stop after more tokens than are allowed.
func (t *tokens) read(tokenizer, text string) {
	before := len(t.list)
	switch tokenizer {
	case keyword:
		t.list = append(t.list, token{text, 0, analysis.UTF16Len(text), "word", 0})
	case whitespace:
		t.words(text)
	default:
		t.standard(text)
	}
	last := -1
	for i := before; i < len(t.list); i++ {
		x := &t.list[i]
		last = x.position
		x.position += t.position
		x.start, x.end = x.start+t.offset, x.end+t.offset
	}
	t.position += last + 1 + positionGap
	t.offset += analysis.UTF16Len(text) + 1
}

// standard splits a text at the boundaries of words. It keeps the case of letters.
func (t *tokens) standard(text string) {
	var tokenizer analysis.Tokenizer
	tokenizer.Reset([]byte(text))
	at, offset := 0, 0
	for tokenizer.Next() && len(t.list) <= maxTokens {
		start, end := tokenizer.Span()
		offset += analysis.UTF16Len(text[at:start])
		next := offset + analysis.UTF16Len(text[start:end])
		t.list = append(t.list, token{text[start:end], offset, next, analysis.TypeOf(text[start:end]), tokenizer.Position()})
		at, offset = end, next
	}
}

// words splits a text only at white space.
func (t *tokens) words(text string) {
	from, start, offset, position := -1, 0, 0, 0
	end := func(to int) {
		if from >= 0 {
			t.list = append(t.list, token{text[from:to], start, offset, "word", position})
			from, position = -1, position+1
		}
	}
	for i, r := range text {
		if len(t.list) > maxTokens {
			return
		}
		if isWhiteSpace(r) {
			end(i)
		} else if from >= 0 && offset-start >= maxTokenUnits {
			end(i)
			from, start = i, offset
		} else if from < 0 {
			from, start = i, offset
		}
		offset += 1 + boolToInt(r > 0xffff)
	}
	end(len(text))
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isWhiteSpace is Java's Character.isWhitespace: it excludes no-break spaces and includes some control characters.
func isWhiteSpace(r rune) bool {
	switch {
	case r == 0xa0 || r == 0x2007 || r == 0x202f:
		return false
	case '\t' <= r && r <= '\r' || 0x1c <= r && r <= 0x1f:
		return true
	}
	return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp)
}

// tokenFilter changes tokens: it replaces or removes them.
type tokenFilter struct {
	name       string
	lower      bool
	stop       map[string]bool // the words to remove; may be nil
	ignoreCase bool
}

// lowercase is the filter that lowers letters as the analyzer of text does.
var lowercase = tokenFilter{name: "lowercase", lower: true}

func (f tokenFilter) apply(list []token) []token {
	list = slices.Clone(list)
	if f.lower {
		for i := range list {
			list[i].term = analysis.Lower(list[i].term)
		}
	}
	return slices.DeleteFunc(list, func(t token) bool {
		return f.stop[t.term] || f.ignoreCase && f.stop[analysis.Lower(t.term)]
	})
}

// stopWords are the default words of the filter stop, which are English.
var stopWords = strings.Fields("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with")

// filterOf reads a filter: its name, or an object with its type and options.
func filterOf(v any) (f tokenFilter, err error) {
	o, _ := v.(map[string]any)
	f.name, _ = v.(string)
	if o != nil {
		if f.name, _ = o["type"].(string); f.name == "" {
			return f, badParameter("filter", "Missing [type] setting for anonymous filter")
		}
	}
	var words any
	for _, name := range slices.Sorted(maps.Keys(o)) { // sorted, so that equal requests have equal errors
		value, ok := o[name], name == "type"
		switch {
		case name == "stopwords" && f.name == "stop":
			words, ok = value, true
		case name == "ignore_case" && f.name == "stop":
			f.ignoreCase, ok = value.(bool)
		}
		if !ok {
			return f, badParameter("filter", "a filter has no option [%.80s] of that value here: stop has stopwords and ignore_case", name)
		}
	}
	switch f.name {
	case "lowercase":
		f.lower = true
	case "stop":
		if err := f.stopAt(words); err != nil {
			return f, err
		}
	default:
		return f, badParameter("filter", "failed to find filter under [%.80s]: this node has lowercase and stop", f.name)
	}
	if o != nil {
		f.name = "__anonymous__" + f.name
	}
	return f, nil
}

// stopAt reads the words that the filter stop removes: an array, a text with commas, or the name of a list.
func (f *tokenFilter) stopAt(words any) error {
	list := stopWords
	switch words := words.(type) {
	case nil:
	case string:
		if words == "_none_" {
			list = nil
		} else if words != "_english_" {
			list = strings.FieldsFunc(words, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		}
	case []any:
		list = nil
		for _, w := range words {
			word, ok := w.(string)
			if !ok {
				return badParameter("filter", "stopwords are texts")
			}
			list = append(list, word)
		}
	default:
		return badParameter("filter", "stopwords are an array of texts")
	}
	f.stop = map[string]bool{}
	for _, word := range list {
		if f.ignoreCase {
			word = analysis.Lower(word)
		}
		f.stop[word] = true
	}
	return nil
}
