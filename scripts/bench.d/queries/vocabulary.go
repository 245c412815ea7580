// This file counts the words of a corpus and classifies them as rare or common.

package queries

import (
	"cmp"
	"slices"
	"unicode"

	"bench/corpus"
	"contentedge/edgeserve/engine/analysis"
)

// sampled is how many items are read to choose the field with the most words.
const sampled = 2000

// vocabulary has the words of one field by document frequency. Only words of letters
// count, because all engines tokenize them equally.
type vocabulary struct {
	field   string
	items   int
	df      map[string]int
	rare    []string // in 2 to rareShare of the items
	middle  []string // in middleFrom to middleTo
	common  []string // in commonFrom and more
	regular []string // from middle to common
}

// The classes, as shares of all items.
const (
	rareShare  = 1.0 / 5000
	middleFrom = 1.0 / 500
	middleTo   = 1.0 / 100
	commonFrom = 1.0 / 50
)

// widestFields returns the paths of texts below Data, those with the largest vocabulary first.
func widestFields(items [][]byte, fields corpus.Fields) []string {
	words := map[string]map[string]bool{}
	for i := 0; i < len(items); i += max(1, len(items)/sampled) {
		corpus.Leaves(items[i], func(l corpus.Leaf) {
			if f := fields.Index(l.Path); fields[f].Type != "text" || len(l.Path) < 5 || l.Path[:5] != "Data." {
				return
			}
			if words[l.Path] == nil {
				words[l.Path] = map[string]bool{}
			}
			for _, term := range analysis.Terms(l.Text()) {
				words[l.Path][term] = true
			}
		})
	}
	paths := slices.DeleteFunc(fields.Texts(), func(path string) bool { return len(words[path]) == 0 })
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(len(words[b]), len(words[a])) })
	return paths
}

// count counts the words of a field in all items.
func count(items [][]byte, field string) *vocabulary {
	v := &vocabulary{field: field, items: len(items), df: map[string]int{}}
	for _, item := range items {
		seen := map[string]bool{}
		for _, value := range values(item, field) {
			for _, w := range analysis.Terms(value) {
				if !seen[w] && plain(w) {
					seen[w] = true
					v.df[w]++
				}
			}
		}
	}
	v.classify()
	return v
}

// values returns the texts at a path.
func values(item []byte, path string) []string {
	var out []string
	corpus.Leaves(item, func(l corpus.Leaf) {
		if l.Path == path && l.Kind == corpus.String {
			out = append(out, l.Text())
		}
	})
	return out
}

// plain reports whether a word means the same to every engine: unaccented letters of
// scripts that separate words, and no operator or literal of a query language.
func plain(w string) bool {
	n := 0
	for _, r := range w {
		if !unicode.Is(unicode.Latin, r) && !unicode.Is(unicode.Cyrillic, r) && !unicode.Is(unicode.Greek, r) {
			return false
		}
		n++
	}
	return n > 1 && w != "true" && w != "false" && w != "and" && w != "or" && w != "not" && w != "near"
}

func (v *vocabulary) classify() {
	words := make([]string, 0, len(v.df))
	for w := range v.df {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(v.df[b], v.df[a]), cmp.Compare(a, b)) })
	of := func(share float64, least int) int { return max(least, int(share*float64(v.items))) }
	v.rare = v.between(words, 2, of(rareShare, 5))
	v.middle = v.between(words, of(middleFrom, 2), of(middleTo, 20))
	v.common = v.between(words, of(commonFrom, 3), v.items)
	v.regular = v.between(words, of(middleFrom, 2), v.items)
}

// between returns the words in at least from and at most to items, or all words if
// there are none.
func (v *vocabulary) between(words []string, from, to int) []string {
	var out []string
	for _, w := range words {
		if n := v.df[w]; n >= from && n <= to {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return words
	}
	return out
}
