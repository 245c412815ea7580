// This file parses a text. It accepts comments, as Elasticsearch does. It refuses duplicate names, invalid
// UTF-8 and trailing data, which the token readers of encoding/json and goccy/go-json accept.

package strictjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth limits the nesting of arrays and objects, hence the recursion of every walk over a Value.
const MaxDepth = 128

// Error says why a text is not a Value. The message continues a sentence such as "the body is …".
type Error struct {
	Message  string
	Position int  // byte offset in the text
	TooDeep  bool // the text may be JSON, but is nested deeper than MaxDepth
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// reader is a cursor. After an error it is at the end of src, where every loop stops.
type reader struct {
	src   string
	at    int
	depth int
	err   *Error // the first error
}

// ByteOrderMark is ignored at the start of a body. Some editors and HTTP clients write it.
const ByteOrderMark = "\ufeff"

// Read parses src, which holds one value, into v. A blank src makes v null.
func Read(src string, v *Value) *Error {
	r := &reader{src: src, at: len(src) - len(strings.TrimPrefix(src, ByteOrderMark))}
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

func (r *reader) fail(pos int, format string, args ...any) {
	if r.err == nil {
		what := fmt.Sprintf(format, args...)
		r.err = &Error{Message: fmt.Sprintf("not valid JSON: byte %d %s", pos, what), Position: pos}
	}
	r.at = len(r.src)
}

func (r *reader) unexpected(want string) {
	if r.at == len(r.src) {
		r.fail(r.at, "is the end, expected %s", want)
		return
	}
	c, _ := utf8.DecodeRuneInString(r.src[r.at:])
	r.fail(r.at, "is %q, expected %s", c, want)
}

func (r *reader) peek() byte {
	if r.at == len(r.src) {
		return 0
	}
	return r.src[r.at]
}

func (r *reader) accept(c byte) bool {
	if r.at == len(r.src) || r.src[r.at] != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) space() {
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

func (r *reader) comment() {
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

func (r *reader) value(v *Value) {
	v.Pos = int32(r.at)
	switch c := r.peek(); {
	case c == '{':
		v.Kind = Object
		r.items(v, '}')
		r.checkDuplicates(v)
	case c == '[':
		v.Kind = Array
		r.items(v, ']')
	case c == '"':
		v.Kind, v.Text = String, r.str()
	case c == '-' || c >= '0' && c <= '9':
		v.Kind, v.Text = Number, r.number()
	default:
		v.Kind, v.Text = r.word()
	}
}

func (r *reader) word() (Kind, string) {
	for _, w := range [...]string{"null", "true", "false"} {
		if strings.HasPrefix(r.src[r.at:], w) {
			r.at += len(w)
			if w == "null" {
				return Null, w
			}
			return Bool, w
		}
	}
	r.unexpected("a value")
	return Null, ""
}

func (r *reader) items(v *Value, end byte) {
	if r.depth++; r.depth > MaxDepth {
		r.err = &Error{Message: fmt.Sprintf("nested deeper than %d levels", MaxDepth), Position: r.at, TooDeep: true}
		r.at = len(r.src)
		return
	}
	r.at++
	if r.space(); !r.accept(end) {
		for more := true; more; more = r.accept(',') {
			v.Items = append(v.Items, Value{})
			item := &v.Items[len(v.Items)-1]
			if r.space(); v.Kind == Object {
				item.Name = r.name()
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

func (r *reader) name() (name string) {
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

func (r *reader) checkDuplicates(v *Value) {
	const few = 16 // up to this number of members, comparing all pairs is faster than a map
	var seen map[string]bool
	if len(v.Items) > few {
		seen = make(map[string]bool, len(v.Items))
	}
	for i := range v.Items {
		m := &v.Items[i]
		twice := seen[m.Name]
		if seen != nil {
			seen[m.Name] = true
		}
		for j := 0; j < i && seen == nil; j++ {
			twice = twice || v.Items[j].Name == m.Name
		}
		if twice {
			r.fail(int(m.Pos), "is the second value of the member %q of one object", Clip(m.Name))
		}
	}
}

func (r *reader) number() string {
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

func (r *reader) digits() {
	start := r.at
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	if r.at == start {
		r.unexpected("a digit")
	}
}

// str parses a string. Without escapes the result shares the memory of src.
func (r *reader) str() string {
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

func (r *reader) escape(b []byte) []byte {
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

// unicode decodes \uXXXX, or a surrogate pair.
func (r *reader) unicode(b []byte) []byte {
	b, n := AppendUnicode(b, r.src[r.at:])
	if n == 0 {
		r.unexpected("four hexadecimal digits after \\u")
		return nil
	}
	r.at += n
	return b
}

// AppendUnicode appends the character that src begins with, written as uXXXX or as the surrogate pair
// uXXXX\uXXXX. It returns the length of this escape, or 0 if src begins with none. A lone surrogate, which
// UTF-8 cannot express, becomes U+FFFD.
func AppendUnicode(dst []byte, src string) ([]byte, int) {
	c, ok := hex4(src[1:])
	if !ok {
		return dst, 0
	}
	if utf16.IsSurrogate(c) && strings.HasPrefix(src[5:], `\u`) {
		low, ok := hex4(src[7:])
		if pair := utf16.DecodeRune(c, low); ok && pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 11
		}
	}
	return utf8.AppendRune(dst, c), 5
}

func hex4(s string) (rune, bool) {
	c, err := strconv.ParseUint(s[:min(4, len(s))], 16, 16)
	return rune(c), err == nil && len(s) >= 4
}
