// This file scans words by the rules WB4 to WB13b of UAX #29: letters, digits, katakana and the
// characters that join them. Around Hebrew quotes it follows Lucene's grammar, which is stricter.

package analysis

import "unicode/utf8"

// wordState is the state of a word's scan: it decides which characters may follow. Marks do not change
// it.
type wordState uint8

// The states. From wordKatakana on, a word may end.
const (
	wordStop     wordState = iota
	wordStart              // only joiners so far
	wordLetterIn           // a letter, then a character that requires a letter
	wordDigitIn            // a digit, then a character that requires a digit
	wordHebrewIn           // a Hebrew letter, then a double quote
	wordKatakana
	wordJoiner
	wordDigit
	wordLetter
	wordHebrew       // the last letter is Hebrew; a quote may follow
	wordHebrewQuote  // after a single quote
	wordHebrewQuoted // after a double quote; neither quote nor colon may follow
)

// wordNext gives the next state. The default is wordStop.
var wordNext = [...][classCount]wordState{
	wordStart: {joiner: wordStart, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit, katakana: wordKatakana},
	wordLetterIn: {letter: wordLetter, emojiLetter: wordLetter, hebrew: wordLetter},
	wordDigitIn:  {digit: wordDigit},
	wordHebrewIn: {hebrew: wordHebrewQuoted},
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
	wordHebrewQuoted: {joiner: wordJoiner, letter: wordLetter, emojiLetter: wordLetter, hebrew: wordHebrew,
		digit: wordDigit},
}

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

// nextJoinerWord returns where a joiner may next begin a word: runs of joiners cost linear time.
func nextJoinerWord(text []byte, start int) int {
	w := window{text: text, pos: start, unitsLeft: len(text)}
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
