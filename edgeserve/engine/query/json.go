// This file parses JSON with comments, as Elasticsearch does, but refuses duplicate names, invalid
// UTF-8 and trailing data, which the token readers of encoding/json and goccy/go-json cannot do.

package query

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"contentedge/edgeserve/wire/problem"
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

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// value is a JSON value. text is a scalar's, decoded for a string; name is set inside an object.
type value struct {
	kind  jsonKind
	pos   int32
	name  string
	text  string
	items []value
}

func (v *value) member(name string) *value {
	for i := range v.items {
		if v.items[i].name == name {
			return &v.items[i]
		}
	}
	return nil
}

// jsonReader is a cursor. After an error it stands at the end of src, where every loop stops.
type jsonReader struct {
	src   string
	at    int
	depth int
	err   *Error // the first error
}

// byteOrderMark is ignored at the start of a body. Some editors and HTTP clients write it.
const byteOrderMark = "\ufeff"

// readJSON parses the only value of src into v. A blank src leaves v null.
func readJSON(src string, v *value) *Error {
	r := &jsonReader{src: src, at: len(src) - len(strings.TrimPrefix(src, byteOrderMark))}
	if !utf8.ValidString(src) {
		r.fail(invalidAt(src), "is not UTF-8")
	}
	if r.space(); r.at < len(src) {
		r.value(v)
	}
	if r.space(); r.at < len(src) {
		r.unexpected("the end: one JSON value is all a body may hold")
	}
	return r.err
}

// invalidAt returns the offset of the first invalid UTF-8 byte.
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

func (r *jsonReader) fail(pos int, format string, args ...any) {
	if r.err == nil {
		what := fmt.Sprintf(format, args...)
		r.err = &Error{Code: problem.BadJSON, Message: fmt.Sprintf("the body is not valid JSON: byte %d %s", pos, what), Position: pos}
	}
	r.at = len(r.src)
}

func (r *jsonReader) unexpected(want string) {
	if r.at == len(r.src) {
		r.fail(r.at, "is the end, expected %s", want)
		return
	}
	c, _ := utf8.DecodeRuneInString(r.src[r.at:])
	r.fail(r.at, "is %q, expected %s", c, want)
}

func (r *jsonReader) peek() byte {
	if r.at == len(r.src) {
		return 0
	}
	return r.src[r.at]
}

func (r *jsonReader) accept(c byte) bool {
	if r.at == len(r.src) || r.src[r.at] != c {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) space() {
	for {
		switch r.peek() {
		case ' ', '\t', '\n', '\r':
			r.at++
		case '/':
			r.comment()
		default:
			return
		}
	}
}

func (r *jsonReader) comment() {
	rest := r.src[r.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			r.at += n
		} else {
			r.at = len(r.src)
		}
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			r.at += n + 4
		} else {
			r.fail(r.at, "begins a comment that does not end")
		}
	default:
		r.unexpected("a value or a comment")
	}
}

func (r *jsonReader) value(v *value) {
	v.pos = int32(r.at)
	switch c := r.peek(); {
	case c == '{':
		v.kind = kindObject
		r.items(v, '}')
		r.checkDuplicates(v)
	case c == '[':
		v.kind = kindArray
		r.items(v, ']')
	case c == '"':
		v.kind, v.text = kindString, r.str()
	case c == '-' || c >= '0' && c <= '9':
		v.kind, v.text = kindNumber, r.number()
	default:
		v.kind, v.text = r.word()
	}
}

func (r *jsonReader) word() (jsonKind, string) {
	for _, w := range [...]string{"null", "true", "false"} {
		if strings.HasPrefix(r.src[r.at:], w) {
			r.at += len(w)
			if w == "null" {
				return kindNull, w
			}
			return kindBool, w
		}
	}
	r.unexpected("a value")
	return kindNull, ""
}

