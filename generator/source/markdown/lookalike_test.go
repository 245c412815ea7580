package markdown

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"contentedge/generator/source/record"
)

// TestLanguages: the word after the marks says in which language front matter is.
func TestLanguages(t *testing.T) {
	tests := []struct{ name, text, front, body, faults string }{
		{"YAML", "---yaml\ntitle: C\ndraft: true\n---\nText\n", `{"title":"C","draft":true}`, "5:1 Text\n", ""},
		{"a short word", "---yml\na: 1\n---\n", `{"a":1}`, "4:1 ", ""},
		{"another case", "---YAML\na: 1\n---\n", `{"a":1}`, "4:1 ", ""},
		{"spaces", "--- yaml \na: 1\n---\n", `{"a":1}`, "4:1 ", ""},
		{"CR LF", "---yaml\r\na: 1\r\n---\r\nText", `{"a":1}`, "4:1 Text", ""},
		{"JSON", "---json\n{\"title\":\"E\",\n\"draft\":true}\n---\nText\n", `{"title":"E","draft":true}`, "5:1 Text\n", ""},
		{"JSON with blank lines", "---json\n\n{\"a\":1}\n\n---\n", `{"a":1}`, "6:1 ", ""},
		{"JSON of nothing", "--- JSON\n---\nText\n", "{}", "3:1 Text\n", ""},
		{"TOML", "---toml\ntitle = 'T'\ndraft = true\n---\nText\n", `{"title":"T","draft":true}`, "5:1 Text\n", ""},
		{"a blank line first", "---yaml\n\na: 1\n---\n", `{"a":1}`, "5:1 ", ""},
		{"a key of TOML after a blank line", "---\n\ndraft = true\n---\n", "", "", "3:1: this text must be a mapping of keys and values, not a single value"},
		{"a key with a space after a blank line", "---\n\ndate created: 1\ndraft: true\n---\n", `{"date created":1,"draft":true}`, "6:1 ", ""},

		{"a fault in YAML", "---yaml\na: [\n---\n", "", "", "2:4: this is not YAML: sequence end token ']' not found"},
		{"a fault in JSON", "---json\n{\"a\": 1,\n}\n---\n", "", "", "3:1: the front matter is no JSON: expected a name in double quotes, found '}'"},
		{"two objects", "---json\n{\"a\": 1}\n {}\n---\n", "", "", "3:2: there is more after the object that the front matter is"},
		{"a fault in TOML", "---toml\na = 1\nb = x\n---\n", "", "", "3:5: this is not TOML: unexpected character U+0078 'x' at start of value"},
		{"no end", "---yaml\na: 1\n", "", "", "1:1: the front matter in YAML has no end: a line of --- is missing after it"},
		{"another end", "---toml\na = 1\n+++\n", "", "", "1:1: the front matter in TOML has no end: a line of --- is missing after it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, faults := Split([]byte(tt.text))
			if got := show(faults); got != tt.faults {
				t.Fatalf("faults\n got %s\nwant %s", got, tt.faults)
			}
			if got := fmt.Sprintf("%d:%d %s", text.BodyAt.Line, text.BodyAt.Col, text.Body); len(faults) == 0 && (string(text.FrontMatter.JSON) != tt.front || got != tt.body) {
				t.Errorf("got %s %q", text.FrontMatter.JSON, got)
			}
		})
	}
}

// TestREADME: the page lists all first lines of front matter.
func TestREADME(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range languages {
		var spellings []string
		for _, word := range l.words {
			spellings = append(spellings, "`"+l.fence+word+"`")
		}
		if row := fmt.Sprintf("| %s | %s | `%s` |\n", strings.Join(spellings, " "), l.name, l.fence); !strings.Contains(string(page), row) {
			t.Errorf("the page lacks the row %s", row)
		}
	}
}

