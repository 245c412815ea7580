// This file finds sentences as Java's own break iterator does, the one without CLDR data, which
// Elasticsearch 7 runs with. Where iteration turns around in the middle of a text, sentences may
// begin elsewhere than from its start, so both directions are followed as Java follows them.

package highlight

import (
	"unicode"
	"unicode/utf8"
)

// sentenceClass is what a character means for sentences.
type sentenceClass uint8

const (
	sComma     sentenceClass = iota
	sParagraph               // U+2029
	sPeriod                  // may end a sentence
	sQuote                   // may begin or end one
	sTerm                    // ends a sentence: ! ? and their like
	sLetter                  // not lower case
	sLower
	sDanda
	sOther // may begin a sentence
	sDigit
	sClose
	sOpen
	sSpace
	sentenceClasses
	sIgnored = sentenceClasses
)

var asciiSentence = func() (of [utf8.RuneSelf]sentenceClass) {
	for c := range of {
		of[c] = sentenceClassOf(rune(c))
	}
	return of
}()

func sentenceClassOf(r rune) sentenceClass {
	switch r {
	case ',':
		return sComma
	case '\u2029':
		return sParagraph
	case '.', '\uff0e':
		return sPeriod
	case '"', '\'':
		return sQuote
	case '!', '?', '\u3002', '\uff01', '\uff1f':
		return sTerm
	case '\u0964', '\u0965':
		return sDanda
	case '\t', '\r', '\f', '\n', '\u2028':
		return sSpace
	}
	switch {
	case unicode.Is(unicode.Ll, r):
		return sLower
	case unicode.Is(unicode.L, r):
		return sLetter
	case unicode.Is(unicode.N, r):
		return sDigit
	case unicode.Is(unicode.Zs, r):
		return sSpace
	case unicode.Is(unicode.Pe, r), unicode.Is(unicode.Pf, r):
		return sClose
	case unicode.Is(unicode.Ps, r), unicode.Is(unicode.Pi, r):
		return sOpen
	case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r), unicode.Is(unicode.Cf, r):
		return sIgnored
	}
	return sOther
}

// sentenceState says what may follow in a sentence. Marks and format characters do not count.
type sentenceState uint8

const (
	stop sentenceState = iota
	inText
	ended   // with the character before
	inDanda // a danda, then spaces
	begun   // the next sentence, where it may have begun
	atPeriod
	atSpaces      // a period, then spaces
	atQuotes      // a period, spaces, then quotes
	atOpening     // a period, then what may begin a sentence
	atQuoted      // a period, then such, all quotes or opening
	atOpeningOnly // as atOpening, where no other sentence can end
	atTerm
	atTermSpaces
)

// sentenceNext gives the next state; the default is stop.
var sentenceNext = [...][sentenceClasses]sentenceState{
	inText: {sComma: inText, sParagraph: ended, sPeriod: atPeriod, sQuote: inText, sTerm: atTerm, sLetter: inText, sLower: inText,
		sDanda: inDanda, sOther: inText, sDigit: inText, sClose: inText, sOpen: inText, sSpace: inText},
	inDanda: {sSpace: inDanda},
	atPeriod: {sComma: inText, sParagraph: ended, sPeriod: atPeriod, sQuote: atQuoted, sTerm: atTerm, sLetter: inText, sLower: inText,
		sDanda: atOpening, sOther: atOpening, sDigit: inText, sClose: atPeriod, sOpen: atOpening, sSpace: atSpaces},
	atSpaces: {sComma: inText, sParagraph: ended, sPeriod: atPeriod, sQuote: atOpening, sTerm: atTerm, sLetter: begun, sLower: inText,
		sDanda: atOpening, sOther: atOpening, sDigit: inText, sClose: inText, sOpen: atOpening, sSpace: atQuotes},
	atQuotes: {sComma: inText, sParagraph: ended, sPeriod: atPeriod, sQuote: atOpeningOnly, sTerm: atTerm, sLetter: begun, sLower: begun,
		sDanda: atOpeningOnly, sOther: atOpeningOnly, sDigit: inText, sClose: inText, sOpen: atOpeningOnly, sSpace: atQuotes},
	atOpening: {sComma: inText, sParagraph: ended, sPeriod: atPeriod, sQuote: atOpening, sTerm: atTerm, sLetter: begun, sLower: begun,
		sDanda: atOpening, sOther: atOpening, sDigit: inText, sClose: inText, sOpen: atOpening, sSpace: inText},
	atQuoted: {sComma: inText, sParagraph: ended, sPeriod: atPeriod, sQuote: atQuoted, sTerm: atTerm, sLetter: begun, sLower: begun,
		sDanda: atOpeningOnly, sOther: atOpeningOnly, sDigit: inText, sClose: atPeriod, sOpen: atOpeningOnly, sSpace: atSpaces},
	atOpeningOnly: {sQuote: atOpening, sLetter: begun, sLower: begun, sDanda: atOpening, sOther: atOpening, sOpen: atOpening},
	atTerm:        {sParagraph: ended, sPeriod: atTerm, sQuote: atTerm, sTerm: atTerm, sClose: atTerm, sSpace: atTermSpaces},
	atTermSpaces:  {sParagraph: ended, sSpace: atTermSpaces},
}
