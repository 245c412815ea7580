// This file finds sentences as Java's break iterator without CLDR data, which Elasticsearch 7 uses.
// If an iteration begins in the middle of a text, it may find other sentences than from the start of
// the text. So the file follows Java in both directions.

package highlight

import (
	"unicode"
	"unicode/utf8"
)

// sentenceClass is the class of a character for finding sentences.
type sentenceClass uint8

const (
	sComma     sentenceClass = iota
	sParagraph               // U+2029
	sPeriod                  // may end a sentence
	sQuote                   // may begin or end a sentence
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

// sentenceState decides which characters may follow in a sentence. Marks and format characters do not
// change it.
type sentenceState uint8

const (
	stop sentenceState = iota
	inText
	ended   // the sentence ended with the character before
	inDanda // a danda, then spaces
	begun   // the next sentence has begun, at the last place where it may begin
	atPeriod
	atSpaces      // a period, then spaces
	atQuotes      // a period, spaces, then quotes
	atOpening     // a period, then characters that may begin a sentence
	atQuoted      // a period, then only quotes or opening punctuation
	atOpeningOnly // as atOpening, but the sentence ends unless the next one begins
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
