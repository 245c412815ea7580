// This file explains why a text is not YAML.

package yamltext

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/terminal"
	"contentedge/generator/source/record"

	"github.com/goccy/go-yaml/token"
)

// located is the interface of the parser's errors.
type located interface {
	error
	GetMessage() string
	GetToken() *token.Token
}

// syntax reports an error of the parser in the tokens that begin with first. The Error of a located one would draw the
// tokens around it, in memory that grows with the square of their number.
func (r *reader) syntax(first *token.Token, err error) {
	at, message := placeOf(first), ""
	var e located
	if errors.As(err, &e) {
		message = e.GetMessage()
		if t := e.GetToken(); t != nil && t.Position != nil {
			at = placeOf(t)
		}
	} else {
		message = err.Error()
	}
	r.fault(at, "this is not YAML: "+printable(message), cmp.Or(r.strayCharacter(at.Line), advice(message)))
}

// afterKey is the colon after a key, if it is not an ASCII colon, or if something other than a space follows.
var afterKey = regexp.MustCompile(`^[ \t-]*[\pL\d_][^:\x{FF1A}"'{\[#]*(?:(\x{FF1A})|:([^ \t\r]))`)

// strayCharacter returns the hint for a line with a character that only looks like a colon or a space after its key; "" if
// there is none.
func (r *reader) strayCharacter(line int) string {
	text := r.text
	for range line - 1 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	text, _, _ = bytes.Cut(text, []byte("\n"))
	text = text[:min(len(text), maxKey)]
	m := afterKey.FindSubmatchIndex(text)
	if m == nil {
		return ""
	}
	means, at := "a colon", m[2]
	if at < 0 {
		means, at = "a space", m[4]
	}
	stray, _ := utf8.DecodeRune(text[at:])
	if means == "a space" && !unicode.IsSpace(stray) && !unicode.Is(unicode.Cf, stray) {
		return ""
	}
	place := r.first.Plus(record.Place{Line: line, Col: 1 + utf8.RuneCount(text[:at])})
	return fmt.Sprintf("the character %U at %d:%d only looks like %s: type %[4]s instead", stray, place.Line, place.Col, means)
}

// invalid reports a token that the scanner refuses.
func (r *reader) invalid(t *token.Token) {
	r.fault(placeOf(t), "this is not YAML: "+printable(t.Error), advice(t.Error))
}

// printable returns a message of the parser, which may quote a tab.
func printable(message string) string {
	return terminal.Text(strings.ReplaceAll(message, "'\t'", "tab"))
}

const inQuotes = "put the text in quotes"

// advices are hints by a part of the message that needs one; the first that fits is taken.
var advices = []struct{ part, hint string }{
	{"cannot start any token", "indent with spaces; YAML has no tabs there"},
	{"mapping value is not allowed", `put a text with ": " in it in quotes`},
	{"reserved character", "put a text that begins with this character in quotes"},
	{"could not find end character", "close the quote; if the text begins with a quote itself, put it in quotes of the other kind"},
	{"value is not allowed", "if this is a text, put it in quotes; within single quotes an apostrophe is written twice"},
	{"could not find flow mapping end", `close the brace, or put a text that begins with "{" in quotes`},
	{"could not find flow map", `quote a text that begins with "{", as in "{{ title }}"; or, if the file is a template, which is not content, name it under ignore in _environment.yaml`},
	{"unexpected directive value", inQuotes},
	{"unexpected scalar value type", inQuotes},
	{"sequence end token", `close the bracket, or put a text that begins with "[" in quotes`},
	{"must be specified", `close the bracket, or put a text that begins with "[" or "{" in quotes`},
}

func advice(message string) string {
	for _, a := range advices {
		if strings.Contains(message, a.part) {
			return a.hint
		}
	}
	return ""
}
