// Package jsonscan reads JSON of files that may have faults: members of an object, lines and columns. It reads with
// jsontext, which gives the offsets of duplicate keys and of invalid text. Package jsoncursor reads the text afterwards.
package jsonscan

import (
	"bytes"

	"contentedge/edgeserve/wire/jsoncursor"

	"github.com/goccy/go-json/jsontext"
)

// Member is a member of an object.
type Member struct {
	Name, Value     []byte // JSON text, the name with its quotes
	NameAt, ValueAt int    // offsets in the text that was scanned
}

// Scanner reads values. It belongs to one goroutine and may be reused.
type Scanner struct {
	dec     *jsontext.Decoder
	input   bytes.Buffer
	members []Member
}

// New returns a Scanner.
func New() *Scanner {
	return &Scanner{dec: jsontext.NewDecoder(bytes.NewReader(nil))}
}

// lenient options skip values whose only faults are in names and strings.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// compacting options take the white space off a valid value.
var compacting = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)}

// start sets the scanner on a value; a Buffer is read in place, not copied.
func (s *Scanner) start(text []byte, at int, options ...jsontext.Options) {
	s.input = *bytes.NewBuffer(text[at:len(text):len(text)])
	s.dec.Reset(&s.input, options...)
}

// Skip returns the end of the value at an offset.
func (s *Scanner) Skip(text []byte, at int) (int, error) { return s.skip(text, at) }

// SkipLenient is Skip for a value that may have faults in names and strings.
func (s *Scanner) SkipLenient(text []byte, at int) (int, error) { return s.skip(text, at, lenient...) }

func (s *Scanner) skip(text []byte, at int, options ...jsontext.Options) (int, error) {
	s.start(text, at, options...)
	if _, err := s.dec.ReadValue(); err != nil {
		return 0, err
	}
	return at + int(s.dec.InputOffset()), nil
}

// Object returns an object's members, valid until the next call, and its end. It returns the error of the whole value,
// which explains more than the error of a token.
func (s *Scanner) Object(text []byte, at int) ([]Member, int, error) {
	members, end, err := s.tokens(text, at)
	if err != nil {
		if _, whole := s.skip(text, at); whole != nil {
			err = whole
		}
	}
	return members, end, err
}

// ObjectLenient is Object for a value that may have faults in names and strings.
func (s *Scanner) ObjectLenient(text []byte, at int) ([]Member, int, error) {
	return s.tokens(text, at, lenient...)
}

// ArrayLenient visits the elements of an array, which may have faults in names and strings, by their
// offsets. It ends with the first error of visit, which may use another Scanner.
func (s *Scanner) ArrayLenient(text []byte, at int, visit func(start, end int) error) error {
	s.start(text, at, lenient...)
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() != jsontext.KindEndArray {
		value, start, err := s.next(text, at)
		if err != nil {
			return err
		}
		if err := visit(start, start+len(value)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scanner) tokens(text []byte, at int, options ...jsontext.Options) ([]Member, int, error) {
	s.start(text, at, options...)
	s.members = s.members[:0]
	if _, err := s.dec.ReadToken(); err != nil {
		return nil, 0, err
	}
	for s.dec.PeekKind() != jsontext.KindEndObject {
		var m Member
		var err error
		if m.Name, m.NameAt, err = s.next(text, at); err != nil {
			return nil, 0, err
		}
		if m.Value, m.ValueAt, err = s.next(text, at); err != nil {
			return nil, 0, err
		}
		s.members = append(s.members, m)
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return nil, 0, err
	}
	return s.members, at + int(s.dec.InputOffset()), nil
}

func (s *Scanner) next(text []byte, at int) ([]byte, int, error) {
	value, err := s.dec.ReadValue()
	if err != nil {
		return nil, 0, err
	}
	end := at + int(s.dec.InputOffset())
	return text[end-len(value) : end : end], end - len(value), nil
}

// AppendCompact appends a valid value without its white space.
func AppendCompact(dst, value []byte) []byte {
	dst, _ = jsontext.AppendFormat(dst, value, compacting...)
	return dst
}

// ScalarText returns the text of a value that is neither an object nor an array: a string decoded, others as written.
func ScalarText(value []byte) []byte {
	if value[0] == '"' {
		return jsoncursor.Unquote(value)
	}
	return value
}

// TooDeep returns the offset of the bracket beyond the limit of levels, or -1.
func TooDeep(text []byte, limit int) int {
	if bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) <= limit {
		return -1
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = jsoncursor.StringEnd(text, i) - 1
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// LongPath returns the offset of the first key of a value whose path, as written, has more bytes than the limit, and
// how many, or -1.
func LongPath(text []byte, limit int) (at, n int) {
	if len(text) <= limit {
		return -1, 0
	}
	type level struct {
		object, named bool
		before, path  int // the lengths of its own path, and of its last key's
	}
	var levels []level
	for i := 0; i < len(text); i++ {
		last := len(levels) - 1
		switch text[i] {
		case '"':
			end := jsoncursor.StringEnd(text, i) - 1
			if l := levels[last]; l.object && !l.named {
				n = l.before + end - i - 1
				if n > limit {
					return i, n
				}
				levels[last].named, levels[last].path = true, n
			}
			i = end
		case ',':
			levels[last].named = false
		case '{', '[':
			before := 0
			if last >= 0 {
				before = levels[last].path
			}
			l := level{object: text[i] == '{', before: before, path: before}
			if l.object && last >= 0 {
				l.before++ // the dot
			}
			levels = append(levels, l)
		case '}', ']':
			levels = levels[:last]
		}
	}
	return -1, 0
}

// SameName returns the first offset of the name that pointer ends in, or -1.
func (s *Scanner) SameName(text []byte, at int, pointer jsontext.Pointer) int {
	s.start(text, at, lenient...)
	for {
		before := at + int(s.dec.InputOffset())
		token, err := s.dec.ReadToken()
		if err != nil {
			return -1
		}
		kind, length := s.dec.StackIndex(s.dec.StackDepth())
		isName := kind == jsontext.KindBeginObject && length%2 == 1
		if isName && token.Kind() == jsontext.KindString && s.dec.StackPointer() == pointer {
			return before + bytes.IndexByte(text[before:], '"')
		}
	}
}
