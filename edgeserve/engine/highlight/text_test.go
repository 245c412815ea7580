// This file tests how texts are split into words.

package highlight

import (
	"testing"

	"contentedge/edgeserve/engine/fields"
)

// The whole text of a value is one word, except on fields of text and of dates.
func TestTokens(t *testing.T) {
	for kind, want := range map[fields.TargetKind]int{fields.Text: 3, fields.Date: 3, fields.Keyword: 1, fields.Long: 1, fields.Double: 1, fields.Boolean: 1} {
		n := 0
		new(tokenizer).tokens(fields.Target{Kind: kind}, "on v7 2021", func(token) bool { n++; return true })
		if n != want {
			t.Errorf("kind %d: %d words, want %d", kind, n, want)
		}
	}
}
