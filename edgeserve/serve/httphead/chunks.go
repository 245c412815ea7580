// This file finds the end of a chunked body.

package httphead

import (
	"bytes"

	"contentedge/edgeserve/wire/httpfield"
)

const (
	maxSizeDigits = 15      // hexadecimal, of a chunk's size: 60 bits
	maxLineLength = 4 << 10 // of a chunk's size line or a trailer field
)

type chunkState uint8

const (
	sizeLine chunkState = iota
	chunkData
	dataEnd // the CRLF after the data
	trailers
)

// Chunks finds the end of a chunked body (RFC 9112 7.1) while it arrives, only by the grammar: readers that end lines
// at a bare LF may see another end. The zero value is ready for the first chunk.
type Chunks struct {
	position  int   // start of the current line, or next byte of a chunk's data
	scanned   int   // the current line has no LF before this offset
	chunkLeft int64 // bytes of the chunk's data from position on
	dataSize  int64 // sum of the chunk sizes so far
	state     chunkState
}

// Data returns the sum of the chunk sizes read so far.
func (c *Chunks) Data() int64 { return c.dataSize }

// Scan continues in body: the previous body with more bytes appended. ok is false if no chunked body begins so. size is
// the length with framing, or 0 while incomplete.
func (c *Chunks) Scan(body []byte) (size int, ok bool) {
	for c.position < len(body) {
		switch c.state {
		case chunkData:
			n := min(c.chunkLeft, int64(len(body)-c.position))
			c.position += int(n)
			if c.chunkLeft -= n; c.chunkLeft == 0 {
				c.state = dataEnd
			}
		case dataEnd:
			end := body[c.position:min(c.position+len(crlf), len(body))]
			if !bytes.HasPrefix(crlf, end) {
				return 0, false
			}
			if len(end) < len(crlf) {
				return 0, true
			}
			c.position, c.state = c.position+len(crlf), sizeLine
		default:
			line, complete := c.line(body)
			if len(line) > maxLineLength {
				return 0, false
			}
			if !complete {
				return 0, true
			}
			if last, ok := c.parseLine(line); last || !ok {
				return c.position, ok
			}
		}
	}
	return 0, true
}

// Forget drops the bytes that need no second look, and returns their number: the next Scan gets the
// body without them, with more appended.
func (c *Chunks) Forget() (n int) {
	n = c.position
	c.position, c.scanned = 0, max(c.scanned-n, 0)
	return n
}

var crlf = []byte("\r\n")

func (c *Chunks) line(body []byte) (line []byte, complete bool) {
	from := max(c.position, c.scanned)
	end := bytes.IndexByte(body[from:], '\n')
	if end < 0 {
		c.scanned = len(body)
		return body[c.position:], false
	}
	return body[c.position : from+end+1], true
}

func (c *Chunks) parseLine(line []byte) (last, ok bool) {
	if c.state == trailers {
		name, _, _, ok := Next(line)
		if !ok {
			return false, false
		}
		c.position += len(line)
		return name == nil, true
	}
	n, ok := chunkSize(line)
	if !ok {
		return false, false
	}
	c.position += len(line)
	c.chunkLeft, c.state = n, chunkData
	if n == 0 {
		c.state = trailers
	}
	c.dataSize += n
	return false, true
}

func chunkSize(line []byte) (n int64, ok bool) {
	digits := 0
	for digits < len(line) && hexDigit(line[digits]) >= 0 {
		n = n<<4 | int64(hexDigit(line[digits]))
		if digits++; digits > maxSizeDigits {
			return 0, false
		}
	}
	rest, ends := bytes.CutSuffix(line[digits:], crlf)
	return n, digits > 0 && ends && validExtensions(rest)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// validExtensions reports whether v is a sequence of `;name` and `;name=value`. White space may
// surround `;` and `=`.
func validExtensions(v []byte) bool {
	for len(v) > 0 {
		var ok bool
		if v, ok = cutByte(v, ';'); !ok {
			return false
		}
		name := httpfield.TokenLength(v)
		if name == 0 {
			return false
		}
		v = v[name:]
		value, ok := cutByte(v, '=')
		if !ok {
			continue
		}
		n := valueLength(value)
		if n == 0 {
			return false
		}
		v = value[n:]
	}
	return true
}

// cutByte removes c and the white space around it from the start of v.
func cutByte(v []byte, c byte) (rest []byte, ok bool) {
	v = bytes.TrimLeft(v, " \t")
	if len(v) == 0 || v[0] != c {
		return nil, false
	}
	return bytes.TrimLeft(v[1:], " \t"), true
}

// valueLength returns the length of the token or quoted string at the start of v, or 0 if there is neither.
func valueLength(v []byte) int {
	if len(v) == 0 || v[0] != '"' {
		return httpfield.TokenLength(v)
	}
	for n := 1; n < len(v) && byteClass[v[n]].is(inValue); n++ {
		switch v[n] {
		case '"':
			return n + 1
		case '\\':
			if n++; n == len(v) || !byteClass[v[n]].is(inValue) {
				return 0
			}
		}
	}
	return 0
}
