// This file navigates JSON that was parsed before. Invalid JSON gives an offset in the text.

package jsonscan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Children calls do with each member or element of the value at an offset, and returns its end. do
// gets the quoted name (nil: an element) and its value's offset, and returns the value's end.
func Children(text []byte, at int, do func(name []byte, at int) int) int {
	object := text[at] == '{'
	at = SkipSpace(text, at+1)
	for at < len(text) && text[at] != '}' && text[at] != ']' {
		var name []byte
		if object {
			end := ScalarEnd(text, at)
			name = text[at:end]
			at = SkipSpace(text, SkipSpace(text, end)+1)
		}
		if at >= len(text) {
			break
		}
		at = SkipSpace(text, do(name, at))
		if at < len(text) && text[at] == ',' {
			at = SkipSpace(text, at+1)
		}
	}
	return min(at+1, len(text))
}

// ValueEnd returns the end of the value at an offset.
func ValueEnd(text []byte, at int) int {
	if text[at] != '{' && text[at] != '[' {
		return ScalarEnd(text, at)
	}
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}

// ScalarEnd returns an offset after at: the end of the string, number or word there.
func ScalarEnd(text []byte, at int) int {
	if text[at] == '"' {
		return min(stringEnd(text, at)+1, len(text))
	}
	for at++; at < len(text) && !strings.ContainsRune(",:]} \n\r\t", rune(text[at])); at++ {
	}
	return at
}

// StringAt returns the string at an offset, decoded, or nothing for other values.
func StringAt(text []byte, at int) []byte {
	if at >= len(text) || text[at] != '"' {
		return nil
	}
	quoted := text[at:ScalarEnd(text, at)]
	if len(quoted) < 2 {
		return nil
	}
	return Unquote(quoted)
}

// Spells reports whether the JSON text of a string means want.
func Spells(text []byte, want string) bool {
	switch {
	case len(text) < len(want)+2 || text[0] != '"':
		return false
	case bytes.IndexByte(text, '\\') < 0:
		return string(text[1:len(text)-1]) == want
	}
	return string(Unquote(text)) == want
}

// Place returns an offset's line and column, from 1, in characters; an invalid byte is one.
func Place(text []byte, offset int) (line, col int) {
	before := text[:min(offset, len(text))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// KindName names the kind of a value by its first byte, with an article.
func KindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// IsNumber reports whether a text is a number of JSON, and nothing else.
func IsNumber(text string) bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i > from
	}
	is := func(chars string) bool {
		found := i < len(text) && strings.IndexByte(chars, text[i]) >= 0
		if found {
			i++
		}
		return found
	}
	is("-")
	if !is("0") && !digits() || is(".") && !digits() {
		return false
	}
	if is("eE") {
		is("+-")
		if !digits() {
			return false
		}
	}
	return i == len(text)
}

// ResemblesNumber reports whether people or other formats take a text for a number, as 010, +1, .5,
// 1_000 or 0x1F. Every number of JSON is one.
func ResemblesNumber(text string) bool {
	rest := strings.TrimLeft(text, "+-")
	if len(rest) == 0 || len(text)-len(rest) > 1 {
		return false
	}
	for _, base := range []struct{ prefix, digits string }{{"0x", "0123456789abcdefABCDEF_"}, {"0o", "01234567_"}, {"0b", "01_"}} {
		if digits, ok := strings.CutPrefix(rest, base.prefix); ok {
			return digits != "" && strings.Trim(digits, base.digits) == ""
		}
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789_") == "" && !strings.HasPrefix(s, "_") }
	return whole+fraction != "" && digits(whole) && digits(fraction) && digits(strings.TrimLeft(exponent, "+-")) && strings.ContainsAny(rest[:1], ".0123456789") && strings.ContainsAny(rest[len(rest)-1:], ".0123456789")
}
