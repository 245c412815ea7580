// This file parses the JSON of a search body. Unlike encoding/json it rejects duplicate
// member names, invalid UTF-8 and data after the value, and it accepts comments, as
// Elasticsearch does. It keeps the offset of every value for error messages, and the text
// of numbers.

package query

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type jsonKind uint8

const (
	kindNull jsonKind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// kindNames holds the names of the kinds for error messages.
var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// value is a JSON value. name is the member name inside an object. text is a scalar's text:
// decoded for a string, as sent otherwise. items holds members or elements.
type value struct {
	kind  jsonKind
	pos   int32
	name  string
	text  string
	items []value
}

// member returns the member called name, or nil.
func (v *value) member(name string) *value {
	for i := range v.items {
		if v.items[i].name == name {
			return &v.items[i]
		}
	}
	return nil
}

// jsonReader is a cursor over src.
type jsonReader struct {
	src   string
	at    int
	depth int
}

// byteOrderMark is ignored at the start of a body. Some editors and HTTP clients write it.
const byteOrderMark = "\ufeff"

// readJSON parses the only value of src. The result is nil if src is blank.
func readJSON(src string) (*value, *Error) {
	if !utf8.ValidString(src) {
		return nil, jsonError(invalidAt(src), "is not UTF-8")
	}
	r := &jsonReader{src: src}
	if strings.HasPrefix(src, byteOrderMark) {
		r.at = len(byteOrderMark)
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.at == len(src) {
		return nil, nil
	}
	v := new(value)
	if err := r.value(v); err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.at != len(src) {
		return nil, r.unexpected("the end: one JSON value is all a body may hold")
	}
	return v, nil
}

// invalidAt returns the offset of the first byte of src that is not valid UTF-8.
func invalidAt(src string) int {
	for i, c := range src {
		if c == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(src[i:]); n == 1 {
				return i
			}
		}
	}
	return len(src)
}

func jsonError(pos int, format string, args ...any) *Error {
	what := fmt.Sprintf(format, args...)
	return &Error{Code: CodeJSON, Message: fmt.Sprintf("the body is not valid JSON: byte %d %s", pos, what), Position: pos}
}

// unexpected reports a syntax error at the current byte.
func (r *jsonReader) unexpected(want string) *Error {
	if r.at >= len(r.src) {
		return jsonError(r.at, "is the end, expected %s", want)
	}
	c, _ := utf8.DecodeRuneInString(r.src[r.at:])
	return jsonError(r.at, "is %q, expected %s", c, want)
}

// space skips white space and comments.
func (r *jsonReader) space() *Error {
	for r.at < len(r.src) {
		switch r.src[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		case '/':
			if err := r.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) comment() *Error {
	rest := r.src[r.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			r.at += n
		} else {
			r.at = len(r.src)
		}
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest[2:], "*/")
		if n < 0 {
			return jsonError(r.at, "begins a comment that does not end")
		}
		r.at += n + 4
	default:
		return r.unexpected("a value or a comment")
	}
	return nil
}

// value parses the value at the current byte, which is not white space.
func (r *jsonReader) value(v *value) *Error {
	v.pos = int32(r.at)
	if r.at == len(r.src) {
		return r.unexpected("a value")
	}
	switch c := r.src[r.at]; {
	case c == '{':
		return r.nested(v, kindObject, '}', r.object)
	case c == '[':
		return r.nested(v, kindArray, ']', r.element)
	case c == '"':
		v.kind = kindString
		return r.str(&v.text)
	case c == '-' || c >= '0' && c <= '9':
		v.kind = kindNumber
		return r.number(v)
	}
	return r.word(v)
}

// word parses true, false or null.
func (r *jsonReader) word(v *value) *Error {
	for _, w := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(r.src[r.at:], w) {
			v.text = w
			if w != "null" {
				v.kind = kindBool
			}
			r.at += len(w)
			return nil
		}
	}
	return r.unexpected("a value")
}

// nested parses the items of an object or array, up to the byte end.
func (r *jsonReader) nested(v *value, k jsonKind, end byte, item func(*value) *Error) *Error {
	v.kind = k
	if r.depth++; r.depth > maxJSONDepth {
		return &Error{Code: CodeTooDeep, Message: fmt.Sprintf("the body is nested deeper than %d levels", maxJSONDepth), Position: r.at}
	}
	r.at++
	for first := true; ; first = false {
		if err := r.space(); err != nil {
			return err
		}
		if first && r.at < len(r.src) && r.src[r.at] == end {
			break
		}
		v.items = append(v.items, value{})
		if err := item(v); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		if r.at < len(r.src) && r.src[r.at] == end {
			break
		}
		if r.at == len(r.src) || r.src[r.at] != ',' {
			return r.unexpected(fmt.Sprintf("a comma or %q", end))
		}
		r.at++
	}
	r.at++
	r.depth--
	if k == kindObject {
		return checkDuplicates(v)
	}
	return nil
}

// element parses the last element of the array v.
func (r *jsonReader) element(v *value) *Error {
	return r.value(&v.items[len(v.items)-1])
}

