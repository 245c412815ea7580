// This file fuzzes the guarantees that callers rely on.

package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"
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

// checkTerm checks the properties of every term: it is short and in lower case, and the
// tokenizer splits its text into this single term.
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
		low, ok := ParseDate(text, false, testNow)
		high, okHigh := ParseDate(text, true, testNow)
		if !ok {
			return
		}
		if !okHigh {
			t.Fatal("a floor but no ceiling")
		}
		if back, ok := ParseDate(FormatDate(low), false, nil); !ok || back != low {
			t.Fatalf("%s is %d (%v), want %d", FormatDate(low), back, ok, low)
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

func FuzzDateReader(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", "2025-01-31||+1M/d"}, {"yyyy-MM-dd HH:mm:ss||epoch_second", "Europe/Berlin", "2025-03-30 02:30:00"},
		{"dd/MM/yy h a", "+05:30", "01/02/25 12 PM"}, {"MMM d yyyy'T'SSSX", "", "Feb 29 2024T5Z"}, {"basic_date||strict_year_month", "-11:00", "20250101"},
		{"V", "", "Z"}, {"week_date", "Europe/Berlin", "2021-W13-6"}, {"ordinal_date", "", "2021-366"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, formats, zone, text string) {
		if write, err := NewDateWriter(formats, time.UTC); err == nil {
			write(nil, testNow().UnixMilli())
		}
		r, err := NewDateReader(formats, zone)
		if err != nil {
			return
		}
		low, ok := r.Parse(text, false, testNow)
		high, okHigh := r.Parse(text, true, testNow)
		if ok && !okHigh {
			t.Fatalf("%q by %q in %q: a floor but no ceiling", text, formats, zone)
		}
		if ok && high < low && !strings.Contains(text, "/") {
			t.Fatalf("%q by %q in %q: ceiling %d below floor %d", text, formats, zone, high, low)
		}
		if year := FormatDate(low); ok && len(year) > len("-292278994-08-17T07:12:55.807Z") {
			t.Fatalf("%q by %q in %q: %s", text, formats, zone, year)
		}
	})
}
