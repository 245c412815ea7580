package generator

import (
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/visibility"
)

// Settings, searches and media that change while no item does are in the next release of a session, as in a build that
// knows no build before.
func TestSessionSettings(t *testing.T) {
	f := newFolder(t, 7)
	f.mend()
	f.put("c/one.json", withPicture("one", "Published", "./one.png"))
	f.put("c/two.json", `{"ContentID":"two","Name":"two","TemplateName":"Page","CreatedAt":"2024-01-02T00:00:00Z","Data":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["one"]},"text":"some words","more":"others"}}`)
	f.put("c/one.png", picture(t, 3))
	s, err := NewSession(BuildConfig{Visible: visibility.Everything(), Content: f.dir, Out: filepath.Join(t.TempDir(), "public"), Lists: "-,template", Compress: "gzip", NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ name, file, text string }{
		{"the beginning", "c/_environment.yaml", ""},
		{"nothing", "c/_environment.yaml", ""},
		{"a path left out", "c/_environment.yaml", "search:\n  exclude: [Data.text]\n"},
		{"another path left out", "c/_environment.yaml", "search:\n  exclude: [Data.more]\n"},
		{"included references", "c/_environment.yaml", "include:\n  Page: {paths: [Data.to], levels: 1}\n"},
		{"more levels", "c/_environment.yaml", "include:\n  Page: {paths: [Data.to], levels: 2}\n"},
		{"used in", "c/_environment.yaml", "used-in: true\n"},
		{"no settings", "c/_environment.yaml", ""},
		{"a search", "c/_searches/words.json", `{"query":{"match":{"Data.text":"words"}}}`},
		{"another search", "c/_searches/words.json", `{"query":{"match":{"Data.text":"nothing"}}}`},
		{"other bytes of a picture", "c/one.png", picture(t, 5)},
		{"an item of another environment", "a/new.json", f.item()},
	} {
		f.put(step.file, step.text)
		if !f.check(s, View{}) {
			t.Errorf("%s: no build", step.name)
		}
	}
}

// What settings ignore, foreign JSON that becomes items and back, and files whose names begin with "_" are followed by a
// session as by a build that knows no build before.
func TestSessionForeign(t *testing.T) {
	const item = `{"ContentID":"one","Name":"one","TemplateName":"Page","CreatedAt":"2024-01-02T00:00:00Z","Data":{}}`
	f := newFolder(t, 11)
	f.mend()
	f.put("c/a.md", "---\ndate: 2024-01-02\n---\n![x](x.png) ![y](img/y.png)\n")
	f.put("c/img/y.png", picture(t, 3))
	f.put("c/x.png", picture(t, 4))
	s, err := NewSession(BuildConfig{Visible: visibility.Everything(), Content: f.dir, Out: filepath.Join(t.TempDir(), "public"), Lists: "-,template", Compress: "gzip", NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name, file, text string
		items            int // of the environment
	}{
		{"foreign JSON", "c/blog.json", `{"layout":"post"}`, 1},
		{"nothing", "c/blog.json", `{"layout":"post"}`, 1},
		{"items keep Markdown from being read", "c/blog.json", item, 1},
		{"and with a rule they do not", "c/_environment.yaml", "sources: [{files: '**/*.md'}]", 2},
		{"foreign JSON in their place", "c/blog.json", `{"a":1,"a":2}`, 1},
		{"a page whose name begins with _", "c/_posts/b.md", "---\ndate: 2024-01-02\n---\n", 1},
		{"a rule that names it", "c/_environment.yaml", "sources: [{files: '**/*.md'}, {files: _posts/**}]", 2},
		{"ignored items", "c/_environment.yaml", "ignore: [_posts]\nsources: [{files: '**/*.md'}, {files: _posts/**}]", 1},
		{"an ignored picture", "c/_environment.yaml", "ignore: [img]", 1},
		{"another", "c/_environment.yaml", "ignore: ['/*.png']", 1},
		{"ignored JSON with items", "c/blog.json", item, 1},
		{"and Markdown", "c/_environment.yaml", "ignore: [blog.json, nothing]", 1},
		{"no settings", "c/_environment.yaml", "", 1},
		{"foreign JSON again", "c/blog.json", "{}", 1},
	} {
		f.put(step.file, step.text)
		if !f.check(s, View{}) {
			t.Errorf("%s: no build", step.name)
		}
		files, _ := releaseOf(t, s.c.Out)
		n := 0
		for name := range files {
			if strings.Contains(name, "/c/contents/") && strings.HasSuffix(name, ".json") {
				n++
			}
		}
		if n != step.items {
			t.Errorf("%s: %d items, want %d", step.name, n, step.items)
		}
	}
}
