// This file iterates over sentences from the middle of a text: it walks back to where a sentence
// surely begins, then forward.

package highlight

import (
	"slices"
	"unicode/utf8"
)

// turnState describes the characters that a walk back has read.
type turnState uint8

const (
	turned    turnState = iota
	turnFound           // a sentence ends with this character, whatever is before it
	turnBegin
	turnWord        // a lower case letter or a digit, perhaps after opening punctuation
	turnOther       // a character that begins a sentence, perhaps after opening punctuation
	turnWordSpaces  // turnWord, before it spaces
	turnOtherSpaces // turnOther, before it spaces
	turnWordClose   // turnWord, before it closing punctuation
	turnOtherClose  // turnOther, before it closing punctuation
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

// none is the result of iterators at an end of the text.
const none = -1

// sentences iterates over the boundaries of the sentences of a text, in bytes. It remembers its way to
// the last boundaries: otherwise each call might read the whole text.
type sentences struct {
	text  string
	known int // the boundary found last, or none
	work  int // bytes read

	walked  int                 // where the last walk back began, or none
	states  [walkPart]turnState // the states of this walk, one for each byte of the text; turned: no state
	turnsTo int                 // where this walk ended. Walks that reach one of its states end there, too
	run     []int32             // consecutive boundaries: next returned each for the previous one
}

// walkPart is the length of the remembered beginning of a walk back, in bytes. Two walks soon reach the
// same states.
const walkPart = 32

func (s *sentences) reset(text string) {
	s.text, s.known, s.walked, s.run = text, none, none, s.run[:0]
}

// preceding returns the last boundary before an offset.
func (s *sentences) preceding(offset int) int {
	if offset == 0 {
		return none
	}
	last := s.known
	if last >= offset || last < 0 {
		_, size := utf8.DecodeLastRuneInString(s.text[:offset])
		last = s.skip(s.turn(offset-size), offset)
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
			at = s.skip(s.turn(offset), offset)
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

// maxRun limits the remembered boundaries.
const maxRun = 1 << 20

// skip returns the last remembered boundary before a limit that calls of next reach from the boundary from. Without
// one, it returns from.
func (s *sentences) skip(from, limit int) int {
	if _, ok := slices.BinarySearch(s.run, int32(from)); !ok {
		return from
	}
	i, _ := slices.BinarySearch(s.run, int32(limit))
	return max(from, int(s.run[max(i-1, 0)]))
}

// next returns the boundary after the boundary start.
func (s *sentences) next(start int) int {
	if i, ok := slices.BinarySearch(s.run, int32(start)); ok && i+1 < len(s.run) {
		return int(s.run[i+1])
	} else if !ok || len(s.run) == maxRun {
		s.run = append(s.run[:0], int32(start))
	}
	end := s.find(start)
	if end != none {
		s.run = append(s.run, int32(end))
	}
	return end
}

// find is next without remembered boundaries: it reads the text.
func (s *sentences) find(start int) int {
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

// looksAhead reports whether the next sentence may begin here: the following characters decide.
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
	var states [walkPart]turnState
	c, _ := s.class(offset)
	for at := offset; ; {
		if c != sIgnored {
			state = turnNext[state][c]
		}
		if at == 0 || state == turned {
			s.work += offset - at
			if at > 0 && last != sIgnored {
				_, size := s.class(at)
				at += size
			}
			s.walked, s.states, s.turnsTo = offset, states, at
			return at
		}
		if offset-at < walkPart {
			states[offset-at] = state
		}
		if before := s.walked - at; before >= 0 && before < walkPart && s.states[before] == state {
			s.work += offset - at
			copy(states[min(offset-at, walkPart):], s.states[before:])
			s.walked, s.states = offset, states
			return s.turnsTo
		}
		last = c
		_, size := utf8.DecodeLastRuneInString(s.text[:at])
		at -= size
		c, _ = s.class(at)
	}
}

// looked returns the number of bytes read so far.
func (s *sentences) looked() int { return s.work }
