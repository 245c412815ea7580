// This file measures how similar two words are, from 0 to 1, with the precision of Lucene. Its
// characters are UTF-16 code units.

package suggest

import (
	"unicode/utf16"

	"contentedge/edgeserve/engine/query"
)

// comparisons counts and charges comparisons of characters, as words may be long.
type comparisons struct {
	n      int // not charged yet
	charge func(steps int) error
}

const (
	comparedPerStep = 2
	chargedAtOnce   = 1 << 12 // comparisons
)

// goOn counts n comparisons and reports whether the request may continue.
func (c *comparisons) goOn(n int) bool {
	if c.n += n; c.n < chargedAtOnce {
		return true
	}
	return c.settle()
}

func (c *comparisons) settle() bool {
	n := c.n
	c.n = 0
	return c.charge(n/comparedPerStep) == nil
}

// similarityOf returns the similarity of two words. It is 0 after an error of charge.
func similarityOf(d query.StringDistance, a, b string, charge func(steps int) error) float32 {
	c := comparisons{charge: charge}
	similarity := c.similarity(d, a, b)
	if !c.settle() {
		return 0
	}
	return similarity
}

func (c *comparisons) similarity(d query.StringDistance, a, b string) float32 {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	if len(x) == 0 || len(y) == 0 {
		if len(x) == len(y) {
			return 1
		}
		return 0
	}
	switch d {
	case query.DistanceJaroWinkler:
		return c.jaroWinkler(x, y)
	case query.DistanceNGram:
		return c.bigrams(x, y)
	}
	return c.levenshtein(x, y)
}

// internal is the similarity of two words: 1 minus the edits per code point of the shorter word.
func internal(edits, shorter int) float32 { return 1 - float32(edits)/float32(shorter) }

func longer(x, y []uint16) float32 { return float32(max(len(x), len(y))) }

// levenshtein counts insertions, deletions and replacements.
func (c *comparisons) levenshtein(x, y []uint16) float32 {
	return 1 - c.table(x, y, func(i, j int) float32 {
		if x[i] == y[j] {
			return 0
		}
		return 1
	})/longer(x, y)
}

// table is the least cost of changing x to y. An insertion costs 1, a deletion too, and a replacement
// costs replace.
func (c *comparisons) table(x, y []uint16, replace func(i, j int) float32) float32 {
	row := make([]float32, len(x)+1)
	for i := range row {
		row[i] = float32(i)
	}
	for j := range y {
		if !c.goOn(len(x)) {
			break
		}
		before := row[0]
		row[0] = float32(j + 1)
		for i := range x {
			cost := min(row[i]+1, row[i+1]+1, before+replace(i, j))
			before, row[i+1] = row[i+1], cost
		}
	}
	return row[len(x)]
}

// bigrams compares pairs of adjacent characters. A 0 before the first character completes the first
// pair.
func (c *comparisons) bigrams(x, y []uint16) float32 {
	if len(x) < 2 || len(y) < 2 {
		same := 0
		for i := range min(len(x), len(y)) {
			if x[i] == y[i] {
				same++
			}
		}
		return float32(same) / longer(x, y)
	}
	return 1 - c.table(x, y, func(i, j int) float32 {
		var cost float32
		if x[i] != y[j] {
			cost++
		}
		switch {
		case i == 0 && j == 0:
			return cost // both words begin here: the pair counts as one character
		case i == 0 || j == 0 || x[i-1] != y[j-1]:
			cost++
		}
		return cost / 2
	})/longer(x, y)
}

const (
	// jaroThreshold is the least similarity at which a common prefix counts.
	jaroThreshold = 0.7
	// jaroPrefix is the greatest weight of a character of the common prefix.
	jaroPrefix = 0.1
)

func (c *comparisons) jaroWinkler(x, y []uint16) float32 {
	short, long := x, y
	if len(short) > len(long) {
		short, long = long, short
	}
	reach := max(len(long)/2-1, 0)
	taken := make([]bool, len(long))
	var common []uint16 // characters of short that long has within reach
	for i, char := range short {
		first, last := max(i-reach, 0), min(i+reach+1, len(long))
		j := first
		for j < last && (taken[j] || long[j] != char) {
			j++
		}
		if j < last {
			taken[j] = true
			common = append(common, char)
		}
		if !c.goOn(j - first) {
			return 0
		}
	}
	if len(common) == 0 {
		return 0
	}
	moved, at := 0, 0
	for j, char := range long {
		if taken[j] {
			if common[at] != char {
				moved++
			}
			at++
		}
	}
	prefix := 0
	for prefix < len(short) && short[prefix] == long[prefix] {
		prefix++
	}
	n := float32(len(common))
	jaro := (n/float32(len(x)) + n/float32(len(y)) + (n-float32(moved/2))/n) / 3
	if jaro < jaroThreshold {
		return jaro
	}
	return jaro + float32(min(jaroPrefix, 1/float32(len(long)))*float32(prefix)*(1-jaro))
}
