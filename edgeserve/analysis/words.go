// This file finds the ends of words: letters, digits, katakana and what joins them.
// The rules are UAX #29's WB4 to WB13b, as states, with the places where Lucene's
// grammar reads them more narrowly around Hebrew quotes.

package analysis

import "unicode/utf8"

// wordState is what a word's characters so far, marks left out, allow next.
type wordState uint8

// The states. From wordKatakana on a word may end.
const (
	wordStop     wordState = iota
	wordStart              // nothing but joiners
	wordLetterIn           // a letter, then a character that needs a letter
	wordDigitIn            // a digit, then a character that needs a digit
	wordHebrewIn           // a Hebrew letter, then a double quote
	wordKatakana
	wordJoiner
	wordDigit
	wordLetter
	wordHebrew      // the last letter is Hebrew and may take a quote
	wordHebrewQuote // … has taken a single quote
	wordHebrewShut  // … came after a double quote, and takes neither quote nor colon
)

// wordNext is the state after a character; what is absent is wordStop.
var wordNext = [...][classCount]wordState{
	wordStart: {joiner: wordStart, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit, katakana: wordKatakana},
	wordLetterIn: {letter: wordLetter, emojiLetter: wordLetter, hebrew: wordLetter},
	wordDigitIn:  {digit: wordDigit},
	wordHebrewIn: {hebrew: wordHebrewShut},
	wordKatakana: {katakana: wordKatakana, joiner: wordJoiner},
	wordJoiner: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit, katakana: wordKatakana},
	wordDigit: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit, midNum: wordDigitIn, midBoth: wordDigitIn, singleQuote: wordDigitIn},
	wordLetter: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit, midLetter: wordLetterIn, midBoth: wordLetterIn, singleQuote: wordLetterIn},
	wordHebrew: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit, midLetter: wordLetterIn, midBoth: wordLetterIn,
		singleQuote: wordHebrewQuote, doubleQuote: wordHebrewIn},
	wordHebrewQuote: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit},
	wordHebrewShut: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit},
}

// scanWord returns the end of the longest word that begins at w, or 0.
func scanWord(w window) (end int) {
	state := wordStart
	for {
		c, size := w.peek()
		if !c.isMark() {
			state = wordNext[state][c]
			if state == wordStop {
				return end
			}
		}
		w.take(size)
		if state >= wordKatakana {
			end = w.pos
		}
	}
}

// barrenEnd is called where a word would begin with a joiner and does not. It returns
// the first place at which that may change. Without it a long run of joiners would be
// scanned once per character of it.
func barrenEnd(text []byte, start int) int {
	w := window{text: text, pos: start, room: len(text)}
	c, size := w.peek()
	for c == joiner || c.isMark() {
		w.take(size)
		c, size = w.peek()
	}
	if size == 0 || wordNext[wordStart][c] == wordStop {
		return w.pos
	}
	end, room := w.pos, maxUnits-unitsOf(size)
	for {
		_, size := utf8.DecodeLastRune(text[start:end])
		if room -= unitsOf(size); room < 0 || size == 0 {
			return end
		}
		end -= size
	}
}
