// This file makes identifiers of any text.

package types

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"contentedge/edgeserve/wire/address"
)

// longestName is in letters: longer names are shortened, and numbered if they are taken.
const longestName = 60

// scripts are the scripts whose letters identifiers of both languages may have, in every version of Unicode's tables.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Arabic, unicode.Hebrew,
}

// lastOld is the last letter that is used: later blocks are newer than some compilers.
const lastOld = 0xFFDC

func isLetter(r rune) bool { return r <= lastOld && unicode.IsLetter(r) && unicode.In(r, scripts...) }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// pascal writes a text as one name: "blog post" becomes BlogPost. It begins with an upper-case letter of an alphabet
// that has cases, as exported names of Go do.
func pascal(text, empty string) string {
	var b strings.Builder
	begins, n := true, 0
	for _, r := range text {
		if !isLetter(r) && !isDigit(r) {
			begins = true
			continue
		}
		if n++; n > longestName {
			break
		}
		if begins {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		begins = false
	}
	name := b.String()
	if name == "" {
		return empty
	}
	if first := []rune(name)[0]; !unicode.IsUpper(first) {
		return empty + name
	}
	return name
}

// dataType ends the name of the type of an item's Data.
const dataType = address.FieldData

// names are identifiers that are taken.
type names map[string]bool

var (
	word    = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)
	noWords = regexp.MustCompile("(?s)/\\*.*?\\*/|//[^\n]*|\"[^\"\n]*\"|`[^`]*`")
)

// wordsOf takes every word of a program text that is in no comment and no string.
func wordsOf(text string) names {
	taken := names{}
	for _, w := range word.FindAllString(noWords.ReplaceAllString(text, " "), -1) {
		taken[w] = true
	}
	return taken
}

// take returns the first of name, name2, name3, … that is free together with the names that derived adds.
func (n names) take(name string, derived ...string) string {
	free := func(name string) bool {
		if n[name] {
			return false
		}
		for _, suffix := range derived {
			if n[name+suffix] {
				return false
			}
		}
		return true
	}
	own := name
	for i := 2; !free(own); i++ {
		own = name + strconv.Itoa(i)
	}
	n[own] = true
	for _, suffix := range derived {
		n[own+suffix] = true
	}
	return own
}
