// This file names the types of tokens as Lucene's standard tokenizer does.

package analysis

import (
	"unicode"
	"unicode/utf8"
)

// The types of tokens.
const (
	typeWord           = "<ALPHANUM>"
	typeNumber         = "<NUM>"
	typeSoutheastAsian = "<SOUTHEAST_ASIAN>"
	typeIdeograph      = "<IDEOGRAPHIC>"
	typeHiragana       = "<HIRAGANA>"
	typeKatakana       = "<KATAKANA>"
	typeHangul         = "<HANGUL>"
	typeEmoji          = "<EMOJI>"
)

// TypeOf returns the type of a token. The token is one that a Tokenizer found, in its original case.
func TypeOf(token string) string {
	w := window{text: []byte(token), unitsLeft: maxUnits}
	switch c, _ := w.peek(); c {
	case zwj, emoji, emojiBase, emojiMod, regional, keycapBase:
		return typeEmoji
	case emojiLetter:
		if scanEmoji(w) == len(token) {
			return typeEmoji
		}
	case digit:
		if scanKeycap(w) == len(token) {
			return typeEmoji
		}
	case sa, saMark:
		return typeSoutheastAsian
	case ideographic:
		if r, _ := utf8.DecodeRuneInString(token); unicode.Is(unicode.Hiragana, r) {
			return typeHiragana
		}
		return typeIdeograph
	}
	return typeOfWord(token)
}

// typeOfWord returns the type of a word. Words of one script have a type if no joiner connects their letters.
func typeOfWord(word string) string {
	number, hangul, kana := true, true, true
	for _, r := range word {
		c := classOf(r)
		switch {
		case c.isMark():
		case c == digit, c == joiner, c == midNum, c == midBoth, c == singleQuote:
			hangul, kana = false, false
		default:
			number = false
			hangul = hangul && unicode.Is(unicode.Hangul, r)
			kana = kana && c == katakana
		}
	}
	switch {
	case number:
		return typeNumber
	case hangul:
		return typeHangul
	case kana:
		return typeKatakana
	}
	return typeWord
}