// object parses the last member of the object v.
func (r *jsonReader) object(v *value) *Error {
	m := &v.items[len(v.items)-1]
	if r.at == len(r.src) || r.src[r.at] != '"' {
		return r.unexpected("a member name in double quotes")
	}
	if err := r.str(&m.name); err != nil {
		return err
	}
	if err := r.space(); err != nil {
		return err
	}
	if r.at == len(r.src) || r.src[r.at] != ':' {
		return r.unexpected("a colon")
	}
	r.at++
	if err := r.space(); err != nil {
		return err
	}
	return r.value(m)
}

// checkDuplicates reports a member name that the object v has twice.
func checkDuplicates(v *value) *Error {
	const few = 16 // up to this size comparing all pairs is faster than a map
	if len(v.items) <= few {
		for i := range v.items {
			for j := range i {
				if v.items[i].name == v.items[j].name {
					return duplicateError(&v.items[i])
				}
			}
		}
		return nil
	}
	seen := make(map[string]struct{}, len(v.items))
	for i := range v.items {
		if _, ok := seen[v.items[i].name]; ok {
			return duplicateError(&v.items[i])
		}
		seen[v.items[i].name] = struct{}{}
	}
	return nil
}

func duplicateError(m *value) *Error {
	return jsonError(int(m.pos), "is the second value of the member %q of one object", clip(m.name))
}

// number checks the syntax of a number and stores its text.
func (r *jsonReader) number(v *value) *Error {
	start := r.at
	if r.src[r.at] == '-' {
		r.at++
	}
	if r.at < len(r.src) && r.src[r.at] == '0' {
		r.at++
	} else if err := r.digits(); err != nil {
		return err
	}
	if r.at < len(r.src) && r.src[r.at] == '.' {
		r.at++
		if err := r.digits(); err != nil {
			return err
		}
	}
	if r.at < len(r.src) && r.src[r.at]|0x20 == 'e' {
		r.at++
		if r.at < len(r.src) && (r.src[r.at] == '+' || r.src[r.at] == '-') {
			r.at++
		}
		if err := r.digits(); err != nil {
			return err
		}
	}
	v.text = r.src[start:r.at]
	return nil
}

// digits skips one or more digits.
func (r *jsonReader) digits() *Error {
	start := r.at
	for r.at < len(r.src) && r.src[r.at] >= '0' && r.src[r.at] <= '9' {
		r.at++
	}
	if r.at == start {
		return r.unexpected("a digit")
	}
	return nil
}

// str parses a string. Without escapes the result shares the memory of src.
func (r *jsonReader) str(out *string) *Error {
	r.at++
	start := r.at
	var b []byte
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == '"':
			if b == nil {
				*out = r.src[start:r.at]
			} else {
				*out = string(append(b, r.src[start:r.at]...))
			}
			r.at++
			return nil
		case c == '\\':
			b = append(b, r.src[start:r.at]...)
			var err *Error
			if b, err = r.escape(b); err != nil {
				return err
			}
			start = r.at
		case c < ' ':
			return r.unexpected("a string's end or an escape: control characters must be escaped")
		default:
			r.at++
		}
	}
	return r.unexpected("a closing quote")
}

// simpleEscapes holds pairs: the letter of an escape and the character that it represents.
const simpleEscapes = "\"\"\\\\//b\bf\fn\nr\rt\t"

// escape decodes an escape and appends its character to b.
func (r *jsonReader) escape(b []byte) ([]byte, *Error) {
	r.at++
	if r.at < len(r.src) && r.src[r.at] == 'u' {
		return r.unicode(b)
	}
	for i := 0; r.at < len(r.src) && i < len(simpleEscapes); i += 2 {
		if simpleEscapes[i] == r.src[r.at] {
			r.at++
			return append(b, simpleEscapes[i+1]), nil
		}
	}
	return nil, r.unexpected(`one of " \ / b f n r t u after a backslash`)
}

// unicode decodes \uXXXX, or a surrogate pair of two. A lone surrogate becomes U+FFFD:
// UTF-8 cannot represent it.
func (r *jsonReader) unicode(b []byte) ([]byte, *Error) {
	c, ok := hex4(r.src[r.at+1:])
	if !ok {
		return nil, r.unexpected("four hexadecimal digits after \\u")
	}
	r.at += 5
	if utf16.IsSurrogate(c) && strings.HasPrefix(r.src[r.at:], `\u`) {
		low, ok := hex4(r.src[r.at+2:])
		if pair := utf16.DecodeRune(c, low); ok && pair != utf8.RuneError {
			r.at += 6
			return utf8.AppendRune(b, pair), nil
		}
	}
	return utf8.AppendRune(b, c), nil
}

// hex4 parses the first four hexadecimal digits of s.
func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var c rune
	for i := range 4 {
		d := strings.IndexByte("0123456789abcdefABCDEF", s[i])
		if d < 0 {
			return 0, false
		}
		if d > 15 {
			d -= 6
		}
		c = c<<4 | rune(d)
	}
	return c, true
}

// clip shortens text of the body for an error message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
