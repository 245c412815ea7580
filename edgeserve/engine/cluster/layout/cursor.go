// This file walks over valid JSON. json.Valid was asked before, which bounds the depth too.

package layout

import (
	"bytes"
	"encoding/json"
)

// cursor is a place in the text of valid JSON.
type cursor struct {
	text []byte
	at   int
}

// peek skips white space and returns the byte after it.
func (c *cursor) peek() byte {
	for {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
}

// members calls visit for each member of the object here, with its name as written. Visit reads the value.
func (c *cursor) members(visit func(name []byte)) {
	for c.at++; c.peek() != '}'; {
		if c.text[c.at] == ',' {
			c.at++
			c.peek()
		}
		name := c.scalar()
		c.peek()
		c.at++ // the colon
		visit(name)
	}
	c.at++
}

// elements calls visit for each element of the array here. Visit reads it.
func (c *cursor) elements(visit func()) {
	for c.at++; c.peek() != ']'; {
		if c.text[c.at] == ',' {
			c.at++
		}
		visit()
	}
	c.at++
}

// scalar reads a string, a number or a name.
func (c *cursor) scalar() []byte {
	start := c.at
	if c.text[start] != '"' {
		for c.at < len(c.text) && !bytes.ContainsRune([]byte(" \t\n\r,]}:"), rune(c.text[c.at])) {
			c.at++
		}
		return c.text[start:c.at]
	}
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
	return c.text[start:c.at]
}

// skip reads a value and returns it as written.
func (c *cursor) skip() []byte {
	c.peek()
	start := c.at
	switch c.text[c.at] {
	case '{':
		c.members(func([]byte) { c.skip() })
	case '[':
		c.elements(func() { c.skip() })
	default:
		c.scalar()
	}
	return c.text[start:c.at]
}

// unquote returns the text of a JSON string.
func unquote(quoted []byte) (text string) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	_ = json.Unmarshal(quoted, &text) // it is valid
	return text
}
