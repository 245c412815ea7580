// This file names places and kinds of values, and recognises numbers.

package jsonscan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

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