func (r *jsonReader) items(v *value, end byte) {
	if r.depth++; r.depth > maxJSONDepth {
		r.err = &Error{Code: problem.TooDeep, Message: fmt.Sprintf("the body is nested deeper than %d levels", maxJSONDepth), Position: r.at}
		r.at = len(r.src)
		return
	}
	r.at++
	if r.space(); !r.accept(end) {
		for more := true; more; more = r.accept(',') {
			v.items = append(v.items, value{})
			item := &v.items[len(v.items)-1]
			if r.space(); v.kind == kindObject {
				item.name = r.name()
			}
			r.value(item)
			r.space()
		}
		if !r.accept(end) {
			r.unexpected(fmt.Sprintf("a comma or %q", end))
		}
	}
	r.depth--
}

func (r *jsonReader) name() (name string) {
	if r.peek() == '"' {
		name = r.str()
	} else {
		r.unexpected("a member name in double quotes")
	}
	if r.space(); !r.accept(':') {
		r.unexpected("a colon")
	}
	r.space()
	return name
}

func (r *jsonReader) checkDuplicates(v *value) {
	const few = 16 // up to this size comparing all pairs is faster than a map
	var seen map[string]bool
	if len(v.items) > few {
		seen = make(map[string]bool, len(v.items))
	}
	for i := range v.items {
		m := &v.items[i]
		twice := seen[m.name]
		if seen != nil {
			seen[m.name] = true
		}
		for j := 0; j < i && seen == nil; j++ {
			twice = twice || v.items[j].name == m.name
		}
		if twice {
			r.fail(int(m.pos), "is the second value of the member %q of one object", clip(m.name))
		}
	}
}

func (r *jsonReader) number() string {
	start := r.at
	r.accept('-')
	if !r.accept('0') {
		r.digits()
	}
	if r.accept('.') {
		r.digits()
	}
	if r.accept('e') || r.accept('E') {
		if !r.accept('+') {
			r.accept('-')
		}
		r.digits()
	}
	return r.src[start:r.at]
}

func (r *jsonReader) digits() {
	end := digitsEnd(r.src, r.at)
	if end == r.at {
		r.unexpected("a digit")
		return
	}
	r.at = end
}

// str parses a string. Without escapes the result shares the memory of src.
func (r *jsonReader) str() string {
	r.at++
	start := r.at
	var b []byte
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == '"':
			s := r.src[start:r.at]
			if b != nil {
				s = string(append(b, s...))
			}
			r.at++
			return s
		case c == '\\':
			b = r.escape(append(b, r.src[start:r.at]...))
			start = r.at
		case c < ' ':
			r.unexpected("a string's end or an escape: control characters must be escaped")
		default:
			r.at++
		}
	}
	r.unexpected("a closing quote")
	return ""
}

const escapeLetters, escaped = `"\/bfnrt`, "\"\\/\b\f\n\r\t"

func (r *jsonReader) escape(b []byte) []byte {
	r.at++
	c := r.peek()
	if c == 'u' {
		return r.unicode(b)
	}
	i := strings.IndexByte(escapeLetters, c)
	if i < 0 {
		r.unexpected(`one of " \ / b f n r t u after a backslash`)
		return nil
	}
	r.at++
	return append(b, escaped[i])
}

// unicode decodes \uXXXX, or a surrogate pair. A lone surrogate, invalid in UTF-8, becomes U+FFFD.
func (r *jsonReader) unicode(b []byte) []byte {
	c, ok := hex4(r.src[r.at+1:])
	if !ok {
		r.unexpected("four hexadecimal digits after \\u")
		return nil
	}
	r.at += 5
	if utf16.IsSurrogate(c) && strings.HasPrefix(r.src[r.at:], `\u`) {
		low, ok := hex4(r.src[r.at+2:])
		if pair := utf16.DecodeRune(c, low); ok && pair != utf8.RuneError {
			r.at += 6
			return utf8.AppendRune(b, pair)
		}
	}
	return utf8.AppendRune(b, c)
}

func hex4(s string) (rune, bool) {
	c, err := strconv.ParseUint(s[:min(4, len(s))], 16, 16)
	return rune(c), err == nil && len(s) >= 4
}

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
