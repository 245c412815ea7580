package markdownsite

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// mediaURL is the path of a file that an item has.
var mediaURL = regexp.MustCompile(`"MediaUrl":"\./imported-markdown/content/([^"]*)"`)

// TestBundles gives each page of Hugo the media of its bundle, after those that it names.
func TestBundles(t *testing.T) {
	const draft = "---\ndraft: true\n---\n"
	many := ""
	for i := range maxResources + 5 {
		many += fmt.Sprintf(" many/%04d.png", i)
	}
	for _, test := range []struct{ name, files, ignored, page, media string }{
		{"a bundle", "a/index.md a/b.png a/a.png a/deep/er/c.jpg a/doc.md a/notes.xyz ab/d.png", "", "a/index.md", "z.png a/a.png a/b.png a/deep/er/c.jpg"},
		{"names with signs", "a/index.md a/b%20c#d?.png", "", "a/index.md", "z.png a/b%2520c%23d%3F.png"},
		{"a section", "a/_index.md a/b.png a/c.md", "", "a/_index.md", "z.png"},
		{"a page next to files", "a/c.md a/b.png", "", "a/c.md", "z.png"},
		{"a bundle in a section", "a/_index.md a/b.png a/c/index.md a/c/d.png", "", "a/c/index.md", "z.png a/c/d.png"},
		{"the home page", "index.md b.png", "", "index.md", "z.png"},
		{"ignored files", "a/index.md a/b.png a/raw/c.png", `["/raw/"]`, "a/index.md", "z.png a/b.png"},
		{"empty files", "a/index.md a/empty.png a/b.png", "", "a/index.md", "z.png a/b.png"},
		{"too many files", "many/index.md" + many, "", "many/index.md", "z.png" + many[:(maxResources-1)*len(" many/0000.png")]},
	} {
		tree := "-- hugo.toml --\n"
		if test.ignored != "" {
			tree += "ignoreFiles = " + test.ignored + "\n"
		}
		tree += "-- content/z.png --\nz\n"
		for name := range strings.FieldsSeq(test.files) {
			tree += "-- content/" + name + " --\n"
			switch {
			case strings.HasSuffix(name, ".md"):
				tree += draft + "![z](/z.png)\n"
			case !strings.Contains(name, "empty"):
				tree += name + "\n"
			}
		}
		tree = strings.ReplaceAll(tree, "![z](/z.png)", "![z]("+strings.Repeat("../", strings.Count(test.page, "/"))+"z.png)")
		r := importTree(t, "hugo", tree, imports.Options{})
		if r.Err != nil {
			t.Errorf("%s: %v", test.name, r.Err)
			continue
		}
		var got []string
		for _, m := range mediaURL.FindAllStringSubmatch(r.Item(t, "site/content/"+test.page, "Data", "media"), -1) {
			got = append(got, m[1])
		}
		if joined := strings.Join(got, " "); joined != test.media {
			t.Errorf("%s: media %.300s, not %.300s", test.name, joined, test.media)
		}
	}
}
