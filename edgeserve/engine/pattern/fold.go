// This file defines case folding once, so that folded index values and folded patterns agree.

package pattern

import (
	"unicode"
	"unicode/utf8"
)

// Fold selects the case differences that a wildcard ignores.
type Fold uint8

const (
	// FoldNone compares code points as they are.
	FoldNone Fold = iota
	// FoldASCII ignores the case of A to Z only, like Elasticsearch's case_insensitive.
	FoldASCII
	// FoldAll is Unicode simple folding: code points are equal if strings.EqualFold says so.
	FoldAll
)

func (f Fold) rune(r rune) rune {
	switch f {
	case FoldAll:
		return FoldRune(r)
	case FoldASCII:
		return foldASCII(r)
	}
	return r
}

func foldASCII[T byte | rune](c T) T {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// hasOneCase reports whether r has no case variants under f.
func (f Fold) hasOneCase(r rune) bool {
	switch f {
	case FoldAll:
		return unicode.SimpleFold(r) == r
	case FoldASCII:
		return r >= utf8.RuneSelf || !unicode.IsLetter(r)
	}
	return true
}

// foldPage holds, for 256 adjacent code points, the distance to the representative.
type foldPage [256]int32

// foldPages has pages for code points with case variants. A look-up takes two loads, while
// unicode.SimpleFold needs a binary search.
var foldPages = makeFoldPages()

// FoldRune returns the representative of r's case variants: the lower-case one if there is one.
func FoldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return foldASCII(r)
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

// representative returns the lower case of r's smallest case variant. If the lower case folds
// differently, it returns the variant itself.
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
