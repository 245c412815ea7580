// This file holds the values of a field in a hit, and converts between bytes and UTF-16 units.

package highlight

import (
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
)

// part is a value of a field, or a piece of a value between NULs: Elasticsearch joins values with a NUL
// and splits them again.
type part struct {
	text  string
	start int // its first unit in the joined text
	units int
	marks []int // units before each block of text; empty if the text is ASCII

	lastByte, lastUnit int // of the last call of unit
}

// block is the number of bytes between two marks.
const block = 256

// joined is the text of a field in a hit.
type joined struct {
	parts []part
	units int // with a NUL between two parts
	bytes int
}

// join replaces the text by the text of values.
func (j *joined) join(values []string) {
	j.parts, j.units, j.bytes = j.parts[:0], 0, 0
	for _, v := range values {
		for text := range strings.SplitSeq(v, "\x00") {
			j.add(text)
		}
	}
	j.units-- // no NUL follows the last part
}

func (j *joined) add(text string) {
	var marks []int
	if n := len(j.parts); n < cap(j.parts) {
		marks = j.parts[:n+1][n].marks[:0]
	}
	j.parts = append(j.parts, part{text: text, start: j.units, marks: marks})
	p := &j.parts[len(j.parts)-1]
	p.count()
	j.units += p.units + 1
	j.bytes += len(text)
}

func (p *part) count() {
	ascii := true
	for i := 0; i < len(p.text) && ascii; i++ {
		ascii = p.text[i] < utf8.RuneSelf
	}
	if ascii {
		p.units = len(p.text)
		return
	}
	for at := 0; at < len(p.text); at += block {
		p.marks = append(p.marks, p.units)
		p.units += unitsOf(p.text[at:min(at+block, len(p.text))])
	}
}

// unitsOf counts units. A character is counted where it begins.
func unitsOf(s string) (n int) {
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 0xf0:
			n += 2
		case b < utf8.RuneSelf || b >= 0xc0:
			n++
		}
	}
	return n
}

// unit returns the number of units before a byte.
func (p *part) unit(at int) int {
	if len(p.marks) == 0 {
		return at
	}
	from, n := p.lastByte, p.lastUnit
	if b := min(at/block, len(p.marks)-1); from > at || from < b*block {
		from, n = b*block, p.marks[b]
	}
	p.lastByte, p.lastUnit = at, n+unitsOf(p.text[from:at])
	return p.lastUnit
}

// byteUp returns the first byte with at least unit units before it. byteDown returns the last byte with
// at most unit units before it.
func (p *part) byteUp(unit int) int   { return p.byteAt(unit, true) }
func (p *part) byteDown(unit int) int { return p.byteAt(unit, false) }

func (p *part) byteAt(unit int, up bool) int {
	if len(p.marks) == 0 {
		return min(unit, len(p.text))
	}
	low, high := 0, len(p.marks)-1
	for low < high {
		if mid := (low + high + 1) / 2; p.marks[mid] <= unit {
			low = mid
		} else {
			high = mid - 1
		}
	}
	at, n := low*block, p.marks[low]
	for at < len(p.text) && !utf8.RuneStart(p.text[at]) {
		at++
	}
	for at < len(p.text) && n < unit {
		r, size := utf8.DecodeRuneInString(p.text[at:])
		if n++; r >= 0x10000 {
			if n == unit && !up {
				return at
			}
			n++
		}
		at += size
	}
	return at
}

// followingUnit returns the first boundary after a unit of a part.
func (w *words) followingUnit(p *part, unit int) int {
	at := p.byteDown(unit)
	if p.unit(at) < unit && at < len(p.text) {
		return w.followingInside(at)
	}
	return w.following(at)
}

// token is a word of a text, in bytes.
type token struct {
	start, end, position int
	term                 []byte // valid until the next token
}

// tokenizer splits texts into words, one text after the other.
type tokenizer struct {
	words analysis.Tokenizer
	text  []byte
}

// tokens calls f for the words of a text of a field until f returns false. The whole text of a keyword, a number
// or a boolean is one word, even if it is empty.
func (t *tokenizer) tokens(of fields.Target, text string, f func(token) bool) {
	t.text = append(t.text[:0], text...)
	if of.Kind != fields.Text && of.Kind != fields.Date {
		f(token{0, len(text), 0, t.text})
		return
	}
	t.words.Reset(t.text)
	for more := true; more && t.words.Next(); {
		start, end := t.words.Span()
		more = f(token{start, end, t.words.Position(), t.words.Term()})
	}
}
