// This file lists the languages of front matter, and finds the lines that it is between.

package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/record"
	"contentedge/generator/source/tomltext"
	"contentedge/generator/source/yamltext"
)

// language is how front matter is written between two lines.
type language struct {
	name  string   // for messages
	fence string   // the last line, and the beginning of the first
	words []string // the rest of the first line, in any case
	read  func([]byte, record.Place) (record.Record, []record.Fault)
}

// languages has the spellings of the first line. The words are gray-matter's.
var languages = []language{
	{"YAML", "---", []string{"", "yaml", "yml"}, yamltext.Object},
	{"TOML", "+++", []string{""}, tomltext.Object},
	{"TOML", "---", []string{"toml"}, tomltext.Object},
	{"JSON", "---", []string{"json"}, jsonObject},
}

// languageOf returns the language of the front matter that begins a text, or nil without front matter.
func languageOf(text []byte) *language {
	first, _, _ := cutLine(text)
	for i := range languages {
		l := &languages[i]
		word, ok := bytes.CutPrefix(first, []byte(l.fence))
		if ok && l.has(word) && !(isFence(first, "---") && isRule(text)) {
			return l
		}
	}
	return nil
}

func (l *language) has(word []byte) bool {
	word = bytes.TrimSpace(word)
	return slices.ContainsFunc(l.words, func(w string) bool { return bytes.EqualFold(word, []byte(w)) })
}

func isFence(line []byte, fence string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(fence))
	return ok && len(bytes.TrimSpace(rest)) == 0
}

// closing returns where the line that ends front matter begins and ends.
func closing(inside []byte, fence string) (at, end int, ok bool) {
	for rest := inside; len(rest) > 0; at = end {
		var line []byte
		line, rest, _ = cutLine(rest)
		end = len(inside) - len(rest)
		if isFence(line, fence) {
			return at, end, true
		}
	}
	return at, end, false
}

// isRule reports whether the line of "---" that begins a text is a horizontal rule.
func isRule(text []byte) bool {
	_, inside, more := cutLine(text)
	next, _, _ := cutLine(inside)
	if !more || len(bytes.TrimSpace(next)) > 0 {
		return !more
	}
	at, _, closed := closing(inside, "---")
	return !closed || !beginsWithKey(inside[:at], '-')
}

// beginsWithKey reports whether a text between two lines of a mark is a mapping: the first text that is not
// a comment looks like a key, or a parser reads it as a mapping.
func beginsWithKey(block []byte, mark byte) bool {
	at, _ := quiet(block, len(comments))
	line, _ := cutAnyLine(block[at:])
	return len(line) > 0 && (looksLikeKey(line) || isMapping(block, line[0], mark))
}

// isMapping reports whether a parser reads a text as a mapping. In prose, a sentence may have a colon: so one key
// in YAML does not count, unless it is in braces.
func isMapping(block []byte, first, mark byte) bool {
	read, least := yamltext.Object, 2
	if mark == '+' {
		read = tomltext.Object
	}
	if mark == '+' || first == '{' {
		least = 1
	}
	if len(block) > MaxFrontMatter {
		return false
	}
	front, _ := read(block, start)
	if len(front.JSON) == 0 {
		return false
	}
	keys := 0
	jsoncursor.Children(front.JSON, 0, func(_ []byte, at int) int {
		keys++
		return jsoncursor.ValueEnd(front.JSON, at)
	})
	return keys >= least
}

// looksLikeKey reports whether a line may begin a mapping of YAML, TOML or JSON.
func looksLikeKey(line []byte) bool {
	if line[0] == '{' {
		return beginsJSON(line) || len(bytes.TrimSpace(line)) == 1
	}
	quoted := quotedName(line)
	end := quoted + bytes.IndexAny(line[quoted:], ":=")
	if r, _ := utf8.DecodeRune(line); end < 1 || end < quoted || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`_$"'`, r) {
		return false
	}
	name, value := bytes.TrimSpace(line[quoted:end]), line[end+1:]
	if line[end] == '=' {
		return !bytes.ContainsAny(name, " \t/<>()") && !bytes.HasPrefix(value, []byte{'='})
	}
	next, _ := utf8.DecodeRune(value)
	return (len(value) == 0 || unicode.IsSpace(next)) && !bytes.ContainsAny(name, " \t")
}

// quotedName returns the length of the quoted name that a line begins with.
func quotedName(line []byte) int {
	if line[0] != '"' && line[0] != '\'' {
		return 0
	}
	return 2 + bytes.IndexByte(line[1:], line[0]) // 1 without a second quote
}
