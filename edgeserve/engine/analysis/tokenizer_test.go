// This file compares the tokenizer with golden terms that follow from Lucene's tables. They
// are valid for one Version.

package analysis

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// sample is a line of testdata/tokens.jsonl.
type sample struct {
	Text  string
	Terms []string
}

// readGolden returns the version in the golden's first line and the samples below.
func readGolden(t testing.TB) (version int, samples []sample) {
	t.Helper()
	file, err := os.Open("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dec := json.NewDecoder(bufio.NewReader(file))
	var head struct{ Version int }
	if err := dec.Decode(&head); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		var s sample
		if err := dec.Decode(&s); err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	return head.Version, samples
}

func TestGolden(t *testing.T) {
	version, samples := readGolden(t)
	if version != Version {
		t.Fatalf("golden is of version %d, package is %d: make a new golden with the version", version, Version)
	}
	if len(samples) < 4000 {
		t.Fatalf("%d samples, the golden is cut", len(samples))
	}
	bad := 0
	for _, s := range samples {
		if got := Terms(s.Text); !slices.Equal(got, s.Terms) {
			t.Errorf("%+q\n got %+q\nwant %+q", s.Text, got, s.Terms)
			if bad++; bad == 10 {
				t.Fatal("and maybe more")
			}
		}
	}
}

// TestGoldenTables compares every class and every lower case with the golden values of the Version.
func TestGoldenTables(t *testing.T) {
	want := map[int][2]uint64{1: {0x34b5152adf5ee0e2, 0x164d71d634824750}}[Version]
	classes, lowers := fnv.New64a(), fnv.New64a()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		_, _ = classes.Write([]byte{byte(classOf(r))})
		if utf8.ValidRune(r) {
			_, _ = lowers.Write(AppendLower(nil, utf8.AppendRune(nil, r)))
		}
	}
	if got := [2]uint64{classes.Sum64(), lowers.Sum64()}; got != want {
		t.Errorf("version %d has classes and lower cases %#x, want %#x", Version, got, want)
	}
}