// TestLookalikes: what looks like front matter is an error, whose message has a row of strays.
func TestLookalikes(t *testing.T) {
	const block = "---\ntitle: D\ndraft: true\n---\nsecret\n"
	toml := "+++\ndraft = true\n+++\nsecret\n"
	tests := []struct {
		name, text, place string
		stray             stray // nothing: lines end in CR
	}{
		{"a space", " " + block, "1:2", spaces},
		{"all lines with spaces", " ---\n title: D\n draft: true\n ---\n", "1:2", spaces},
		{"a tab", "\t" + block, "1:2", spaces},
		{"a space that is not ASCII", "\u00a0" + block, "1:2", spaces},
		{"a wide space", "\u3000" + toml, "1:2", spaces},
		{"a blank line", "\n" + block, "2:1", blankLines},
		{"blank lines with spaces", "\n  \r\n\n" + block, "4:1", blankLines},
		{"a blank line before TOML", "\n" + toml, "2:1", blankLines},
		{"a comment", "<!-- c -->\n" + block, "2:1", comment},
		{"a comment over lines", "<!--\nc\n\nd: e\n-->\n\n" + block, "7:1", comment},
		{"two comments", "<!-- c --><!-- d -->\n" + block, "2:1", comment},
		{"a comment on the line", "<!-- c --> " + block, "1:12", comment},
		{"a comment after the marks", "--- <!-- c -->\ndraft: true\n---\n", "1:1", comment},
		{"a comment of MDX", "{/* c\n */}\n" + block, "3:1", comment},
		{"a comment of Obsidian", "%% c %%\n" + block, "2:1", comment},
		{"a comment as a link", "[//]: # (c)\n" + block, "2:1", comment},
		{"a directive", "%YAML 1.2\n" + block, "2:1", comment},
		{"a comment without an end", "<!-- c\n" + block, "2:1", comment},
		{"a zero width space", "\u200b" + block, "1:2", invisible},
		{"a zero width space in the marks", "-\u200b--\ndraft: true\n---\n", "1:1", invisible},
		{"a zero width space after the marks", "---\u200b\ndraft: true\n---\n", "1:1", invisible},
		{"a second byte order mark", "\ufeff" + block, "1:2", invisible},
		{"a word joiner", "\u2060" + block, "1:2", invisible},
		{"a soft hyphen", "\u00ad" + toml, "1:2", invisible},
		{"a zero byte", "\x00" + block, "1:2", invisible},
		{"a zero width space before YAML", "\u200b---yaml\ndraft: true\n---\n", "1:2", invisible},
		{"a zero width space in a word", "---ya\u200bml\ndraft: true\n---\n", "1:1", invisible},
		{"a space before JSON", " ---json\n{\"title\":\"E\",\"draft\":true}\n---\n", "1:2", spaces},
		{"a space before TOML", " ---toml\ndraft = true\n---\n", "1:2", spaces},
		{"JSON without lines", "\n{\n\"draft\": true\n}\nsecret\n", "2:1", blankLines},
		{"JSON after a byte order mark", "\ufeff{\"draft\": true}\nsecret\n", "1:2", invisible},
		{"an invisible character in JSON", "{\u200b\"draft\": true}\nsecret\n", "1:1", invisible},
		{"a comment before JSON", "<!-- c -->\n{\"draft\": true}\n", "2:1", comment},
		{"a space before the colon", "\n---\ndraft : true\n---\n", "2:1", blankLines},
		{"a key that is quoted", "\n---\n\"draft\": true\n---\n", "2:1", blankLines},
		{"a key with a space", "\n---\ndate created: 1\ndraft: true\n---\n", "2:1", blankLines},
		{"a quoted key with a space", "\n---\n'a b': 1\ndraft: true\n---\n", "2:1", blankLines},
		{"a mapping in braces", "\n---\n{draft: true}\n---\n", "2:1", blankLines},
		{"a table of TOML first", "\n+++\n[params]\ndraft = true\n+++\n", "2:1", blankLines},
		{"a comment before the keys", "\n---\n# c\n<!-- d -->\n\ndraft: true\n---\n", "2:1", blankLines},
		{"an unknown language", "---coffee\ntitle: \"C\"\ndraft: true\n---\n", "1:1", unknownLanguage},
		{"an unknown language without keys", "---js\nexport default x\n---\n", "1:1", unknownLanguage},
		{"an unknown language after a space", "--- coffee\ndraft: true\n---\n", "1:1", unknownLanguage},
		{"a word of the other marks", "+++toml\ndraft = true\n+++\n", "1:1", unknownLanguage},
		{"a comment of YAML", "--- # c\ndraft: true\n---\n", "1:1", moreWords},
		{"a key after the marks", "--- title: C\ndraft: true\n---\n", "1:1", moreWords},
		{"words after the language", "---yaml x=y\ndraft: true\n---\n", "1:1", moreWords},
		{"more dashes", "----\ntitle: C\ndraft: true\n----\n", "1:1", spelling},
		{"other marks", ";;;\n\"draft\": true\n;;;\n", "1:1", spelling},
		{"a long dash", "—-\ndraft: true\n—-\n", "1:1", spelling},
		{"a minus", "\u2212\u2212\u2212\ndraft: true\n---\n", "1:1", spelling},
		{"an end with spaces", "---\n\ndraft: true\n ---\nsecret\n", "4:2", spaces},
		{"an end with a space that is not ASCII", "---\n\ndraft: true\n\u00a0---\n", "4:2", spaces},
		{"an end with a zero width space", "---\n\ndraft: true\n\u200b---\n", "4:2", invisible},
		{"an end of YAML", "---\n\ndraft: true\n...\nsecret\n", "4:1", spelling},
		{"other marks at the end", "---\n\ndraft: true\n+++\n", "4:1", spelling},
		{"CR", "---\rtitle: J\rdraft: true\r---\rsecret\r", "1:4", nothing},
		{"CR in JSON", "{\r\"draft\": true\r}\rsecret", "1:2", nothing},
		{"CR in a text", "One\rtwo\r", "1:4", nothing},
		{"CR before a text in lines", "---\rdraft: true\r---\rsecret\n", "1:4", nothing},
		{"CR at one end", "---\r\n\r\ndraft: true\r\n---\rsecret\n", "4:4", nothing},
		{"a second block", "---\na: 1\n---\n\n---\ndraft: true\n---\nsecret\n", "5:1", second},
		{"a second block of the first line", "---\na: 1\n---\n---yaml\ndraft: true\n---\n", "4:1", second},
		{"a second block after nothing", "---\n---\n" + block, "3:1", second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, faults := Split([]byte(tt.text))
			if len(faults) != 1 || faults[0].Warning || text.Body != nil {
				t.Fatalf("%q: got %v %s", tt.text, faults, text.FrontMatter.JSON)
			}
			f := faults[0]
			if got := fmt.Sprintf("%d:%d", f.Line, f.Col); got != tt.place || !strings.HasSuffix(f.Message, strays[tt.stray].message) || f.Hint == "" || tt.stray != nothing && f.Hint != strays[tt.stray].hint {
				t.Errorf("%q: got %s: %s: %s", tt.text, got, f.Message, f.Hint)
			}
		})
	}
}

