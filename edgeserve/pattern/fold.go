// This file holds the one definition of "without regard to case", so that an
// index which stores folded values and a query which folds its pattern agree.

package pattern

import (
	"unicode"
	"unicode/utf8"
)

// Fold says which case differences a wildcard overlooks.
type Fold uint8

const (
	// FoldNone compares code points as they are.
	FoldNone Fold = iota
	// FoldASCII overlooks the case of the letters A to Z only, as
	// Elasticsearch's case_insensitive does.
	FoldASCII
	// FoldAll overlooks case by Unicode simple folding: two code points are
	// equal exactly when strings.EqualFold says so.
	FoldAll
)

// rune returns r's representative under f.
func (f Fold) rune(r rune) rune {
	switch f {
	case FoldAll:
		return FoldRune(r)
	case FoldASCII:
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
	}
	return r
}

// caseless reports whether r is the only code point that folds as it does.
func (f Fold) caseless(r rune) bool {
	switch f {
	case FoldAll:
		return unicode.SimpleFold(r) == r
	case FoldASCII:
		return r >= utf8.RuneSelf || !unicode.IsLetter(r)
	}
	return true
}

// foldPage holds, for 256 neighbouring code points, what to add to each.
type foldPage [256]int32

// foldPages has a page wherever some code point folds to another one. It turns
// FoldRune into two loads; unicode.SimpleFold takes a binary search a call.
var foldPages = makeFoldPages()

// FoldRune returns the representative of all code points that differ from r in
// case only: the lower-case one where there is one.
func FoldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if p := int(r >> 8); p < len(foldPages) && foldPages[p] != nil {
		return r + foldPages[p][r&0xff]
	}
	return r
}

func makeFoldPages() []*foldPage {
	var pages []*foldPage
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			to := representative(r)
			if to == r {
				continue
			}
			for len(pages) <= int(r>>8) {
				pages = append(pages, nil)
			}
			if pages[r>>8] == nil {
				pages[r>>8] = new(foldPage)
			}
			pages[r>>8][r&0xff] = to - r
		}
	}
	return pages
}

// representative picks from r's case variants the lower case of the smallest,
// or the smallest where its lower case is no variant.
func representative(r rune) rune {
	least := r
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		least = min(least, v)
	}
	lower := unicode.ToLower(least)
	for v := unicode.SimpleFold(least); v != least; v = unicode.SimpleFold(v) {
		if v == lower {
			return lower
		}
	}
	return least
}
