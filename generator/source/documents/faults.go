// This file explains JSON errors by what the author probably meant.

package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/terminal"
	"contentedge/generator/source/jsonscan"

	"github.com/goccy/go-json/jsontext"
)

var fauxLiterals = []string{"NaN", "Infinity", "-Infinity", "undefined", "None", "True", "False", "nil"}

// TooDeep is the message for brackets beyond MaxDepth.
var TooDeep = fmt.Sprintf("brackets are nested more than %d deep here", MaxDepth)

// explain reports why the value at an offset cannot be read.
func (s *scan) explain(at int, err error) {
	f := jsonscan.SyntaxErrorOf(s.text, at, err)
	switch {
	case errors.Is(f.Err, jsontext.ErrDuplicateName):
		s.out.Fault(f.At, fmt.Sprintf("the key %s is given twice in this object", Quoted(f.Pointer.LastToken())), s.firstName(at, f.Pointer))
	case errors.Is(f.Err, io.ErrUnexpectedEOF):
		s.unfinished()
	case invalidUTF8(s.text, f.At):
		message, hint := NotUTF8(s.text[f.At])
		s.out.Fault(f.At, message, hint)
	default:
		s.unexpected(at, f)
	}
}

// NotUTF8 is the message for a byte that is not UTF-8, and its hint.
func NotUTF8(b byte) (message, hint string) {
	return fmt.Sprintf("the byte 0x%02x is not UTF-8 here", b), "save the file as UTF-8"
}

// unfinished reports that the text ends too early.
func (s *scan) unfinished() { s.out.Fault(len(s.text), s.phrases.unfinished, s.phrases.advice) }

func (s *scan) unexpected(at int, f jsonscan.SyntaxError) {
	if deep := jsonscan.TooDeep(s.text[at:f.At], MaxDepth); deep >= 0 {
		s.out.Fault(at+deep, TooDeep, "")
		return
	}
	message := strings.TrimPrefix(f.Err.Error(), "jsontext: ")
	if strings.HasPrefix(message, "invalid surrogate pair") {
		s.out.Fault(f.At, "this escape is half of a surrogate pair", "write both halves, or the character itself")
		return
	}
	s.out.Fault(f.At, expected(s.text, f.At, terminal.Text(message)), advice(s.text, f.At))
}

// expectations are the tokens that the decoder's messages call missing.
var expectations = []struct{ message, needs string }{
	{"after object value", "a comma or '}'"},
	{"after array element", "a comma or ']'"},
	{"after object name", "a colon"},
	{"at start of string", "a name in double quotes"},
	{"at start of value", "a value"},
	{"in literal true", "the word true"},
	{"in literal false", "the word false"},
	{"in literal null", "the word null"},
	{"in number", "a digit"},
	{"in string", "a closing quote or an escape"},
}

// expected says what was found and what should be there; other messages stay as they are.
func expected(text []byte, at int, message string) string {
	for _, e := range expectations {
		if at < len(text) && strings.HasPrefix(message, "invalid character") && strings.Contains(message, " "+e.message) {
			r, _ := utf8.DecodeRune(text[at:])
			return fmt.Sprintf("expected %s, found %q", e.needs, r)
		}
	}
	return message
}

// firstName is the hint that leads to the other place of a key given twice.
func (s *scan) firstName(at int, pointer jsontext.Pointer) string {
	first := s.scanner.SameName(s.text, at, pointer)
	if first < 0 {
		return "keep one of the two"
	}
	return "it is given first " + s.phrases.firstName(jsonscan.Place(s.text, first)) + "; keep one of the two"
}

// strangeness names the format of a text that is not JSON at all, or returns "".
func strangeness(text []byte, at int) string {
	switch rest := text[at:]; {
	case conflict(text, at):
		return "this looks like a merge conflict that is not resolved"
	case bytes.HasPrefix(rest, []byte("\ufeff")):
		return "this is a byte order mark (U+FEFF), as of files that were put together; it may only begin a file: remove it"
	case bytes.HasPrefix(rest, []byte{0x1a}):
		return "this is ^Z (0x1A), with which DOS ended files; remove it"
	}
	return ""
}

// oldLineEnds is for a text whose lines end with CR, without LF.
const oldLineEnds = "its lines end with only CR; save the file with LF or CR LF"

// advice returns the hint for the text at an offset, or "".
func advice(text []byte, at int) string {
	if strange := strangeness(text, at); strange != "" {
		return strange
	}
	rest := text[at:]
	c := byte(0)
	if len(rest) > 0 {
		c = rest[0]
	}
	switch {
	case bytes.HasPrefix(rest, []byte("<?xml")) && !bytes.Contains(rest[:min(len(rest), 500)], []byte("<html")):
		return "this looks like XML, not JSON"
	case c == '<':
		return "this looks like HTML, not JSON"
	case c == 0:
		return "this looks like UTF-16 or a damaged file; save it as UTF-8"
	case c == '/' || c == '#':
		return "JSON has no comments"
	case c == '\'':
		return "JSON writes strings in double quotes"
	case (c == '}' || c == ']') && bytes.HasSuffix(bytes.TrimRight(text[:at], " \t\r\n"), []byte{','}):
		return "nothing follows the comma before it; remove the comma"
	case at > 0 && '0' <= c && c <= '9' && text[at-1] == '0':
		return "a number does not begin with 0; put a text in double quotes"
	case c < ' ':
		return "inside a string, write a line break as \\n and a tab as \\t"
	}
	for _, word := range fauxLiterals {
		if bytes.HasPrefix(rest, []byte(word)) {
			return fmt.Sprintf("JSON has no %s; it knows null, true, false and numbers", word)
		}
	}
	if r, _ := utf8.DecodeRune(rest); unicode.IsLetter(r) {
		return "JSON writes text and names in double quotes"
	}
	return ""
}

// conflict reports whether the line of an offset is a mark of a merge.
func conflict(text []byte, at int) bool {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return true
		}
	}
	return false
}

func invalidUTF8(text []byte, at int) bool {
	if at >= len(text) {
		return false
	}
	r, size := utf8.DecodeRune(text[at:])
	return r == utf8.RuneError && size <= 1
}
