// These tests build releases of Markdown and YAML files, in sessions and by themselves.

package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/visibility"
)

// repository is a folder of Markdown files in a git repository.
type repository struct {
	*folder
	commits int
}

func newRepository(t *testing.T, seed uint64) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed here")
	}
	s := &repository{folder: newFolder(t, seed)}
	for _, name := range s.files() {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.git("init", "--quiet", "--initial-branch=main")
	s.git("config", "maintenance.auto", "false")
	return s
}

func (s *repository) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), fmt.Sprintf("GIT_AUTHOR_DATE=@%d +0000", 1700000000+s.commits*1000), "GIT_COMMITTER_DATE=@1700000000 +0000")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v: %s", args, err, out)
	}
}

func (s *repository) commit() {
	s.commits++
	s.git("add", "--all")
	s.git("commit", "--quiet", "--allow-empty", "--message=change")
}

// settings are texts of _environment.yaml, most of which fit to the files.
var settings = []string{
	"",
	"sources:\n- files: posts/**\n  references: {author: people}\n- files: '**/*.md'\n- {files: rooms.yaml, id: {from: code}, template: Room}\n",
	"timezone: Europe/Berlin\nsources:\n- files: posts/**\n  template: Article\n  id: {from: slug}\n  references: {author: people}\n  status: {from: draft, 'true': Draft, else: Published}\n- files: '**'\n  dates: [name, front matter, git]\n  id: {from: code}\n",
	"people: {created: Web}\nsources: [{files: '**/*.md', body: {html: false}, references: {author: people}}]\nsearch: {exclude: [Data.body]}\n",
	"sources: [{files: 'posts/*.md', dates: [git]}]",
	"sorces: []",
}

// step changes the site at random.
func (s *repository) step() {
	post := fmt.Sprintf("site/posts/%s", s.pick("a.md", "b.md", "c.md", "2024-01-02-d.md", "c/index.md"))
	person := fmt.Sprintf("site/people/%s.md", s.pick("jane", "bob", "eve"))
	image := fmt.Sprintf("site/%sx.png", s.pick("", "posts/", "posts/a/", "static/", "public/posts/"))
	switch s.rnd.IntN(12) {
	case 0, 1:
		s.put(post, fmt.Sprintf("---\ntitle: %s\nauthor: %s\n%s---\n# Text\n\n%s ![i](%s)\n", s.pick("One", "Two"), s.pick("jane", "bob", "j", "nobody", "[jane, bob]"), s.pick("date: 2024-03-31 02:30:00\n", "", "", "draft: true\n"), s.words(5), s.pick("../x.png", "x.png", "/x.png")))
	case 2, 3:
		s.put(person, fmt.Sprintf("---\nname: Person\nslug: %s\n---\n", s.pick("jane", "j", "bob", "x")))
	case 4:
		os.Remove(filepath.Join(s.dir, s.pick(post, person, image)))
	case 5:
		s.put("site/rooms.yaml", s.pick("- {code: A, date: 2024-01-01}\n- {code: B, date: 2024-01-01}\n", "code: C\ndate: 2024-01-01\n", "- {code: A}\n- 1\n"))
	case 6, 7:
		s.put("site/_environment.yaml", s.pick(settings...))
	case 8:
		s.put(image, s.words(2))
	case 9:
		s.put("site/y.json", s.pick("[]", s.item()))
	case 10:
		os.Remove(filepath.Join(s.dir, "site/y.json"))
	default:
		s.commit()
	}
}

// mend takes back what a build refuses.
func (s *repository) mend() {
	s.put("site/_environment.yaml", settings[1])
	s.put("site/rooms.yaml", "- {code: A, date: 2024-01-01}\n- {code: B, date: 2024-01-01}\n")
	for _, name := range []string{"jane", "bob", "eve"} {
		s.put("site/people/"+name+".md", "---\nslug: "+name+"\n---\n")
	}
	for _, name := range []string{"site/y.json", "site/posts/c.md"} {
		os.Remove(filepath.Join(s.dir, name))
	}
	s.commit()
}

