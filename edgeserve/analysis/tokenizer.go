// This file cuts text into terms. Text is mostly ASCII, so words of it are found
// here without decoding; everything else goes through the scanners of words.go and
// emoji.go.

package analysis

import "unicode/utf8"

// Tokenizer yields the terms of one text after the other without allocating. The
// zero value is ready for Reset.
//
//	t.Reset(text)
//	for t.Next() {
//		use(t.Term(), t.Position())
//	}
type Tokenizer struct {
	text     []byte
	start    int // of the token
	end      int
	position int
	upper    bool   // the token may have to be lower-cased
	barren   int    // no word begins with a joiner before this offset
	lower    []byte // the term, where it differs from the text
}

// Reset begins a new text. The tokenizer keeps it, and never writes to it.
func (t *Tokenizer) Reset(text []byte) {
	*t = Tokenizer{text: text, position: -1, lower: t.lower}
}

// Term returns the term. It is valid until the next call of Next and may be a part
// of the text: it must not be written to.
func (t *Tokenizer) Term() []byte {
	if !t.upper {
		return t.text[t.start:t.end]
	}
	t.lower = AppendLower(t.lower[:0], t.text[t.start:t.end])
	return t.lower
}

// Position returns the number of terms before this one in the text.
func (t *Tokenizer) Position() int { return t.position }

// What a byte means to the ASCII scanner. The word bits are collected over a token.
const (
	byteLetter = 1 << iota
	byteDigit
	byteJoiner
	byteUpper
	byteJoinsLetters
	byteJoinsDigits
	byteOther // not ASCII, or ASCII that may begin a token with what is not

	byteWord = byteLetter | byteDigit | byteJoiner
)

// byteKinds is filled from the classes, of which it is a part.
var byteKinds = fillByteKinds()

func fillByteKinds() (k [256]uint8) {
	kinds := [classCount]uint8{letter: byteLetter, digit: byteDigit, joiner: byteJoiner,
		midLetter: byteJoinsLetters, midNum: byteJoinsDigits, midBoth: byteJoinsLetters | byteJoinsDigits,
		singleQuote: byteJoinsLetters | byteJoinsDigits, keycapBase: byteOther}
	for i := range k {
		if i >= utf8.RuneSelf {
			k[i] = byteOther
			continue
		}
		k[i] = kinds[direct[i]&^hasLower]
		if direct[i]&hasLower != 0 {
			k[i] |= byteUpper
		}
	}
	return k
}

// Next moves to the next token and tells whether there is one.
func (t *Tokenizer) Next() bool {
	text := t.text
	for i := t.end; i < len(text); {
		kind := byteKinds[text[i]]
		if kind&(byteWord|byteOther) == 0 || kind&byteJoiner != 0 && i < t.barren {
			i++
			continue
		}
		var end int
		if kind&byteWord != 0 {
			end, kind = scanASCII(text, i)
		}
		if kind&byteOther != 0 {
			end = t.scan(i)
			kind = byteUpper
		}
		if end > i {
			t.start, t.end, t.upper = i, end, kind&byteUpper != 0
			t.position++
			return true
		}
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	t.start, t.end = len(text), len(text)
	return false
}

// scanASCII returns the end of the word at start and the kinds of its bytes. Where
// ASCII rules do not decide, the kinds have the byteOther bit and end means nothing.
func scanASCII(text []byte, start int) (end int, kinds uint8) {
	text = text[:min(len(text), start+maxUnits)]
	i := start
	for {
		for ; i < len(text); i++ {
			kind := byteKinds[text[i]]
			if kind&byteWord == 0 {
				break
			}
			kinds |= kind
		}
		if i == len(text) {
			break
		}
		if text[i] >= utf8.RuneSelf {
			return 0, byteOther
		}
		if i+1 == len(text) {
			break
		}
		if text[i+1] >= utf8.RuneSelf {
			return 0, byteOther
		}
		if !joinsASCII(text[i-1], text[i], text[i+1]) {
			break
		}
		i++
	}
	if kinds&(byteLetter|byteDigit) == 0 {
		return 0, byteOther
	}
	return i, kinds
}

// joinsASCII tells whether b keeps the bytes around it in one word.
func joinsASCII(before, b, after byte) bool {
	around := byteKinds[before] & byteKinds[after]
	kind := byteKinds[b]
	return around&byteLetter != 0 && kind&byteJoinsLetters != 0 ||
		around&byteDigit != 0 && kind&byteJoinsDigits != 0
}

// scan returns the end of the longest token that begins at start, or at most start.
func (t *Tokenizer) scan(start int) int {
	w := window{text: t.text, pos: start, room: maxUnits}
	c, _ := w.peek()
	switch c {
	case letter, hebrew, digit, katakana:
		return scanWord(w)
	case joiner:
		return t.scanJoiner(w)
	case emojiLetter:
		return max(scanWord(w), scanEmoji(w))
	case solo:
		return scanRun(w, extend)
	case sa, saMark:
		return scanRun(w, sa)
	case zwj, emoji, emojiBase, emojiMod:
		return scanEmoji(w)
	case regional:
		return scanFlag(w)
	case keycapBase:
		return scanKeycap(w)
	}
	return 0
}

// scanJoiner is scanWord where the word begins with a joiner and may be none, which it
// notes.
func (t *Tokenizer) scanJoiner(w window) int {
	end := scanWord(w)
	if end == 0 {
		t.barren = barrenEnd(t.text, w.pos)
	}
	return end
}

// Terms returns the terms of text.
func Terms(text string) []string {
	var t Tokenizer
	var terms []string
	t.Reset([]byte(text))
	for t.Next() {
		terms = append(terms, string(t.Term()))
	}
	return terms
}
