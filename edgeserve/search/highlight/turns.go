// This file iterates over sentences from the middle of a text: it walks back to where a sentence
// surely begins, then forward.

package highlight

import "unicode/utf8"

// turnState says what has been seen on the way back.
type turnState uint8

const (
	turned    turnState = iota
	turnFound           // a sentence ends with this character, whatever is before it
	turnBegin
	turnWord        // a lower case letter or a digit, perhaps behind opening punctuation
	turnOther       // what begins a sentence, perhaps behind opening punctuation
	turnWordSpaces  // … before it, spaces
	turnOtherSpaces // …
	turnWordClose   // … before it, closing punctuation
	turnOtherClose  // …
	turnText
	turnClose
)

// turnNext gives the next state of a walk back; the default is turned.
var turnNext = [...][sentenceClasses]turnState{
	turnBegin:       turnRow(turnText, turnClose, turnClose, turnClose, turnClose, turnClose, turnText, turnClose),
	turnWord:        turnRow(turnText, turnClose, turnClose, turnWord, turnFound, turnWordClose, turnWord, turnWordSpaces),
	turnOther:       turnRow(turnText, turnClose, turnFound, turnOther, turnFound, turnOtherClose, turnOther, turnOtherSpaces),
	turnWordSpaces:  turnRow(turnText, turnClose, turnClose, turnWordClose, turnFound, turnWordClose, turnText, turnWordSpaces),
	turnOtherSpaces: turnRow(turnText, turnClose, turnFound, turnOtherClose, turnFound, turnOtherClose, turnText, turnOtherSpaces),
	turnWordClose:   turnRow(turnText, turnClose, turnClose, turnWordClose, turnFound, turnWordClose, turnText, turnClose),
	turnOtherClose:  turnRow(turnText, turnClose, turnFound, turnOtherClose, turnFound, turnOtherClose, turnText, turnClose),
	turnText:        turnRow(turnText, turned, turnClose, turnClose, turned, turnClose, turnText, turnClose),
	turnClose:       turnRow(turnText, turned, turnClose, turnClose, turnClose, turnClose, turnText, turnClose),
}

func turnRow(comma, paragraph, period, quote, term, closing, opening, space turnState) [sentenceClasses]turnState {
	return [sentenceClasses]turnState{sComma: comma, sParagraph: paragraph, sPeriod: period, sQuote: quote, sTerm: term,
		sLetter: turnText, sLower: turnWord, sDanda: turnOther, sOther: turnOther, sDigit: turnWord,
		sClose: closing, sOpen: opening, sSpace: space}
}

// none is what iterators return at an end of the text.
const none = -1

// sentences iterates over the boundaries of the sentences of a text, in bytes.
type sentences struct {
	text  string
	known int // the boundary found last, or none
	work  int // bytes looked at
}

func (s *sentences) reset(text string) { s.text, s.known = text, none }

// preceding returns the last boundary before an offset.
func (s *sentences) preceding(offset int) int {
	if offset == 0 {
		return none
	}
	last := s.known
	if last >= offset || last < 0 {
		_, size := utf8.DecodeLastRuneInString(s.text[:offset])
		last = s.turn(offset - size)
	}
	for at := last; at != none && at < offset; at = s.next(at) {
		last = at
	}
	s.known = last
	return last
}

// following returns the first boundary after an offset.
func (s *sentences) following(offset int) int {
	at := s.known
	switch {
	case offset == 0:
		at = s.next(0)
	default:
		if at >= offset || at < 0 {
			at = s.turn(offset)
		}
		for at != none && at <= offset {
			at = s.next(at)
		}
	}
	s.known = at
	return at
}

func (s *sentences) class(at int) (c sentenceClass, size int) {
	if b := s.text[at]; b < utf8.RuneSelf {
		return asciiSentence[b], 1
	}
	r, size := utf8.DecodeRuneInString(s.text[at:])
	return sentenceClassOf(r), size
}

// next returns the boundary after one.
func (s *sentences) next(start int) int {
	if start == len(s.text) {
		return none
	}
	_, size := s.class(start)
	end, ahead, state, at := start+size, start, inText, start
	for at < len(s.text) {
		c, size := s.class(at)
		at += size
		if c == sIgnored {
			if state.ends() {
				end = at
			} else if state.looksAhead() {
				ahead = at
			}
			continue
		}
		if state = sentenceNext[state][c]; state == stop {
			break
		}
		switch {
		case state == begun:
			end = ahead
		case state.looksAhead():
			ahead = at
		case state.ends():
			end = at
		}
	}
	s.work += at - start
	if state != stop && ahead == len(s.text) {
		end = ahead
	}
	return end
}

// looksAhead tells that the next sentence begins here if what follows fits.
func (s sentenceState) looksAhead() bool {
	return s == atPeriod || s == atSpaces || s == atQuotes || s == atQuoted
}

func (s sentenceState) ends() bool {
	return s == inText || s == ended || s == inDanda || s == atTerm || s == atTermSpaces
}

// turn walks back from an offset to a boundary at or before it.
func (s *sentences) turn(offset int) int {
	if offset == len(s.text) {
		return offset
	}
	state, last := turnBegin, sComma
	c, _ := s.class(offset)
	for at := offset; ; {
		if c != sIgnored {
			state = turnNext[state][c]
		}
		if at == 0 {
			s.work += offset
			return 0
		}
		if state == turned {
			s.work += offset - at
			_, size := s.class(at)
			if last != sIgnored {
				return at + size
			}
			return at
		}
		last = c
		_, size := utf8.DecodeLastRuneInString(s.text[:at])
		at -= size
		c, _ = s.class(at)
	}
}

// looked returns the number of bytes looked at so far.
func (s *sentences) looked() int { return s.work }