// TestRecordsSession: after any edit of content, settings, media and history, a session builds the same
// release as a build of its own, or fails with the same diagnostics.
func TestRecordsSession(t *testing.T) {
	seeds, steps := sessionSteps(t)
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel() // most of the time git runs
			f := newRepository(t, seed)
			f.put("site/index.md", "# Home\n")
			f.put("site/posts/a.md", "---\nauthor: jane\n---\n")
			f.put("site/people/jane.md", "---\nslug: jane\n---\n")
			f.commit()
			s, err := NewSession(BuildConfig{Visible: visibility.Everything(), Content: f.dir, Out: filepath.Join(t.TempDir(), "public"), SnapshotOnly: true, NoSync: true, Removal: Removal{Allow: true}, DateFromFile: seed%2 == 1})
			if err != nil {
				t.Fatal(err)
			}
			good := 0
			for range 3 * steps {
				if f.check(s, View{}) {
					good++
				} else if f.rnd.IntN(3) == 0 {
					f.mend()
				}
				f.step()
			}
			if good < steps/2 {
				t.Errorf("only %d of %d builds were good", good, 3*steps)
			}
		})
	}
}

// TestRecordsReadAgain: a session reads a file again only if the file, its rule, its date in git, or what it
// refers to has changed.
func TestRecordsReadAgain(t *testing.T) {
	f := newRepository(t, 1)
	const rules = "sources:\n- {files: posts/**, references: {author: people}}\n- files: people/**\n"
	text := strings.Repeat("Text of some length. ", 50)
	for i := range 30 {
		f.put(fmt.Sprintf("site/posts/%d.md", i), fmt.Sprintf("---\nauthor: %s\n---\n%s", []string{"jane", "bob"}[min(i, 1)], text))
	}
	f.put("site/people/jane.md", "---\nslug: jane\n---\n")
	f.put("site/people/bob.md", "")
	f.put("site/_environment.yaml", rules)
	f.commit()
	s := session(t, f.dir)
	build := func() int64 {
		t.Helper()
		before := int64(0)
		if s.cache != nil {
			before = s.read()
		}
		if _, err := s.Build(context.Background(), View{}); err != nil {
			t.Fatal(err)
		}
		return s.read() - before
	}
	all := build()
	settle := func() {
		for build() > 0 { // until no file is young
		}
	}
	settle()
	one := all / 30
	for _, step := range []struct {
		name        string
		change      func()
		least, most int64
	}{
		{"nothing", func() {}, 0, 0},
		{"a commit that has none of the files", f.commit, 0, 0},
		{"settings of searches", func() { f.put("site/_environment.yaml", rules+"search: {exclude: [Data.x]}\n") }, 0, 0},
		{"the rule of people", func() {
			f.put("site/_environment.yaml", strings.Replace(rules, "people/**", "people/**\n  template: Person", 1))
		}, 1, one * 2},
		{"a file, then its commit", func() { f.put("site/posts/7.md", "---\nauthor: bob\n---\nother "+text); settle(); f.commit() }, one / 2, one * 2},
		{"the slug of one author", func() { f.put("site/people/jane.md", "---\nslug: other\n---\n") }, one, one * 4},
		{"a file", func() { f.put("site/posts/9.md", "---\nauthor: bob\n---\n"+text+text) }, one, one * 4},
	} {
		step.change()
		if got := build(); got < step.least || got > step.most {
			t.Errorf("%s: %d bytes were read of %d, want %d to %d", step.name, got, all, step.least, step.most)
		}
		settle()
	}
}

// TestRecordsErrors: what a person with Markdown files reads first, when something is missing or wrong.
func TestRecordsErrors(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir()) // whatever repository the tests run in
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no date anywhere", map[string]string{"site/a.md": "Hi", "site/b.md": ""},
			"no date: 2 files have none, and the content is not in a git repository (first: site/a.md:1:1)\n  hint: commit the files to one; or give each file a date, for example date: 2025-01-31 in its front matter; or let a rule of _environment.yaml take the time of the file: dates: [front matter, name, file], or a date of another member or column: dates: [{created: MEMBER}]; or, if the files are a copy of a site, read the site where it is, with the dates of its git: generator import markdown SYSTEM DIR --env ENV"},
		{"a field of the front matter", map[string]string{"site/a.md": "---\ntitle: A\ndate: 2024-01-02\nStatus: 1\n---\n"},
			"site/a.md:4:9: Status must be a string, not a number"},
		{"two files with one path", map[string]string{"site/a.md": "---\ndate: 2024-01-02\n---\n", "site/a/index.md": "---\ndate: 2024-01-02\n---\n"},
			"site/a/index.md:1:1: the ContentID \"Content_7471ebb7-0504-56b1-9bb5-92c5bc60edf6\" is taken\n  hint: the other one is in site/a.md:1:1; give one item another id"},
		{"front matter that is wrong", map[string]string{"site/a.md": "---\ntitle: A\ndate: 2024-13-02\n---\n"},
			"site/a.md:3:7: date \"2024-13-02\" is not a date: month 13 does not exist\n  hint: write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z"},
		{"YAML without a rule", map[string]string{"site/a.yaml": "a: 1"},
			"site: the environment has no items, but 1 file of a kind no source reads: 1 .yaml\n  hint: to read the .yaml files too, write this into site/_environment.yaml:\n    sources:\n      - files: \"**/*.yaml\""},
		{"a site of Jekyll", map[string]string{"site/_posts/2024-01-02-a.md": "Hi"},
			"site: the environment has no items, but Markdown whose file or folder has a name that begins with \"_\" is passed over: site/_posts/\n  hint: to read it, name it in a rule of _environment.yaml, for example files: \"_posts/**\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Build(context.Background(), BuildConfig{Content: dir, Out: filepath.Join(t.TempDir(), "public"), NoSync: true})
			if got := strings.ReplaceAll(fmt.Sprint(err), dir+"/", ""); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			r, err := Build(context.Background(), BuildConfig{Content: dir, Out: filepath.Join(t.TempDir(), "public"), NoSync: true, DateFromFile: true})
			if tt.name == "no date anywhere" && (err != nil || len(r.Warnings) != 1) {
				t.Errorf("a preview says %v, %v", r, err)
			}
		})
	}
}

