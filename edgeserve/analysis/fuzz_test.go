// This file searches for texts that break what every caller relies on.

package analysis

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func FuzzTokenizer(f *testing.F) {
	for _, text := range []string{
		"", "The quick-brown fox's v12.18.0, don’t!", "日本語ABC123テスト ภาษาไทย", "👩‍👩‍👧 🇯🇵 #️⃣ ©\ufe0e",
		"ש\"ב\"ג' א:ב", strings.Repeat("_", 600) + "a", strings.Repeat("x", 254) + ".y", "a\xff\xc3b", "İẞΣ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tok Tokenizer
		tok.Reset([]byte(text))
		end, position := 0, 0
		for tok.Next() {
			term := string(tok.Term())
			if tok.start < end || tok.end <= tok.start || tok.end > len(text) || tok.Position() != position {
				t.Fatalf("token %d:%d at %d after %d", tok.start, tok.end, tok.Position(), end)
			}
			checkTerm(t, text[tok.start:tok.end], term)
			end, position = tok.end, position+1
		}
		if got := Terms(text); len(got) != position {
			t.Fatalf("Terms has %d terms, Next %d", len(got), position)
		}
	})
}

// checkTerm proves what holds for any term: it is short, in lower case, and its text
// alone is the same one token again.
func checkTerm(t *testing.T, text, term string) {
	t.Helper()
	if !utf8.ValidString(term) || term == "" || len(utf16.Encode([]rune(text))) > maxUnits {
		t.Fatalf("bad term %+q", term)
	}
	if Lower(text) != term {
		t.Fatalf("term %+q of %+q", term, text)
	}
	if again := Terms(text); !slices.Equal(again, []string{term}) {
		t.Fatalf("term %+q has terms %+q", term, again)
	}
}

func FuzzParseDate(f *testing.F) {
	for _, tt := range dateTests {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		low, err := ParseDate(text, false, testNow)
		high, errHigh := ParseDate(text, true, testNow)
		if err != nil {
			return
		}
		if errHigh != nil {
			t.Fatalf("a floor but no ceiling: %v", errHigh)
		}
		if back, err := ParseDate(FormatDate(low), false, nil); err != nil || back != low {
			t.Fatalf("%s is %d, want %d (%v)", FormatDate(low), back, low, err)
		}
		if high < low && !strings.Contains(text, "/") {
			t.Fatalf("ceiling %s below floor %s", FormatDate(high), FormatDate(low))
		}
	})
}

func FuzzCompareNumbers(f *testing.F) {
	f.Add("1", "1.0")
	f.Add("-1e999999999", "0.00e5")
	f.Add("12.50", ".125e2")
	f.Fuzz(func(t *testing.T, a, b string) {
		if CompareNumbers(a, b) != -CompareNumbers(b, a) || CompareNumbers(a, a) != 0 {
			t.Fatalf("%q and %q have no order", a, b)
		}
		x, _, _, okX := ParseNumber(a)
		y, _, _, okY := ParseNumber(b)
		if c := CompareNumbers(a, b); okX && okY && (c < 0 && x > y || c > 0 && x < y) {
			t.Fatalf("%q and %q compare %d, their floats are %v and %v", a, b, c, x, y)
		}
	})
}
