// This file splits text into terms. ASCII words are scanned without decoding: most text is ASCII.

package analysis

import "unicode/utf8"

// Tokenizer yields the terms of texts without allocating. The zero value is ready for Reset.
//
//	t.Reset(text)
//	for t.Next() {
//		use(t.Term(), t.Position())
//	}
type Tokenizer struct {
	text         []byte
	start        int // start of the token
	end          int
	position     int
	mayBeUpper   bool   // the token may need lower-casing
	noWordBefore int    // no word begins with a joiner before this offset
	lower        []byte // the term, if it differs from the text
}

// Reset starts a new text. The tokenizer retains the text but never writes to it.
func (t *Tokenizer) Reset(text []byte) {
	*t = Tokenizer{text: text, position: -1, lower: t.lower}
}

// Term returns the term, valid until Next. It may share memory with the text: do not modify it.
func (t *Tokenizer) Term() []byte {
	if !t.mayBeUpper {
		return t.text[t.start:t.end]
	}
	t.lower = AppendLower(t.lower[:0], t.text[t.start:t.end])
	return t.lower
}

// Position returns the number of terms before this one.
func (t *Tokenizer) Position() int { return t.position }

// Span returns the bytes of the text from which the term was made.
func (t *Tokenizer) Span() (start, end int) { return t.start, t.end }

// The kinds of bytes for the ASCII scanner. It collects the word bits over a token.
const (
	byteLetter = 1 << iota
	byteDigit
	byteJoiner
	byteUpper
	byteJoinsLetters
	byteJoinsDigits
	byteOther // not ASCII, or ASCII that may begin a token with other characters

	byteWord = byteLetter | byteDigit | byteJoiner
)

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
		k[i] = kinds[classTable[i]&^hasLower]
		if classTable[i]&hasLower != 0 {
			k[i] |= byteUpper
		}
	}
	return k
}

// Next moves to the next token. It returns false at the end.
func (t *Tokenizer) Next() bool {
	text := t.text
	for i := t.end; i < len(text); {
		kind := byteKinds[text[i]]
		if kind&(byteWord|byteOther) == 0 || kind&byteJoiner != 0 && i < t.noWordBefore {
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
			t.start, t.end, t.mayBeUpper = i, end, kind&byteUpper != 0
			t.position++
			return true
		}
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	t.start, t.end = len(text), len(text)
	return false
}

// scanASCII returns a word's end and the kinds of its bytes. If the kinds include byteOther, the rules
// for ASCII do not suffice: ignore the end.
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

// joinsASCII reports whether b between two bytes keeps them in one word.
func joinsASCII(before, b, after byte) bool {
	around := byteKinds[before] & byteKinds[after]
	kind := byteKinds[b]
	return around&byteLetter != 0 && kind&byteJoinsLetters != 0 ||
		around&byteDigit != 0 && kind&byteJoinsDigits != 0
}

// scan returns the end of the longest token at start, or start if there is none.
func (t *Tokenizer) scan(start int) int {
	w := window{text: t.text, pos: start, unitsLeft: maxUnits}
	c, _ := w.peek()
	switch c {
	case letter, hebrew, digit, katakana:
		return scanWord(w)
	case joiner:
		return t.scanJoiner(w)
	case emojiLetter:
		return max(scanWord(w), scanEmoji(w))
	case ideographic:
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

// scanJoiner scans a word that may begin with a joiner. Otherwise it records the offset before which no such word
// begins.
func (t *Tokenizer) scanJoiner(w window) int {
	end := scanWord(w)
	if end == 0 {
		t.noWordBefore = nextJoinerWord(t.text, w.pos)
	}
	return end
}

// Terms returns the terms of a text.
func Terms(text string) []string {
	var t Tokenizer
	var terms []string
	t.Reset([]byte(text))
	for t.Next() {
		terms = append(terms, string(t.Term()))
	}
	return terms
}
