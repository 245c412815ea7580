// This file parses the repository's Markdown pages, so that tests can compare them with
// the programs. Some kinds of code blocks are examples:
//
//	sh       a command per line, or curl with a request; a following json block is the response
//	bash     commands for one shell, of generator/PUBLISH.md, SIGNING.md and WATCH.md beside it, of packagePage and differencesPage
//	console  commands after "$ ", with their output
//	conf     with file=PATH a file of settings, which a command of the page uses
//	json     with file=PATH the content of a file, otherwise a response or any JSON
//
// A page's commands run in their own directory with the page's files, or with the
// sample content if the page has none.

package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

type page struct {
	name   string // below the repository's root, with slashes
	text   string
	prose  string // without code blocks
	blocks []block
}

type block struct{ lang, file, text string }

// readPages reads all Markdown files of the repository, by name.
func readPages(t *testing.T) map[string]*page {
	t.Helper()
	pages := map[string]*page{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel("..", path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == "public" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		pages[name] = parsePage(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 8 {
		t.Fatalf("there are %d pages", len(pages))
	}
	return pages
}

func pageOf(t *testing.T, name string) *page {
	t.Helper()
	p := readPages(t)[name]
	if p == nil {
		t.Fatalf("there is no page %s", name)
	}
	return p
}

func parsePage(name, text string) *page {
	p := &page{name: name, text: text}
	var prose strings.Builder
	var open *block
	for line := range strings.Lines(text) {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open != nil:
			p.blocks = append(p.blocks, *open)
			open = nil
		case fence:
			lang, rest, _ := strings.Cut(strings.TrimSpace(info), " ")
			open = &block{lang: lang, file: strings.TrimPrefix(rest, "file=")}
		case open != nil:
			open.text += line
		default:
			prose.WriteString(line)
		}
	}
	p.prose = prose.String()
	return p
}

// section is the text below a heading, up to the next one of the same level or above.
func (p *page) section(t *testing.T, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(p.prose, "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", p.name, heading)
	}
	level := strings.Index(heading, " ")
	for i := 1; i <= level; i++ {
		text, _, _ = strings.Cut(text, "\n"+strings.Repeat("#", i)+" ")
	}
	return text
}

// rows are the cells of the tables in a text, but for their heads.
func rows(text string) [][]string {
	var all [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		if strings.HasPrefix(line, "|---") {
			all = all[:len(all)-1] // the head
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, cells)
	}
	return all
}

// directory is where the page's commands run.
func (p *page) directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	ownContent := false
	for _, b := range p.blocks {
		if b.file == "" {
			continue
		}
		ownContent = ownContent || strings.HasPrefix(b.file, "content/")
		path := filepath.Join(dir, filepath.FromSlash(b.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !ownContent {
		if err := os.CopyFS(filepath.Join(dir, "content"), os.DirFS("../content")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var (
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// anchors are the anchors of the page's headings on GitHub.
func (p *page) anchors() []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return all
}

// links are the targets of the page's links and images.
func (p *page) links() []string {
	var all []string
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(p.prose, ""), -1) {
		all = append(all, m[1])
	}
	return all
}

// goFiles calls each with the text of every Go file except tests.
func goFiles(t *testing.T, root string, each func(text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		each(string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literals are the string literals in the programs' source that match a pattern
// completely.
func literals(t *testing.T, pattern string) []string {
	t.Helper()
	find := regexp.MustCompile(`"(` + pattern + `)"`)
	var all []string
	for _, root := range []string{"../cmd", "../edgeserve", "../generator"} {
		goFiles(t, root, func(text string) {
			for _, m := range find.FindAllStringSubmatch(text, -1) {
				all = append(all, m[1])
			}
		})
	}
	slices.Sort(all)
	return slices.Compact(all)
}
