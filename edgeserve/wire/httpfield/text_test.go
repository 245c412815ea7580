package httpfield

import (
	"net/url"
	"strings"
	"testing"
)

func FuzzPrintableText(f *testing.F) {
	const limit = 1024
	for _, text := range []string{"", "a.json:1:1: m", "100%", "é日🙂", "\r\nX-Evil: 1", "\x00\x7f\xff", strings.Repeat("x", limit+1), strings.Repeat("🙂", limit)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := PrintableText(text, limit)
		for _, c := range []byte(got) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q holds %q", got, c)
			}
		}
		back, err := url.PathUnescape(got)
		if err != nil || len(got) > limit {
			t.Fatalf("%q of %d bytes: %v", got, len(got), err)
		}
		if want := string([]rune(text)); back != want && !strings.HasPrefix(want, strings.TrimSuffix(back, "...")) {
			t.Fatalf("%q reads as %q", text, back)
		}
	})
}
