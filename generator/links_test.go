// These tests build Markdown whose links lead to items that appear, expire and move.

package generator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/uuid"
	"contentedge/generator/visibility"
)

// writeLinks writes a text with links to others, or takes it away.
func (l *timeline) writeLinks() {
	l.t.Helper()
	name := "a/" + l.pick("p.md", "q.md", "q.ja.md", "x/index.md", "x/index.ja.md", "x/p.md", "y/p.md", "y/index.md")
	path := filepath.Join(l.dir, name)
	if l.rnd.IntN(6) == 0 {
		delete(l.content, name)
		_ = os.Remove(path) // it may be gone already
		return
	}
	text := "---\ntitle: T\n" + l.pick("date: 2025-01-02\n", "date: 2025-01-02\n", "date: "+day(l.rnd.IntN(days)).Format(time.DateOnly)+"\n")
	text += l.pick("", "", "draft: true\n", "expires: "+day(l.rnd.IntN(days)).Format(time.DateOnly)+"\n", "path: other/"+l.pick("1", "2", "3")+"\n", "slug: s\n", "language: fr\n") + "---\n"
	for range 3 {
		text += "[t](" + l.pick("/p.md", "/q.md#x", "/x/index.md", "../x/", "../p", "q", "./", "p.md", "gone.md", "../y/p.md", "../y/") + ") "
	}
	l.content[name] = name + ": " + text
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// TestLinksFollowTime edits texts that link to each other, and looks at them at random times. Incremental builds and a
// session equal fresh builds at the same time.
func TestLinksFollowTime(t *testing.T) {
	edits := fewer(150)
	l := newTimeline(t)
	for name := range l.content {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	clear(l.content)
	put := func(text string) {
		if err := os.WriteFile(filepath.Join(l.dir, "a/_environment.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("links: /{language}/{path}/")
	b, _ := l.newBuilders()
	c := b.c
	c.Out = filepath.Join(t.TempDir(), "session")
	s, err := NewSession(c)
	if err != nil {
		t.Fatal(err)
	}
	changes, wrong := 0, 0
	for range edits {
		edited := l.rnd.IntN(3) > 0
		if edited {
			l.writeLinks()
		}
		if l.rnd.IntN(20) == 0 {
			put(l.pick("links: /{language}/{path}/", "links: /{slug}/{id}", "languages: [en, ja]\nlinks: /{language}/{path}/", "languages: [en]", ""))
		}
		b.c.At = day(l.rnd.IntN(days))
		if _, err := Build(t.Context(), b.c); err != nil { // two texts have one path
			wrong++
			if _, again := s.Build(t.Context(), View{At: b.c.At}); fmt.Sprint(again) != fmt.Sprint(err) {
				t.Fatalf("a session says %v, a build %v", again, err)
			}
			continue
		}
		if l.follow(b, b.c.At) && !edited {
			changes++
		}
		l.check(b)
		if r, err := s.Build(t.Context(), View{At: b.c.At}); err != nil || r.Build != b.before {
			t.Fatalf("at %s a session makes %v (%v), a build %s of\n%v", b.c.At, r, err, b.before, l.content)
		}
	}
	if t.Logf("%d changes of visibility without an edit, %d wrong contents", changes, wrong); changes < edits/30 || wrong > edits/2 {
		t.Errorf("%d changes, %d wrong contents", changes, wrong)
	}
}

// TestLinkedPageAppears: the HTML of a text changes at the moment at which the page that it links to is published, also if
// no file changed, and the environment is not read as long as nothing changes.
func TestLinkedPageAppears(t *testing.T) {
	s := &tenants{t: t, c: BuildConfig{Content: t.TempDir(), Out: filepath.Join(t.TempDir(), "public"), NoSync: true}}
	s.c.Progress = func(p Progress) { s.read = p.Read }
	for name, text := range map[string]string{
		"_environment.yaml": "links: /{path}/", "a.md": "---\ndate: 2025-01-02\n---\n[next](b/c.md#d)", "b/c.md": "---\ndate: 2025-01-02\npublishDate: 2026-01-10\nexpires: 2026-01-20\n---\n",
	} {
		path := filepath.Join(s.c.Content, "e", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	for _, tt := range []struct {
		day      int
		html     string
		warnings int
		read     int
	}{
		{8, `<p>next</p>`, 1, 2}, {9, `<p><a href=\"/b/c/#d\" data-content-id=\"`, 0, 2}, {10, `<p><a href=\"/b/c/#d\" data-content-id=\"`, 0, 0}, {18, `<p><a href=`, 0, 0}, {19, `<p>next</p>`, 1, 2}, {3, `<p>next</p>`, 1, 2},
	} {
		s.c.At = day(tt.day)
		r := s.build(fmt.Sprint("day ", tt.day))
		text, err := os.ReadFile(filepath.Join(currentDir(t, s.c.Out), address.ItemFile("e", uuid.Content("e/a"))))
		if err != nil || !strings.Contains(string(text), tt.html) || len(r.Warnings) != tt.warnings || s.read != tt.read {
			t.Errorf("day %d: %d items were read, warnings %v, %s", tt.day, s.read, r.Warnings, text)
		}
	}
	s.c.At, s.c.BrokenRefs = day(3), "error"
	if _, err := Build(t.Context(), s.c); err == nil || !strings.Contains(err.Error(), `a.md:4:8: the text links to "b/c.md#d", which is left out until 2026-01-10`) {
		t.Error(err)
	}
	s.c.Visible = visibility.Rules{Scheduled: true}
	if r := build(t, s.c); len(r.Warnings) > 0 {
		t.Error(r.Warnings)
	}
}
