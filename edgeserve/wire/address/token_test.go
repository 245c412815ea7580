// These tests check known pairs of texts and tokens, round trips, and that ParseToken accepts no
// other tokens.

package address

import (
	"math/rand/v2"
	"strings"
	"testing"
)

var tokenTests = []struct{ text, token string }{
	{"am", "am"},
	{"Common Page", "_common-_page"},
	{"Common page", "_common-page"},
	{"git-add", "git.2d_add"},
	{"jane.doe@example.com", "jane.2e_doe.40_example.2e_com"},
	{"O'Reilly & Søns", "_o.27__reilly-.26_-_s.c3b8_ns"},
	{"日本語 テンプレート", ".e697a5e69cace8aa9e_-.e38386e383b3e38397e383ace383bce38388_"},
	{"Café", "_caf.c3a9_"},
	{"Cafe\u0301", "_cafe.cc81_"},
	{"../../etc/passwd", ".2e2e2f2e2e2f_etc.2f_passwd"},
	{"%2F", ".25_2_f"},
	{"  ", "--"},
	{".2d_", ".2e_2d.5f_"},
	{"_", ".5f_"},
	{"A_B", "_a.5f__b"},
	{"\u202eabc", ".e280ae_abc"},
}

func TestToken(t *testing.T) {
	for _, test := range tokenTests {
		t.Run(test.text, func(t *testing.T) {
			if got, ok := Token(test.text); !ok || got != test.token {
				t.Errorf("token %q, %t; want %q", got, ok, test.token)
			}
			if got, ok := ParseToken(test.token); !ok || got != test.text {
				t.Errorf("text %q, %t; want %q", got, ok, test.text)
			}
		})
	}
}

func TestTokenLength(t *testing.T) {
	tests := []struct {
		text string
		ok   bool
	}{
		{strings.Repeat("l", 200), true}, {strings.Repeat("l", 201), false},
		{strings.Repeat("L", 100), true}, {strings.Repeat("L", 101), false},
		{strings.Repeat("ж", 49), true}, {strings.Repeat("ж", 50), false}, // 2 + 4 bytes per letter
		{strings.Repeat("ж", 49) + "ab", true}, {strings.Repeat("ж", 49) + "abc", false},
		{strings.Repeat("x", 1<<20), false},
	}
	for _, test := range tests {
		token, ok := Token(test.text)
		if ok != test.ok || len(token) > 200 || !ok && token != "" {
			t.Errorf("%.8q… (%d bytes): %d bytes, %t", test.text, len(test.text), len(token), ok)
		}
	}
}

func TestTokenRefuses(t *testing.T) {
	for _, text := range []string{"", "a\x00", "\n", "\x1f", "\x7f", "\uFFFD", "a\uFFFDb", "\xff", "a\xc3", "\xed\xa0\x80", "\xc0\xaf"} {
		if token, ok := Token(text); ok || token != "" {
			t.Errorf("%q has the token %q", text, token)
		}
	}
}

func TestParseTokenRefuses(t *testing.T) {
	for name, token := range map[string]string{
		"nothing": "", "upper case": "A", "space": "a b", "slash": "a/b", "dots": "..", "one dot": ".", "UTF-8": "é",
		"letter as a run": ".616d_", "space as a run": ".20_", "digit as a run": ".30_", "upper case as a run": ".41_",
		"letter within a run": ".2d61_", "upper-case digits": ".2D_", "odd digits": ".2d2_", "no digits": "._", "no digit": ".2g_", "no end": ".2d",
		"two runs": ".2d_.2d_", "underscore at the end": "a_", "underscore and digit": "_1", "two underscores": "__a", "underscore and dot": "_.2d_",
		"control byte": ".00_", "delete": ".7f_", "not UTF-8": ".ff_", "cut character": ".c3_", "U+FFFD": ".efbfbd_",
		"too long": strings.Repeat("a", 201), "hyphen run": ".2d", "run then text": ".2dabc",
	} {
		t.Run(name, func(t *testing.T) {
			if text, ok := ParseToken(token); ok {
				t.Errorf("%q was taken for %q", token, text)
			}
		})
	}
}

func TestTokenIsInjectiveAndReversible(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	texts := map[string]string{} // by lower-case token
	for range 50000 {
		text := randomText(rng)
		token, ok := Token(text)
		if !ok {
			t.Fatalf("%q has no token", text)
		}
		if back, ok := ParseToken(token); !ok || back != text {
			t.Fatalf("%q became %q, which is %q, %t", text, token, back, ok)
		}
		if other, ok := texts[strings.ToLower(token)]; ok && other != text {
			t.Fatalf("%q and %q share the token %q", text, other, token)
		}
		texts[strings.ToLower(token)] = text
	}
}

// TestParseTokenAcceptsOnlyTokens tries all spellings of the token alphabet: ParseToken
// must accept only what Token writes.
func TestParseTokenAcceptsOnlyTokens(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const alphabet = "a0-__..2dec3b8"
	accepted := 0
	for range 200000 {
		b := make([]byte, 1+rng.IntN(8))
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		if text, ok := ParseToken(string(b)); ok {
			accepted++
			if token, ok := Token(text); !ok || token != string(b) {
				t.Fatalf("%q was taken for %q, whose token is %q, %t", b, text, token, ok)
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d tokens tried", accepted)
	}
}

func FuzzToken(f *testing.F) {
	for _, test := range tokenTests {
		f.Add(test.text)
		f.Add(test.token)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if token, ok := Token(s); ok {
			if back, ok := ParseToken(token); !ok || back != s || len(token) > MaxToken {
				t.Fatalf("%q became %q, which is %q, %t", s, token, back, ok)
			}
		}
		if text, ok := ParseToken(s); ok {
			if token, ok := Token(text); !ok || token != s {
				t.Fatalf("%q was taken for %q, whose token is %q, %t", s, text, token, ok)
			}
		}
	})
}
