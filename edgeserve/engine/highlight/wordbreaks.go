// This file finds words as Java's break iterator without CLDR data: runs of letters, of digits, of spaces, and every
// other character separately.

package highlight

import (
	"unicode"
	"unicode/utf8"
)

// wordClass is the class of a character for finding words.
type wordClass uint8

const (
	wOther    wordClass = iota // a word by itself; marks may follow
	wControl                   // a word by itself, without marks
	wMark                      // nonspacing and enclosing marks
	wKanaMark                  // marks of kana that Unicode calls marks
	wKanaSign                  // signs of kana that are not marks in Unicode
	wPeriod                    // may be in words and numbers, and before numbers
	wQuote                     // may be in words and numbers
	wDash                      // may be in words
	wHyphen                    // a soft hyphen
	wComma                     // may be in numbers
	wBefore                    // may be before numbers
	wAfter                     // may be after numbers
	wHan
	wLetter
	wHiragana
	wKatakana
	wDigit
	wDanda
	wSpace
	wTab
	wReturn
	wLine
	wordClasses
	wIgnored = wordClasses
)

var asciiWord = func() (of [utf8.RuneSelf]wordClass) {
	for c := range of {
		of[c] = wordClassOf(rune(c))
	}
	return of
}()

func wordClassOf(r rune) wordClass {
	switch r {
	case '.':
		return wPeriod
	case '"', '\'':
		return wQuote
	case ',', '\u066b':
		return wComma
	case '%', '&', '\u00a2', '\u066a', '\u2030', '\u2031':
		return wAfter
	case '#':
		return wBefore
	case '\u2027':
		return wDash
	case '\u00ad':
		return wHyphen
	case '\n', '\f', '\u2028', '\u2029':
		return wLine
	case '\r':
		return wReturn
	case '\t':
		return wTab
	case '\u0964', '\u0965':
		return wDanda
	case '\u3099', '\u309a':
		return wKanaMark
	case '\u309b', '\u309c', '\u30fb', '\u30fc':
		return wKanaSign
	}
	switch {
	case r == 0x3005, r >= 0x4e00 && r <= 0x9fa5, r >= 0xf900 && r <= 0xfa2d:
		return wHan
	case r >= 0x30a1 && r <= 0x30fa, r == 0x30fd, r == 0x30fe:
		return wKatakana
	case r >= 0x3041 && r <= 0x3094, r == 0x309d, r == 0x309e:
		return wHiragana
	case unicode.Is(unicode.L, r), unicode.Is(unicode.Mc, r):
		return wLetter
	case unicode.Is(unicode.N, r):
		return wDigit
	case unicode.Is(unicode.Zs, r):
		return wSpace
	case unicode.Is(unicode.Pd, r), unicode.Is(unicode.Pc, r):
		return wDash
	case unicode.Is(unicode.Sc, r):
		return wBefore
	case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
		return wMark
	case unicode.Is(unicode.Cf, r):
		return wIgnored
	case unicode.Is(unicode.Cc, r):
		return wControl
	}
	return wOther
}

// wordState decides which characters may follow in a word. Format characters do not change it.
type wordState uint8

// In the states up to afterDigits, the word has ended before the last character, unless a character
// follows that continues it.
const (
	wordStop     wordState = iota
	inLetterMark           // letters, then a character that requires a letter
	afterDigits            // digits, then a character that requires a digit
	wordBegin
	wordDone
	inLetters
	afterDanda
	inDigits
	inSpaces
	afterReturn
	inKatakana
	inHiragana
	inKana // marks and signs of either
	inHan
	startPeriod
	startHan
	inAlone // a single character, and its marks
	startSign
	startHiragana
	startKatakana
	wordStates
)

