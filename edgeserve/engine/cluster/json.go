// This file reads the JSON of responses. A response is checked as a whole before any part is read; after that a value
// is the part of the response that spells it.

package cluster

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/jsoncursor"
)

// wrongResponse is the error of a response that is not what was asked for.
type wrongResponse struct{ what string }

// Error implements error.
func (e *wrongResponse) Error() string { return "the cluster's response is not as expected: " + e.what }

// reader reads a response. After an error its methods read nothing more.
type reader struct {
	err      error
	response []byte
	extents  []extent // of its long objects and arrays, by their starts
}

// fail reports what is wrong with a response. The first report counts.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &wrongResponse{fmt.Sprintf(format, args...)}
	}
}

// check returns a response without spaces around it, once it is JSON. How deep that JSON nests is limited.
func (r *reader) check(response []byte) []byte {
	var ok bool
	if r.extents, ok = valid(response); !ok {
		r.fail("it is not JSON")
		return nil
	}
	r.response = response
	return bytes.TrimSpace(response)
}

// end returns the end of the value at an offset of a part of the response. The check noted the ends of long values.
func (r *reader) end(v []byte, at int) int {
	if v[at] != '{' && v[at] != '[' {
		return jsoncursor.ScalarEnd(v, at)
	}
	start := cap(r.response) - cap(v) + at
	if start < 0 || start >= len(r.response) || &r.response[start] != &v[at] { // it is not a part of the response
		return jsoncursor.ValueEnd(v, at)
	}
	i, ok := slices.BinarySearchFunc(r.extents, start, func(e extent, at int) int { return e.start - at })
	if !ok {
		return jsoncursor.ValueEnd(v, at)
	}
	return at + r.extents[i].end - start
}

// members calls for each member of an object, with its name and its value. what says what the object is.
func (r *reader) members(v []byte, what string) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if len(v) == 0 || v[0] != '{' {
			r.fail("%s is not an object", what)
			return
		}
		jsoncursor.Children(v, 0, func(name []byte, at int) int {
			end := r.end(v, at)
			if r.err != nil || !yield(jsoncursor.Unquote(name), v[at:end]) {
				return len(v)
			}
			return end
		})
	}
}

// elements calls for each element of an array.
func (r *reader) elements(v []byte, what string) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		if len(v) == 0 || v[0] != '[' {
			r.fail("%s is not an array", what)
			return
		}
		jsoncursor.Children(v, 0, func(_ []byte, at int) int {
			end := r.end(v, at)
			if r.err != nil || !yield(v[at:end]) {
				return len(v)
			}
			return end
		})
	}
}

// text reads a string.
func (r *reader) text(v []byte, what string) string {
	if !isString(v) {
		r.fail("%s is not a text", what)
		return ""
	}
	return string(jsoncursor.Unquote(v))
}

// count reads an integer from 0.
func (r *reader) count(v []byte, what string) int {
	n, err := strconv.Atoi(string(v))
	if err != nil || n < 0 {
		r.fail("%s is not a count", what)
	}
	return n
}

// float reads a number of that many bits; null is NaN.
func (r *reader) float(v []byte, bits int, what string) float64 {
	if isNull(v) {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(string(bytes.Trim(v, `"`)), bits) // an infinite number is a string
	if err != nil {
		r.fail("%s is not a number", what)
	}
	return f
}

// boolean reads true or false.
func (r *reader) boolean(v []byte, what string) bool {
	if s := string(v); s != "true" && s != "false" {
		r.fail("%s is neither true nor false", what)
	}
	return v != nil && v[0] == 't'
}

// appendScalar writes a text, a number, true, false or null as a snapshot writes it. An integer has all its digits.
func (r *reader) appendScalar(dst, v []byte, bits int, what string) []byte {
	switch {
	case isString(v):
		return appendText(dst, v)
	case len(v) == 0 || v[0] == '{' || v[0] == '[':
		r.fail("%s is not a single value", what)
		return dst
	case isFraction(v):
		return envelope.AppendFloat(dst, r.float(v, bits, what), bits)
	}
	return append(dst, v...)
}

// appendText writes a string.
func appendText(dst, v []byte) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return append(dst, v...)
	}
	return envelope.JavaEscapes.AppendBytes(dst, jsoncursor.Unquote(v))
}

func isNull(v []byte) bool   { return string(v) == "null" }
func isString(v []byte) bool { return len(v) > 1 && v[0] == '"' }

// isFraction reports whether a value is a number with a point or an exponent.
func isFraction(v []byte) bool {
	return len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') && bytes.ContainsAny(v, ".eE")
}
