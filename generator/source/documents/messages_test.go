package documents

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBound: values and messages of any size become short ones that are still UTF-8. A message keeps its beginning and end.
func TestBound(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", MaxMessage), strings.Repeat("x", MaxMessage+1), strings.Repeat("日", 20<<20), strings.Repeat("\xff", MaxMessage*2), "a" + strings.Repeat("é", MaxMessage) + "b"} {
		if got := Bound(text); len(got) > MaxMessage || utf8.ValidString(text) != utf8.ValidString(got) || len(text) <= MaxMessage && got != text || !strings.HasPrefix(text, got[:min(len(got), 9)/3*3]) {
			t.Errorf("%.20q: %d bytes", text, len(got))
		}
		if got := Cut(text); utf8.RuneCountInString(got) > maxValue+1 || len(text) <= maxValue && got != text {
			t.Errorf("%.20q: %q", text, got)
		}
		if got := Quoted(text); len(got) > 10*maxValue {
			t.Errorf("%.20q: %q", text, got)
		}
	}
	if got := Bound("draft must be true, not " + strings.Repeat("x", 20<<20) + ", here"); !strings.HasPrefix(got, "draft must be true, not xxx") || !strings.HasSuffix(got, "xxx, here") {
		t.Error(got)
	}
}
