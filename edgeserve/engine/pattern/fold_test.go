// This file checks folding of every code point against the standard library.

package pattern

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestFoldRuneIsSimpleFolding checks that two code points fold alike exactly when
// SimpleFold connects them.
func TestFoldRuneIsSimpleFolding(t *testing.T) {
	for r := rune(-1); r <= utf8.MaxRune+1; r++ {
		folded := FoldRune(r)
		if FoldRune(folded) != folded {
			t.Fatalf("%U folds to %U, which folds further", r, folded)
		}
		if r < 0 || r > utf8.MaxRune {
			continue
		}
		if v := unicode.SimpleFold(r); FoldRune(v) != folded {
			t.Fatalf("%U folds to %U, its variant %U to %U", r, folded, v, FoldRune(v))
		}
		if folded != r && !strings.EqualFold(string(r), string(folded)) {
			t.Fatalf("%U folds to %U, which is another letter", r, folded)
		}
	}
}