// TestNoLookalikes: texts with horizontal rules stay texts.
func TestNoLookalikes(t *testing.T) {
	for _, text := range []string{
		"One\n\n---\ntitle: x\ndraft: true\n---\n",
		"# One\n\n---\na: 1\n---\n",
		"<!-- c -->\nOne\n---\na: 1\n---\n",
		"<!-- c -->\n\n# One\n",
		" ---\nOne two.\n\n---\n",
		"\n---\nOne: two\n",
		"\n---\n\nIn this text: one\n\nand more\n\n---\n",
		"\n---\n\n**Note**: one\n\n---\n",
		"\n---\n\n[a]: b\n\n---\n",
		"\n---\n\n<div class=\"x\">\n\n---\n",
		"\n---\n\nhttps://example.com\n\n---\n",
		"\n---\n\n| a: | b |\n\n---\n",
		"\n---\n\n- a: 1\n\n---\n",
		"\n---\n\n{{< figure a=\"b\" >}}\n\n---\n",
		"---\n\nText one: two\n\n---\n\nmore\n",
		"---\n\n**Note**: one\n\n---\n",
		"***\na: 1\n***\n",
		"- - -\n\nOne\n\n- - -\n",
		"--- One two three ---\na: 1\n---\n",
		"---|---\na: 1\n---\n",
		"--- a/one\n+++ b/one\n@@ -1 +1 @@\n",
		"----\n\nOne\n\n----\n",
		"---coffee\nOne\n",
		"```yaml\n---\ndraft: true\n---\n```\n",
		"> ---\n> draft: true\n> ---\n",
		"--\na: 1\n--\n",
		"{.note}\n---\na: 1\n---\n",
		"\n{ a }\n",
		"<!-- c",
		"\u200b",
		"\r\n---\r\n\r\nText\r\n",
	} {
		found, faults := Split([]byte(text))
		if len(faults) > 0 || string(found.Body) != text {
			t.Errorf("%q: %v %q", text, faults, found.Body)
		}
	}
	for _, text := range []string{"---\na: 1\n---\n\n---\n\nNote: one\n\n---\n", "---\na: 1\n---\nText\n\n---\nb: 2\n---\n", "{\"a\": 1}\n{\"b\": 2}\n", "---\na: 1\n---\n---\nOne two.\n\n---\n"} {
		if _, faults := Split([]byte(text)); len(faults) > 0 {
			t.Errorf("%q: %v", text, faults)
		}
	}
}

