// This file classifies code points for the tokenizer. The class of a code point in the first two planes
// takes one load.

package analysis

import "unicode/utf8"

type class uint8

// Marks, from extend to keycap, attach to the previous character. Letters that are also emoji, and
// South-East Asian marks, which may begin a token, have their own classes.
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

func (c class) isMark() bool { return c >= extend && c <= keycap }

type span struct {
	low, high rune
	class     class
}

// lowerSpan is a run of code points, step apart. delta is the distance to their lower case.
type lowerSpan struct {
	low, high   rune
	step, delta rune
}

const planes = 0x20000

// hasLower marks code points that differ from their lower case.
const hasLower = 0x80

var (
	// classTable holds classes and hasLower, filled at start-up in 0.1 ms to save 128 KiB of
	// binary.
	classTable    = fillDirect()
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

// maxUnits limits a token and the lookahead, in UTF-16 units. A longer run is cut at the limit.
const maxUnits = 255

// window is a cursor that reads up to maxUnits units of text.
type window struct {
	text      []byte
	pos       int
	unitsLeft int
}

// peek returns a character's class and byte size: other if invalid, other and 0 at the end.
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

func (w *window) take(size int) {
	w.pos += size
	w.unitsLeft -= unitsOf(size)
}

func unitsOf(size int) int {
	if size == utf8.UTFMax {
		return 2
	}
	return 1
}
