// This file tells a misspelt word from another word.

package model

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxEdits is how many letters a slip gets wrong.
	maxEdits = 2
	// lettersPerEdit is how many letters a word must have for each of them: of a short
	// word, two wrong letters are another word.
	lettersPerEdit = 3
	// maxNear is the longest word that is compared letter by letter.
	maxNear = 64
)

// near tells whether one of two different words may be the other with a slip in it:
// another case, white space around it, or a letter or two left out, added, changed or
// swapped. A prefix makes another word ("Unpublished"), and so does another number.
func near(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if strings.EqualFold(a, b) {
		return true
	}
	if len(a) > maxNear || len(b) > maxNear || numbers(a) != numbers(b) || prefixed(a, b) || prefixed(b, a) {
		return false
	}
	allowed := min(maxEdits, min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))/lettersPerEdit)
	return edits([]rune(strings.ToLower(a)), []rune(strings.ToLower(b))) <= allowed
}

// numbers is the digits of a word.
func numbers(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// prefixed tells whether a word is another one with a prefix of two letters or more.
func prefixed(long, short string) bool {
	return len(long) >= len(short)+2 && strings.EqualFold(long[len(long)-len(short):], short)
}

// edits is how many letters have to be added, removed, changed or swapped with their
// neighbour to make one word of another.
func edits(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
