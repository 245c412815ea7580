package markdownsite

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/source/record/recordtest"
)

// write writes files of a folder.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var day = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// run imports a folder as it is.
func run(t testing.TB, system, dir, content string, o imports.Options) (*imports.Report, error) {
	t.Helper()
	o.Path, o.Content, o.Env = dir, content, "site"
	return imports.Run(t.Context(), System(system), o)
}

// TestFaultsAreListed finds all faults in one run, with their places, and writes nothing.
func TestFaultsAreListed(t *testing.T) {
	dir, content := t.TempDir(), filepath.Join(t.TempDir(), "content")
	write(t, dir, map[string]string{
		"good.md": "# Good\n", "a.md": "---\ntitle: [\n---\n", "sub/b.md": "---\ndate: yesterday\n---\nx\n", "c.md": "a\xffb\n", "d.md": "\xff\xfea\x00",
		"e.md": "---\ntitle: x\nName: 5\n---\n", "f.md": strings.Repeat("x", 17<<20), "g.md": "---\ndraft: perhaps\n---\n", "h.md": " ---\ndraft: true\n---\nsecret\n",
	})
	_, err := run(t, tree, dir, content, imports.Options{Date: day})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"a.md:2:", "sub/b.md:2:7: date", "c.md:1:2: the byte 0xff", "d.md:1:1: the file is UTF-16", "e.md:1:1: Name must be a text", "f.md: this file has more than", "g.md:2:8: draft must be", "h.md:1:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %s", want, err)
		}
	}
	if n := strings.Count(err.Error(), "d.md:"); n != 1 {
		t.Errorf("a fault is listed %d times", n)
	}
	if _, err := os.Stat(content); err == nil {
		t.Error("something was written")
	}
}

// TestLinksOfFiles leads no link out of the site, and no circle to an end that is never reached.
func TestLinksOfFiles(t *testing.T) {
	outside, dir, content := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "content")
	write(t, outside, map[string]string{"secret.md": "# Secret\n", "secret.png": "secret"})
	write(t, dir, map[string]string{"a.md": "# A\n![x](out.png) ![y](../../../../../../etc/passwd.png) ![z](ok.png) [s](" + outside + "/secret.md)\n", "real/x.png": "x"})
	for name, to := range map[string]string{
		"out.md": filepath.Join(outside, "secret.md"), "out.png": filepath.Join(outside, "secret.png"), "loop": ".", "self.md": "self.md", "up": "..", "gone.png": "nowhere.png", "ok.png": "real/x.png",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe.md")).Run(); err != nil {
		t.Log("no pipe:", err)
	}
	report, err := run(t, tree, dir, content, imports.Options{Date: day})
	if err != nil || report.Items != 1 {
		t.Fatal(err, report)
	}
	text, err := os.ReadFile(filepath.Join(content, "site", "imported-markdown.ndjson"))
	if err != nil || bytes.Contains(text, []byte("ecret\"")) || !bytes.Contains(text, []byte("/ok.png")) {
		t.Errorf("%v %s", err, text)
	}
	all, _ := filepath.Glob(filepath.Join(content, "site", "imported-markdown", "*"))
	if len(all) != 1 || filepath.Base(all[0]) != "ok.png" {
		t.Errorf("files %v", all)
	}
}

// TestFilesFollowTheSite copies files once, replaces those that changed, and removes those that no page names any more.
func TestFilesFollowTheSite(t *testing.T) {
	dir, content := t.TempDir(), filepath.Join(t.TempDir(), "content")
	folder := filepath.Join(content, "site", "imported-markdown")
	write(t, dir, map[string]string{"a.md": "![x](_img/x.png) ![y](y.png) ![z](img/x.png)", "_img/x.png": "1", "img/x.png": "2", "y.png": "y"})
	names := func() string {
		var all []string
		_ = filepath.WalkDir(folder, func(at string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				text, _ := os.ReadFile(at)
				name, _ := filepath.Rel(folder, at)
				all = append(all, name+"="+string(text))
			}
			return nil
		})
		return strings.Join(all, " ")
	}
	again := func(want string) {
		t.Helper()
		if _, err := run(t, tree, dir, content, imports.Options{Date: day}); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != want {
			t.Errorf("files %q, want %q", got, want)
		}
	}
	again("img/x-d4735e3a.png=2 img/x.png=1 y.png=y")
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(folder, "y.png"), old, old); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"a.md": "![z](img/x.png) ![y](y.png)", "img/x.png": "3"})
	again("img/x.png=3 y.png=y")
	if info, err := os.Stat(filepath.Join(folder, "y.png")); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("an unchanged file was written: %v", err)
	}
	write(t, dir, map[string]string{"b.md": "---\ntitle: [\n---\n", "a.md": "no picture"})
	if _, err := run(t, tree, dir, content, imports.Options{Date: day}); err == nil {
		t.Error("no error")
	}
	if got := names(); got != "img/x.png=3 y.png=y" {
		t.Errorf("after an error: %q", got)
	}
	write(t, dir, map[string]string{"b.md": "b"})
	again("")
	if _, err := os.Stat(folder); err == nil {
		t.Error("the empty folder is still there")
	}
}

