// This file classifies code points for the tokenizer. It classifies every character, so one
// load gives the class in the first two planes.

package analysis

import "unicode/utf8"

// class is the role of a code point in word boundaries.
type class uint8

// The classes. Marks, from extend to keycap, attach to the previous character. Letters that
// are also emoji have their own class. So do the marks of South-East Asian scripts, which
// may begin a token.
const (
	other class = iota
	extend
	saMark
	zwj
	textStyle
	emojiStyle
	tag
	tagEnd
	keycap
	sa
	letter
	emojiLetter
	hebrew
	digit
	katakana
	joiner
	midLetter
	midNum
	midBoth
	singleQuote
	doubleQuote
	ideographic // ideographs and hiragana: one token each
	emoji
	emojiBase
	emojiMod
	regional
	keycapBase
	classCount
)

// isMark reports whether c attaches to the previous character.
func (c class) isMark() bool { return c >= extend && c <= keycap }

// span is a run of code points of one class.
type span struct {
	low, high rune
	class     class
}

// lowerSpan is a run of code points, step apart. delta is the distance to their lower case.
type lowerSpan struct {
	low, high   rune
	step, delta rune
}

// planes limits the code points that direct covers.
const planes = 0x20000

// hasLower marks code points that differ from their lower case.
const hasLower = 0x80

var (
	// classTable holds the class and the hasLower bit of each code point below planes. It is
	// computed at start-up in 0.1 ms, which saves 128 KiB of the binary.
	classTable = fillDirect()
	// classesBeyond is the part of classSpans above planes.
	classesBeyond = spansBeyond()
)

func fillDirect() *[planes]uint8 {
	t := new([planes]uint8)
	for _, s := range classSpans {
		for r := s.low; r <= s.high && r < planes; r++ {
			t[r] = uint8(s.class)
		}
	}
	for _, s := range lowerSpans {
		for r := s.low; r <= s.high; r += s.step {
			t[r] |= hasLower
		}
	}
	return t
}

func spansBeyond() []span {
	i := len(classSpans)
	for i > 0 && classSpans[i-1].low >= planes {
		i--
	}
	return classSpans[i:]
}

func classOf(r rune) class {
	if uint32(r) < planes {
		return class(classTable[r] &^ hasLower)
	}
	for _, s := range classesBeyond {
		if r <= s.high {
			if r >= s.low {
				return s.class
			}
			return other
		}
	}
	return other
}

// maxUnits limits a token and the scanner's lookahead, in UTF-16 units. A longer run is cut
// regardless of what follows.
const maxUnits = 255

// window is a cursor that reads up to maxUnits units of text.
type window struct {
	text      []byte
	pos       int
	unitsLeft int // units left
}

// peek returns the class and the size in bytes of the character at pos. At the end of the
// text or window it returns other and 0. An invalid byte is an other.
func (w *window) peek() (class, int) {
	if w.pos >= len(w.text) {
		return other, 0
	}
	if b := w.text[w.pos]; b < utf8.RuneSelf && w.unitsLeft > 0 {
		return class(classTable[b] &^ hasLower), 1
	}
	r, size := utf8.DecodeRune(w.text[w.pos:])
	if unitsOf(size) > w.unitsLeft {
		return other, 0
	}
	return classOf(r), size
}

// take moves past a character of size bytes.
func (w *window) take(size int) {
	w.pos += size
	w.unitsLeft -= unitsOf(size)
}

// unitsOf returns the number of UTF-16 units of a character with size UTF-8 bytes.
func unitsOf(size int) int {
	if size == utf8.UTFMax {
		return 2
	}
	return 1
}