// TestConcealedKeys: a key that only looks like another one is an error.
func TestConcealedKeys(t *testing.T) {
	for text, want := range map[string]string{
		"---\na: 1\n\u200bdraft: true\n---\n":      `3:1: the key "\u200bdraft" has invisible characters or spaces around "draft"`,
		"---\ndra\u00adft: true\n---\n":            `2:1: the key "dra\u00adft" has invisible characters or spaces around "draft"`,
		"---\n\"draft \": true\n---\n":             `2:1: the key "draft " has invisible characters or spaces around "draft"`,
		"+++\n\"draft\u00a0\" = true\n+++\n":       `2:1: the key "draft\u00a0" has invisible characters or spaces around "draft"`,
		"{\"\\u200bdraft\": true}\n":               `1:2: the key "\u200bdraft" has invisible characters or spaces around "draft"`,
		"---\nنیم\u200cفاصله: 1\na: \u200b\n---\n": "",
	} {
		if _, faults := Split([]byte(text)); show(faults) != want {
			t.Errorf("%q: got %s", text, show(faults))
		}
	}
}

// FuzzLookalikes: with "draft: true" between two lines of marks, before any other text, there is an error or
// the front matter has draft.
func FuzzLookalikes(f *testing.F) {
	for _, seed := range [][4]string{{}, {" "}, {"\n\n"}, {"<!-- a\nb -->\n"}, {"\u200b\ufeff"}, {"\u00a0"}, {"", "yaml"}, {"", " JSON"}, {"", "toml"}, {"", "coffee"}, {"", "\u200b"}, {"", "", "\n"}, {"", "", "# a\n\n"}, {"", "", "\n\n", " "}, {"", "", "\n", "\u3000"}, {"", "", "\n", "\u200b"}, {"%% a %%\n<!-- b -->", " yaml", "\r", "\t"}} {
		for style := range uint8(12) {
			f.Add(seed[0], seed[1], seed[2], seed[3], style)
		}
	}
	f.Fuzz(func(t *testing.T, before, word, first, indent string, style uint8) {
		silent := func(part string, rows int) bool {
			n, _ := quiet([]byte(part+"x"), rows)
			return n == len(part)
		}
		spoken := strings.ContainsAny(word, "\r\n") || strings.Trim(strings.TrimSpace(word), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u200b") != ""
		if !silent(before, len(comments)-1) || !silent(first, len(comments)) || !silent(indent, len(comments)-1) || strings.ContainsAny(indent, "\r\n") || spoken || strings.Count(before+first, "\n") > 16 {
			return
		}
		end := [...]string{"\n", "\r\n", "\r"}[style%3]
		fence := [...]string{"---", "+++"}[style/3%2]
		key := [...]string{"draft: true", "draft = true", `"draft": true`, "{\"draft\": true}"}[style/3%4]
		text := before + fence + word + end + first + key + end + indent + fence + end + "secret" + end
		found, faults := Split([]byte(text))
		for _, f := range faults {
			if !f.Warning {
				return
			}
		}
		if !strings.Contains(string(found.FrontMatter.JSON), `"draft":`) {
			t.Errorf("%q is a text with %s", text, found.FrontMatter.JSON)
		}
	})
}

// TestLookalikeTime: texts of comments and rules are read in the time of their length.
func TestLookalikeTime(t *testing.T) {
	for _, part := range []string{"<!--\n", "%% {/* <!--", "# <!--\n", "---\n", "\u200b---\n", "---\n\n", "-\u200b", "<!---->"} {
		text := strings.Repeat(part, MaxFile/4/len(part))
		for _, text := range []string{text, "\n---\n" + text, "\n---\n# a\n" + text + "\n---\n"} {
			if f := lookalike([]byte(text), record.Place{Line: 1, Col: 1}); f != nil {
				t.Errorf("%q: %v", part, f)
			}
		}
	}
}
