// This file answers what kind of character a code point is. The tokenizer asks once
// per character, so the answer is one load for the first two planes.

package analysis

import "unicode/utf8"

// class is the part a code point plays in word boundaries.
type class uint8

// The classes. Those from extend to keycap are marks: they stick to the character
// before. Letters that are emoji too have a class of their own, as have the marks
// of South-East Asian scripts, which may also begin a token.
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
	solo // ideographs and hiragana: a token each
	emoji
	emojiBase
	emojiMod
	regional
	keycapBase
	classCount
)

// isMark tells whether c sticks to the character before it.
func (c class) isMark() bool { return c >= extend && c <= keycap }

// span is a run of code points of one class.
type span struct {
	low, high rune
	class     class
}

// lowerSpan is a run of code points, step apart, whose lower case is delta away.
type lowerSpan struct {
	low, high   rune
	step, delta rune
}

// planes is the number of code points that have a direct entry.
const planes = 0x20000

// hasLower marks the entries of code points that differ from their lower case.
const hasLower = 0x80

var (
	// direct holds a class and the hasLower bit for each code point below planes. It
	// is filled at start-up, which takes 0.1 ms and keeps 128 KiB out of the binary.
	direct = fillDirect()
	// beyond is the part of classSpans above planes.
	beyond = spansBeyond()
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
		return class(direct[r] &^ hasLower)
	}
	for _, s := range beyond {
		if r <= s.high {
			if r >= s.low {
				return s.class
			}
			return other
		}
	}
	return other
}

// maxUnits is the length of the longest token in UTF-16 units, and how far the
// scanner sees: a longer run is cut without regard to what follows.
const maxUnits = 255

// window reads text up to maxUnits units from where it was opened.
type window struct {
	text []byte
	pos  int
	room int // units left
}

// peek returns the class and the size in bytes of the character at pos. Where text or
// window end, they are other and 0. A byte that is not UTF-8 is an other.
func (w *window) peek() (class, int) {
	if w.pos >= len(w.text) {
		return other, 0
	}
	if b := w.text[w.pos]; b < utf8.RuneSelf && w.room > 0 {
		return class(direct[b] &^ hasLower), 1
	}
	r, size := utf8.DecodeRune(w.text[w.pos:])
	if unitsOf(size) > w.room {
		return other, 0
	}
	return classOf(r), size
}

// take moves past the character of size bytes.
func (w *window) take(size int) {
	w.pos += size
	w.room -= unitsOf(size)
}

// unitsOf is the number of UTF-16 units of a character of size UTF-8 bytes.
func unitsOf(size int) int {
	if size == utf8.UTFMax {
		return 2
	}
	return 1
}
