package markdownsite

import (
	"fmt"
	"strings"
	"testing"
)

// TestPlainObjects finds plain values, and nothing in what is none.
func TestPlainObjects(t *testing.T) {
	for program, want := range map[string]string{
		"x = {locales: {root: {lang: 'en'}, fr: {label: 'Fr, {x}', lang: \"fr\"}}}": `[[{root {lang: 'en'}} {fr {label: 'Fr, {x}', lang: "fr"}}]]`,
		"locales: {\n  'zh-cn': { a: [1, 2, {b: 3}] },\n}":                          `[[{zh-cn { a: [1, 2, {b: 3}] }}]]`,
		"locales: {}, locales: { `de`: f({a}, \"\\\"}\") }":                         "[[] [{de f({a}, \"\\\"}\")}]]",
		"locales: {a: 1":                      `[[{a 1}]]`,
		"locales: ['en']":                     `[]`,
		"locales: {...others, fr}":            `[[]]`,
		"localeslocales: {a: 1}":              `[]`,
		"locales: {" + strings.Repeat("{", 9): `[[]]`,
	} {
		if got := fmt.Sprint((&settings{program: program}).plainObjects("locales")); got != want {
			t.Errorf("%q: %s instead of %s", program, got, want)
		}
	}
}

// TestHexoFrontMatter writes each spelling as all readers know it, and leaves other texts as they are.
func TestHexoFrontMatter(t *testing.T) {
	for text, want := range map[string]string{
		"title: A\ndraft: true\n---\nb\n":         "1 ---\ntitle: A\ndraft: true\n---\nb\n",
		"title: A\r\n-----\r\nb":                  "1 ---\ntitle: A\r\n---\nb",
		"\"title\": \"A\",\n;;;\nb":               "1 ---json\n{\"title\": \"A\"}\n---\nb",
		";;;\n\"title\": \"A\"\n;;;\nb\n---\n":    "0 ---json\n{\"title\": \"A\"}\n---\nb\n---\n",
		"---\ntitle: A\n---\nb":                   "0 ---\ntitle: A\n---\nb",
		"A text: with a colon\n\n---\nb":          "0 A text: with a colon\n\n---\nb",
		"# A\n\n---\n":                            "0 # A\n\n---\n",
		"title: A\n":                              "0 title: A\n",
		";;;\n":                                   "0 ;;;\n",
		"https://example.com\n---\n":              "0 https://example.com\n---\n",
		"":                                        "0 ",
		"a:\n" + strings.Repeat("-", 40) + "\nb:": "1 ---\na:\n---\nb:",
	} {
		out, added := hexoFrontMatter([]byte(text))
		if got := fmt.Sprintf("%d %s", added, out); got != want {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
}
