package analysis

import (
	"strings"
	"testing"
)

// The types are those of a real Elasticsearch 7.10.2.
func TestTypeOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a1 1a é _1 __ a_b 1,000.5 1:2", "ALPHANUM ALPHANUM ALPHANUM NUM ALPHANUM NUM NUM NUM"},
		{"ไทย ๕๐ ก๕ข ໑ ៥", "SOUTHEAST_ASIAN NUM SOUTHEAST_ASIAN NUM SOUTHEAST_ASIAN NUM NUM"},
		{"ᨠ ᥐ မြန်မာ", "SOUTHEAST_ASIAN SOUTHEAST_ASIAN SOUTHEAST_ASIAN"},
		{"人々 々1 〇", "IDEOGRAPHIC ALPHANUM ALPHANUM IDEOGRAPHIC"},
		{"に ーア ア_イ アa ゛゜ ｱ", "HIRAGANA KATAKANA ALPHANUM KATAKANA ALPHANUM KATAKANA KATAKANA"},
		{"한글 한a", "HANGUL ALPHANUM"},
		{"#️⃣ 1️⃣ 1 *️⃣", "EMOJI EMOJI NUM EMOJI"},
		{"© a© ®️ ℹ️ ☀ 👍🏽 🇩🇪 👨‍👩‍👧", "EMOJI ALPHANUM EMOJI EMOJI EMOJI EMOJI EMOJI EMOJI EMOJI"},
		{"Ⅷ ⅰⅱ 𝟘𝟙", "ALPHANUM ALPHANUM NUM"},
		{"٣ ٣.٤ २३ ０１", "NUM NUM NUM NUM"},
	} {
		var got []string
		var tok Tokenizer
		for tok.Reset([]byte(c.text)); tok.Next(); {
			start, end := tok.Span()
			got = append(got, strings.Trim(TypeOf(c.text[start:end]), "<>"))
		}
		if types := strings.Join(got, " "); types != c.want {
			t.Errorf("%q has the types %s, want %s", c.text, types, c.want)
		}
	}
	if got := TypeOf(""); got == "" {
		t.Error("a token has no type")
	}
}
