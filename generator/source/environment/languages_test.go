package environment

import (
	"slices"
	"strings"
	"testing"
)

func TestIsLanguage(t *testing.T) {
	for code, want := range map[string][2]bool{ // known, well-formed
		"en": {true, true}, "ja": {true, true}, "pt-br": {true, true}, "pt_BR": {true, true}, "zh-Hans": {true, true}, "zh-hans-cn": {true, true}, "es-419": {true, true},
		"EN": {false, true}, "xx": {false, true}, "fil": {false, true}, "min": {false, true}, "d": {false, false}, "": {false, false}, " ": {false, false}, "a ": {false, false}, " a": {false, false},
		"en-": {false, false}, "en--US": {false, false}, "en/US": {false, false}, "en.US": {false, false}, "12": {false, false}, "日本": {false, false}, "en\n": {false, false},
		strings.Repeat("en-", 1<<16): {false, false},
	} {
		if got := [2]bool{IsKnownLanguage(code), IsLanguage(code)}; got != want {
			t.Errorf("%.40q: got %v", code, got)
		}
	}
}

func TestFindLanguages(t *testing.T) {
	isFolder := func(name string) bool { return name == "index" || name == "_index" }
	for name, tt := range map[string]struct{ files, want string }{
		"translations":                  {"a.md a.ja.md a.pt-br.md", "ja pt-br"},
		"another extension":             {"a.mdx a.ja.md", "ja"},
		"pages of folders":              {"x/index.ja.md x/_index.fr.md", "fr ja"},
		"no file without a language":    {"a.ja.md b.md", ""},
		"a file in another folder":      {"a.md x/a.ja.md", ""},
		"words that are not languages":  {"a.md a.min.md a.draft.md a.xx.md a.1.md", ""},
		"one of several dots":           {"a.b.md a.b.ja.md", "ja"},
		"a language before another one": {"a.md a.ja.md a.ja.en.md", "en ja"},
		"names that are only a code":    {".ja.md md.md ja.md", ""},
	} {
		if got := strings.Join(FindLanguages(strings.Fields(tt.files), isFolder), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestCutLanguage(t *testing.T) {
	among := []string{"ja", "pt-br"}
	for file, want := range map[string][2]string{
		"a.ja.md": {"a", "ja"}, "x.ja/a.md": {"x.ja/a", ""}, "a.pt-br.md": {"a", "pt-br"}, "a.fr.md": {"a.fr", ""}, "a.ja.ja.md": {"a.ja", "ja"},
		"a.md": {"a", ""}, "x/.ja.md": {"x/.ja", ""}, "a..ja.md": {"a.", "ja"}, "ja.md": {"ja", ""}, "a.JA.md": {"a.JA", ""},
	} {
		if stem, language := CutLanguage(file, among); [2]string{stem, language} != want {
			t.Errorf("%s: got %q %q", file, stem, language)
		}
	}
	if n := len(strings.Fields(iso639)); n != 183 || !slices.IsSorted(strings.Fields(iso639)) {
		t.Errorf("%d codes", n)
	}
}