// TestDatesOfGit takes dates from the history of the site, and says why there are none.
func TestDatesOfGit(t *testing.T) {
	dir, content := filepath.Join(t.TempDir(), "site"), filepath.Join(t.TempDir(), "content")
	write(t, dir, map[string]string{"content/a.md": "# A\n", "content/b.md": "---\ndate: 2024-01-01\n---\n", "hugo.toml": ""})
	git := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2023-02-03T04:05:06Z", "GIT_COMMITTER_DATE=2023-02-03T04:05:06Z", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	fails := func(at string, want ...string) {
		t.Helper()
		_, err := run(t, "hugo", at, content, imports.Options{})
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("the error lacks %q: %v", text, err)
			}
		}
	}
	fails(dir, "items without a date: 1 (first "+filepath.Join(dir, "content", "a.md")+")", "is not in a git repository", "--date 2024-01-31")
	git(dir, "init", "-q")
	git(dir, "add", ".")
	git(dir, "commit", "-qm", "one")
	git(dir, "commit", "-q", "--allow-empty", "-m", "two")
	if _, err := run(t, "hugo", dir, content, imports.Options{}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(content, "site", "imported-markdown.ndjson"))
	if !bytes.Contains(text, []byte(`"Name":"A","TemplateName":"page","Status":"Published","CreatedAt":"2023-02-03T04:05:06Z"`)) {
		t.Errorf("%s", text)
	}
	write(t, dir, map[string]string{"content/new.md": "# New\n"})
	fails(dir, "items without a date: 1", "git does not have them")
	shallow := filepath.Join(t.TempDir(), "shallow")
	git(filepath.Dir(shallow), "clone", "-q", "--depth", "1", "file://"+dir, shallow)
	fails(shallow, "the git repository is shallow", "git fetch --unshallow")
}

// TestWrongFolders says which command reads a folder, and refuses the site's own content as a place for items.
func TestWrongFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"hugo.toml": "a = 1", "content/a.md": "# A\n"})
	for _, test := range []struct{ system, dir, content, want string }{
		{"jekyll", dir, t.TempDir(), "this looks like a site of Hugo, not of Jekyll\n  hint: run generator import markdown hugo " + dir + " --env site"},
		{"hugo", dir, filepath.Join(dir, "content"), "is a folder of the site itself"},
		{"hugo", filepath.Join(dir, "hugo.toml"), t.TempDir(), "this folder cannot be opened"},
	} {
		_, err := run(t, test.system, test.dir, test.content, imports.Options{Date: day})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %s: %v, want %s", test.system, test.dir, err, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "content", "site")); err == nil {
		t.Error("something was written into the site")
	}
}

// TestHostileSites bounds the work for texts and settings that nobody writes.
func TestHostileSites(t *testing.T) {
	many := func(text string) string { return strings.Repeat(text, 500_000/len(text)) }
	for name, files := range map[string]map[string]string{
		"wikilinks":   {"a.md": many("[[a|b]] "), "b.md": many("[["), "c.md": many("%%"), ".obsidian/x.json": "{}"},
		"containers":  {"docs/a.md": many(":::note\n"), "docs/b.md": many(":::\n"), "docs/c.md": many("::: x {"), "docusaurus.config.js": many("defaultLocale: '")},
		"admonitions": {"docs/a.md": many("!!! note\n    "), "docs/b.md": many("=== \"x\"\n"), "mkdocs.yml": "exclude_docs: \"" + many("**/") + "\""},
		"cascade":     {"content/a/b/c/d/e.md": "x", "content/_index.md": "---\ncascade: " + strings.Repeat("[", 400) + strings.Repeat("]", 400) + "\n---\n", "hugo.toml": "ignoreFiles = ['(((', '" + strings.Repeat("a?", 200) + "']"},
		"permalinks":  {"_posts/2024-01-01-x.md": "---\n---\n", "_config.yml": "permalink: " + strings.Repeat(":categories/", 3000)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, files)
			system, _ := Recognise(dir)
			longest, begin := 10*time.Second, recordtest.ProcessorTime(t)
			if testing.Short() { // under the race detector
				longest = time.Minute
			}
			_, err := run(t, system, dir, t.TempDir(), imports.Options{Date: day})
			took := recordtest.ProcessorTime(t) - begin
			if took > longest {
				t.Errorf("%v: %v", took, err)
			}
			if err != nil && len(err.Error()) > 20_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			t.Log(system, took, err)
		})
	}
}
