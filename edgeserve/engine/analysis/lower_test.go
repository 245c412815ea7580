// This file tests lower-casing where simple mappings are surprising.

package analysis

import "testing"

func TestLower(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"lower stays", "abc é 東", "abc é 東"},
		{"ascii", "AZaz@[`{09", "azaz@[`{09"},
		{"dotted i is one letter", "İI", "ii"},
		{"final sigma is not special", "ΟΔΟΣ", "οδοσ"},
		{"sharp s", "ẞß", "ßß"},
		{"title case", "ǅ", "ǆ"},
		{"every second letter", "ĀāĂă", "āāăă"},
		{"second plane", "𐐀", "𐐨"},
		{"newer than Unicode 13 stays", "Ⱟ", "Ⱟ"},
		{"not utf-8 stays", "A\xffÉ\xc3", "a\xffé\xc3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Lower(tt.in); got != tt.want {
				t.Errorf("Lower(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if got := string(AppendLower([]byte("x"), []byte(tt.in))); got != "x"+tt.want {
				t.Errorf("AppendLower(%q) = %q, want %q", tt.in, got, "x"+tt.want)
			}
		})
	}
}

func TestLowerPattern(t *testing.T) {
	for in, want := range map[string]string{`*O\R`: `*o\R`, `\\\Ä*B\`: `\\\Ä*b\`, `ÀB?`: `àb?`, ``: ``, "A\\": "a\\"} {
		if got := LowerPattern(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
