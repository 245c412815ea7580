// This file tests how texts are taken apart.

package highlight

import (
	"testing"

	"contentedge/edgeserve/engine/fields"
)

// The text of a value is a word as a whole, but for words of text and of dates.
func TestTokens(t *testing.T) {
	for kind, want := range map[fields.TargetKind]int{fields.Text: 3, fields.Date: 3, fields.Keyword: 1, fields.Long: 1, fields.Double: 1, fields.Boolean: 1} {
		n := 0
		new(tokenizer).tokens(fields.Target{Kind: kind}, "on v7 2021", func(token) bool { n++; return true })
		if n != want {
			t.Errorf("kind %d: %d words, want %d", kind, n, want)
		}
	}
}