// TestAnalysis shows the terms of texts. They are those of Lucene's standard analyzer.
func TestAnalysis(t *testing.T) {
	x255 := strings.Repeat("x", 255)
	tests := []struct{ name, text, want string }{
		{"an empty text has no terms", "", ""},
		{"nor have white space and signs", " \t\n .,;:!?'\"()[]{}-/\\@#$%&*+=<>|~^` ", ""},
		{"terms are in lower case, a hyphen separates", "The Quick-Brown fox's", "the quick brown fox's"},
		{"a colon between letters joins them", "foo:bar a:b: :c", "foo:bar a:b c"},
		{"so does a dot between letters or digits", "node.js v12.18.0 a.b. .net", "node.js v12.18.0 a.b net"},
		{"a comma joins digits, but not letters", "3.14 1,234.56 1,2,3 a,b 3a.b4 1.a", "3.14 1,234.56 1,2,3 a b 3a.b4 1 a"},
		{"an underscore joins anything", "user_name __init__ _ x_ ___", "user_name __init__ x_"},
		{"an apostrophe joins letters", "O'Reilly don’t 'quoted' rock'n'roll a''b", "o'reilly don’t quoted rock'n'roll a b"},
		{"other signs separate", "e-mail C++ C# F# @user #tag 50% $5", "e mail c c f user tag 50 5"},
		{"ideographs and hiragana are terms of one character, katakana are words", "日本語ABC123テスト ひらカナー", "日 本 語 abc123 テスト ひ ら カナー"},
		{"hangul are words", "한국어 검색", "한국어 검색"},
		{"scripts without spaces are words between spaces", "ภาษาไทย ລາວ ខ្មែរ", "ภาษาไทย ລາວ ខ្មែរ"},
		{"an emoji is a term", "👍 👍🏽 👩‍👩‍👧 🇯🇵 #️⃣ ©", "👍 👍🏽 👩‍👩‍👧 🇯🇵 #️⃣ ©"},
		{"lower case follows Unicode", "İSTANBUL ΣΊΣΥΦΟΣ ẞ ǅ", "istanbul σίσυφοσ ß ǆ"},
		{"a double quote joins Hebrew letters", "שלום ש\"ב ג'", "שלום ש\"ב ג'"},
		{"a single quote ends a Hebrew word", "ש\"ב\"ג ש'ב' a:ב' ש'1", "ש\"ב ג ש'ב' a:ב ש'1"},
		{"a variation selector ends an emoji", "©\ufe0f\u0301 ©\ufe0e\u0301", "©\ufe0f ©"},
		{"a joiner continues it", "©\ufe0f\u200d© ©\ufe0f\u200d", "©\ufe0f\u200d© ©\ufe0f"},
		{"so does a modifier behind a joiner", "©\ufe0f\u200d🏽 ©\ufe0f\u200d\u200d🏽", "©\ufe0f\u200d🏽 ©\ufe0f 🏽"},
		{"tags belong to the first emoji of a sequence", "©\ufe0f\U000e0067\U000e007f ©\u200d©\ufe0f\U000e0067\U000e007f",
			"©\ufe0f\U000e0067\U000e007f ©\u200d©\ufe0f"},
		{"keycaps are terms", "#\u20e3 *\ufe0f\u20e3\u0301 #\ufe0f #\u20e3\ufe0f 1\ufe0f\u20e3", "#\u20e3 *\ufe0f\u20e3\u0301 #\u20e3 1\ufe0f\u20e3"},
		{"two letters of regions are a flag", "🇯🇵🇫🇷 🇯 🇯\u0301🇵\ufe0e", "🇯🇵 🇫🇷 🇯\u0301🇵\ufe0e"},
		{"a term has at most 255 characters", x255 + "x end", x255 + " x end"},
		{"a term that is cut loses its joint", x255 + ".y", x255 + " y"},
		{"also where the joint is the last character", x255[:254] + ".y", x255[:254] + " y"},
		{"underscores count too", strings.Repeat("_", 300) + "a", strings.Repeat("_", 254) + "a"},
		{"a character beyond the first plane counts twice", strings.Repeat("𝐀", 128), strings.Repeat("𝐀", 127) + " 𝐀"},
		{"bytes that are not UTF-8 separate", "ab\xffcd \xc3", "ab cd"},
		{"so does half a character at the end", "ab\xe6\x9d", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(Terms(tt.text), " "); got != tt.want {
				t.Errorf("Terms(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestTokenizerReuse(t *testing.T) {
	var tok Tokenizer
	tok.Reset([]byte("_____ One TWO"))
	for want := 0; tok.Next(); want++ {
		if tok.Position() != want {
			t.Errorf("position %d, want %d", tok.Position(), want)
		}
	}
	if tok.Next() {
		t.Error("a token after the last")
	}
	text := []byte("_a ÉÉ end")
	tok.Reset(text)
	var got []string
	for tok.Next() {
		got = append(got, string(tok.Term()))
	}
	if want := []string{"_a", "éé", "end"}; !slices.Equal(got, want) {
		t.Errorf("after Reset: %q, want %q", got, want)
	}
	if string(text) != "_a ÉÉ end" {
		t.Errorf("text was written to: %q", text)
	}
}

func TestTokenizerDoesNotAllocate(t *testing.T) {
	text := []byte("Plain ASCII, déjà vu, 東京タワー 👩‍👩‍👧 ÀÉ __")
	var tok Tokenizer
	run := func() {
		tok.Reset(text)
		for tok.Next() {
			_ = tok.Term()
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations per text", n)
	}
}

// TestNextJoinerWord checks that a run of joiners is skipped in one step.
func TestNextJoinerWord(t *testing.T) {
	run := strings.Repeat("_", 1000)
	tests := []struct {
		name, text string
		want       int
	}{
		{"nothing follows", run, 1000},
		{"no word follows", run + " a", 1000},
		{"a letter follows", run + "a", 1000 - 254},
		{"a letter of two units follows", run + "𝐀", 1000 - 253},
		{"marks between", strings.Repeat("_\u0301", 500) + "1", 500*3 - 254/2*3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := nextJoinerWord([]byte(tt.text), 0); got != tt.want {
				t.Errorf("barrenEnd = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestClassSpansAreSorted(t *testing.T) {
	last := rune(-1)
	for _, s := range classSpans {
		if s.low <= last || s.high < s.low || s.class == other || s.class >= classCount {
			t.Errorf("span %+v after %#x", s, last)
		}
		last = s.high
	}
	last = -1
	for _, s := range lowerSpans {
		if s.low <= last || s.high < s.low || s.high >= planes || s.delta == 0 {
			t.Errorf("lower span %+v after %#x", s, last)
		}
		last = s.high
	}
}