// TestIncludes: references that settings include are checked, template by template.
func TestIncludes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"site/_environment.yaml": "sources: [{template: {from: t}, references: {author: p, list.by: p}}]\ninclude: {A: [Data.author, Data.list.by, Data.title], B: [Data.author], C: [Data.author], P: 2, D: 1, E: [Data.a.b, \"Data.c[0]\"]}\n",
		"site/a.md":              "---\n{t: A, date: 2024-01-02, author: x, title: T}\n---\n",
		"site/b.md":              "---\n{t: A, date: 2024-01-02, list: [{by: x}]}\n---\n",
		"site/c.md":              "---\n{t: B, date: 2024-01-02}\n---\n",
		"site/p/x.md":            "---\n{t: P, date: 2024-01-02}\n---\n",
		"site/e.json": `{"ContentID":"Content_00000000-0000-5000-8000-000000000001","Name":"E","TemplateName":"E","CreatedAt":"2024-01-02T00:00:00Z","Data":{"a.b":[{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_00000000-0000-5000-8000-000000000001"]}],` +
			`"c[0]":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_00000000-0000-5000-8000-000000000001"]}}}`,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := BuildConfig{Content: dir, Out: filepath.Join(t.TempDir(), "public"), NoSync: true, SnapshotOnly: true, Strict: true}
	want := `site/_environment.yaml:2:42: warning: include: no item of the template "A" refers to an item at Data.title
site/_environment.yaml:2:59: warning: include: no item of the template "B" refers to an item at Data.author
site/_environment.yaml:2:73: warning: include: no item has the template "C"
site/_environment.yaml:2:97: warning: include: no item has the template "D"`
	s, err := NewSession(c)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := s.Build(context.Background(), View{})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, d := range r.Warnings {
			line, _, _ := strings.Cut(d.String(), "\n")
			lines = append(lines, strings.ReplaceAll(line, dir+"/", ""))
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestRecordsPlaces: warnings that need all files name lines and columns of Markdown, YAML, TOML and CSV.
func TestRecordsPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"site/_environment.yaml": "sources:\n- {files: 'x.*', id: {from: k}, types: {n: number}, dates: [{created: d}], references: {by: people}}\n- files: '**'\n  references: {by: people}\n",
		"site/a.md":              "---\ntitle: A\ndate: 2024-01-02\nn: 'text'\nby: [nobody]\n---\nText\n",
		"site/b.yaml":            "date: 2024-01-02\nby:\n  - nowhere\nn: 2\n",
		"site/c.toml":            "date = 2024-01-02\nn = 3\nby = \"none\"\n",
		"site/x.csv":             "k,d,n,by\n1,2024-01-02,4,\n2,2024-01-02,5,never\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Build(context.Background(), BuildConfig{Content: dir, Out: filepath.Join(t.TempDir(), "public"), NoSync: true, SnapshotOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range r.Warnings {
		line, _, _ := strings.Cut(d.String(), "\n")
		lines = append(lines, strings.ReplaceAll(line, dir+"/", ""))
	}
	want := `site/a.md:5:6: warning: Data.by refers to "nobody", which is not an item of this environment
site/b.yaml:3:5: warning: Data.by refers to "nowhere", which is not an item of this environment
site/c.toml:3:6: warning: Data.by refers to "none", which is not an item of this environment
site/x.csv:3:16: warning: Data.by refers to "never", which is not an item of this environment
warning: Data.n: 4 numbers, 1 string (first: site/a.md:4:4)`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
