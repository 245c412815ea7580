package generator

import (
	"path/filepath"
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