var wordNext = [wordStates][wordClasses]wordState{
	wordBegin: {wOther: inAlone, wControl: wordDone, wMark: wordDone, wKanaMark: inKana, wKanaSign: startSign, wPeriod: startPeriod,
		wQuote: inAlone, wDash: inAlone, wHyphen: wordDone, wComma: inAlone, wBefore: startPeriod, wAfter: inAlone, wHan: startHan,
		wLetter: inLetters, wHiragana: startHiragana, wKatakana: startKatakana, wDigit: inDigits, wDanda: inAlone, wSpace: inSpaces,
		wTab: inSpaces, wReturn: afterReturn, wLine: wordDone},
	inLetters: {wMark: inLetters, wKanaMark: inLetters, wLetter: inLetters, wPeriod: inLetterMark, wQuote: inLetterMark,
		wDash: inLetterMark, wHyphen: inLetterMark, wDigit: inDigits, wDanda: afterDanda},
	inLetterMark: {wLetter: inLetters},
	afterDanda:   {wDigit: inDigits},
	inDigits: {wMark: inDigits, wKanaMark: inDigits, wLetter: inLetters, wDigit: inDigits, wPeriod: afterDigits, wQuote: afterDigits,
		wComma: afterDigits, wAfter: wordDone},
	afterDigits:   {wDigit: inDigits},
	inSpaces:      {wMark: inSpaces, wKanaMark: inSpaces, wSpace: inSpaces, wTab: inSpaces, wReturn: afterReturn, wLine: wordDone},
	afterReturn:   {wLine: wordDone},
	inKatakana:    {wKanaMark: inKatakana, wKanaSign: inKatakana, wKatakana: inKatakana},
	inHiragana:    {wKanaMark: inHiragana, wKanaSign: inHiragana, wHiragana: inHiragana},
	inKana:        {wKanaMark: inKana, wKanaSign: inKana, wHiragana: inHiragana, wKatakana: inKatakana},
	inHan:         {wHan: inHan},
	startPeriod:   {wMark: inAlone, wKanaMark: inAlone, wDigit: inDigits},
	startHan:      {wMark: inAlone, wKanaMark: inAlone, wHan: inHan},
	inAlone:       {wMark: inAlone, wKanaMark: inAlone},
	startSign:     {wMark: inAlone, wKanaMark: startSign, wKanaSign: inKana, wHiragana: inHiragana, wKatakana: inKatakana},
	startHiragana: {wMark: inAlone, wKanaMark: startHiragana, wKanaSign: inHiragana, wHiragana: inHiragana},
	startKatakana: {wMark: inAlone, wKanaMark: startKatakana, wKanaSign: inKatakana, wKatakana: inKatakana},
}

// words iterates over the boundaries of the words of a text, in bytes. Offsets of calls of one
// method should increase.
type words struct {
	text          string
	known         int  // the boundary found last, or none
	odd           bool // known is not a boundary of an iteration from the start of the text
	before, after int  // boundaries of an iteration from the start, from the last preceding and following
	work          int  // bytes read
}

func (w *words) reset(text string) { *w = words{text: text, known: none, work: w.work} }

func (w *words) class(at int) (c wordClass, size int) {
	if b := w.text[at]; b < utf8.RuneSelf {
		return asciiWord[b], 1
	}
	r, size := utf8.DecodeRuneInString(w.text[at:])
	return wordClassOf(r), size
}

// next returns the boundary after the boundary start.
func (w *words) next(start int) int {
	if start == len(w.text) {
		return none
	}
	_, size := w.class(start)
	end, state, at := start+size, wordBegin, start
	for at < len(w.text) {
		c, size := w.class(at)
		if c != wIgnored {
			if state = wordNext[state][c]; state == wordStop {
				break
			}
		}
		at += size
		if state > afterDigits {
			end = at
		}
	}
	w.work += at - start
	return end
}

// sure returns a boundary at or before an offset: the known boundary, or a later place where a letter or
// digit follows a space.
func (w *words) sure(known, offset int) int {
	if known > offset {
		known = 0
	}
	at := min(offset, len(w.text)-1)
	for ; at > known; at-- {
		if w.text[at-1] == ' ' && w.text[at] < utf8.RuneSelf && (asciiWord[w.text[at]] == wLetter || asciiWord[w.text[at]] == wDigit) {
			break
		}
	}
	w.work += offset - at
	return max(at, known)
}

// preceding returns the last boundary before an offset.
func (w *words) preceding(offset int) int {
	if offset == 0 {
		return none
	}
	last := w.known
	if !w.odd || last >= offset {
		last = w.sure(w.before, offset-1)
	}
	for at := last; at != none && at < offset; at = w.next(at) {
		last = at
	}
	w.before, w.known, w.odd = last, last, false
	return last
}

// following returns the first boundary after an offset.
func (w *words) following(offset int) int {
	at := w.known
	if !w.odd || at >= offset {
		at = w.sure(w.after, offset)
	}
	for at != none && at <= offset {
		w.after = at
		at = w.next(at)
	}
	w.known, w.odd = at, false
	return at
}

// followingInside returns the first boundary after the middle of a character of two units. Java returns
// the end of the character, unless it iterates from a boundary before.
func (w *words) followingInside(offset int) int {
	if w.known >= 0 && w.known <= offset || offset == 0 {
		return w.following(offset)
	}
	_, size := w.class(offset)
	w.known, w.odd = offset+size, true
	return w.known
}

// looked returns the number of bytes read so far.
func (w *words) looked() int { return w.work }
