// Package jsonwalk walks over the bytes of valid JSON, whose parts stay as written. Callers ask json.Valid first: it
// bounds the depth, too, at 10,000 brackets.
package jsonwalk

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Cursor is a place in the text of valid JSON.
type Cursor struct {
	Text []byte
	At   int
}

// Peek skips white space and returns the byte after it.
func (c *Cursor) Peek() byte {
	for {
		switch b := c.Text[c.At]; b {
		case ' ', '\t', '\n', '\r':
			c.At++
		default:
			return b
		}
	}
}

// Members calls visit for each member of the object here, with its name in quotes. Visit reads the value.
func (c *Cursor) Members(visit func(name []byte)) {
	for c.At++; c.Peek() != '}'; {
		if c.Text[c.At] == ',' {
			c.At++
			c.Peek()
		}
		name := c.Scalar()
		c.Peek()
		c.At++ // the colon
		visit(name)
	}
	c.At++
}

// Elements calls visit for each element of the array here. Visit reads it.
func (c *Cursor) Elements(visit func()) {
	for c.At++; c.Peek() != ']'; {
		if c.Text[c.At] == ',' {
			c.At++
		}
		visit()
	}
	c.At++
}

// Scalar reads a string, a number or a name, and returns it as written.
func (c *Cursor) Scalar() []byte {
	start := c.At
	if c.Text[start] == '"' {
		c.At = endOfString(c.Text, start)
		return c.Text[start:c.At]
	}
	for c.At < len(c.Text) && strings.IndexByte(" \t\n\r,]}:", c.Text[c.At]) < 0 {
		c.At++
	}
	return c.Text[start:c.At]
}

// Value reads a value and returns it as written.
func (c *Cursor) Value() []byte {
	if b := c.Peek(); b != '{' && b != '[' {
		return c.Scalar()
	}
	start := c.At
	for depth := 0; ; {
		switch c.Text[c.At] {
		case '{', '[':
			depth++
			c.At++
		case '}', ']':
			c.At++
			if depth--; depth == 0 {
				return c.Text[start:c.At]
			}
		case '"':
			c.At = endOfString(c.Text, c.At)
		default:
			c.At++
		}
	}
}

// endOfString returns the index after the string at an index. A quote after an odd number of backslashes is a part of
// the string.
func endOfString(text []byte, at int) int {
	for start := at + 1; ; {
		quote := start + bytes.IndexByte(text[start:], '"')
		first := quote
		for text[first-1] == '\\' {
			first--
		}
		if start = quote + 1; (quote-first)%2 == 0 {
			return start
		}
	}
}

// Unquote returns the text of a JSON string.
func Unquote(quoted []byte) (text string) {
	for _, b := range quoted {
		if b == '\\' {
			_ = json.Unmarshal(quoted, &text) // it is valid
			return text
		}
	}
	return string(quoted[1 : len(quoted)-1])
}
