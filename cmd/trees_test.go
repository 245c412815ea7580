// This file reads the trees: small sites of ten generators, and what an import has to make of each.

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// treesDir has a file for each tree. Its comment says what the tree imitates. These files say the rest:
//
//	setup         what a text cannot hold, a line each; the commands are treeCommands
//	want.txt      FILE | PATH | TITLE | DATE | STATUS | LANGUAGE of each page. PATH is the address that the generator
//	              gives the page, without its language and its extension. DATE git is that of the file's commit; STATUS
//	              scheduled and expired are of published items; - is no language; * is not compared
//	links.txt     FILE -> FILE of each link that leads to an item, FILE => FILE of each picture. A link to a
//	              scheduled or an expired page leads to its item, as builds decide about times; one to a page that is
//	              hidden otherwise does not
//	hugo-list.csv of Hugo: what `hugo list all` prints, in order
//	site/…        the files. The text "confidential" is in those that a release must not have, and in no others
//
// The names of 200 files that "copies" made are one line, with {1..200}.
const treesDir = "../generator/imports/markdownsite/testdata/trees"

// hugoList is the file of a tree with what Hugo says about it.
const hugoList = "hugo-list.csv"

// siteTree is a site of a generator.
type siteTree struct {
	archive *txtar.Archive
	name    string
	system  string // hugo
	flags   []string
	commits map[string]string // the dates of files
	pages   []treePage        // in order of file
	leads   map[string]string // by file: what it leads to, a line each
}

// treePage is a page that an import of a tree makes.
type treePage struct{ file, path, title, date, status, language string }

// anything is what is not compared.
const anything = "*"

func (p treePage) String() string {
	return strings.Join([]string{p.file, p.path, p.title, p.date, p.status, p.language}, " | ")
}

// eachTree calls a function with each tree whose name begins with a text, in a test of its own.
func eachTree(t *testing.T, prefix string, test func(t *testing.T, tr *siteTree)) {
	names, err := filepath.Glob(filepath.Join(treesDir, prefix+"*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no trees of %q: %v", prefix, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			test(t, readSiteTree(t, name))
		})
	}
}

func readSiteTree(t *testing.T, name string) *siteTree {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tr := &siteTree{archive: archive, name: strings.TrimSuffix(filepath.Base(name), ".txtar"), commits: map[string]string{}, leads: map[string]string{}}
	tr.system, _, _ = strings.Cut(tr.name, "-")
	for _, line := range tr.lines(t, "want.txt") {
		columns := strings.Split(line, " | ")
		if len(columns) != 6 {
			t.Fatalf("%s: %q has %d columns", tr.name, line, len(columns))
		}
		tr.pages = append(tr.pages, treePage{columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]})
	}
	slices.SortFunc(tr.pages, func(a, b treePage) int { return strings.Compare(a.file, b.file) })
	for _, line := range tr.lines(t, "links.txt") {
		at := regexp.MustCompile(` [-=]> `).FindStringIndex(line)
		if at == nil {
			t.Fatalf("%s: %q is not a link", tr.name, line)
		}
		tr.leads[line[:at[0]]] += line[at[0]+1:] + "\n"
	}
	return tr
}

// file returns the text of a file of the archive.
func (tr *siteTree) file(t *testing.T, name string) string {
	t.Helper()
	for _, f := range tr.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("%s lacks %s", tr.name, name)
	return ""
}

// copyMark is where a line has the number of a copy: {1..200} the first time, and {n} again.
var copyMark = regexp.MustCompile(`\{1\.\.(\d+)\}`)

// lines returns the lines of a file, with one for each copy.
func (tr *siteTree) lines(t *testing.T, name string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(tr.file(t, name)) {
		line = strings.TrimSuffix(line, "\n")
		match := copyMark.FindStringSubmatch(line)
		if match == nil {
			lines = append(lines, line)
			continue
		}
		last, err := strconv.Atoi(match[1])
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= last; n++ {
			lines = append(lines, strings.ReplaceAll(strings.Replace(line, match[0], strconv.Itoa(n), 1), "{n}", strconv.Itoa(n)))
		}
	}
	return lines
}

// treeCommands are the commands of setup, in the order of the lines.
var treeCommands = map[string]func(tr *siteTree, at, argument string) error{
	// copies N FILE: files in place of one, with their numbers in place of {n}
	"copies": func(tr *siteTree, at, argument string) error {
		count, name, _ := strings.Cut(argument, " ")
		last, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(at, name))
		if err != nil {
			return err
		}
		for n := 1; n <= last; n++ {
			number := func(text string) string { return strings.ReplaceAll(text, "{n}", strconv.Itoa(n)) }
			if err := os.WriteFile(filepath.Join(at, number(name)), []byte(number(string(text))), 0o644); err != nil {
				return err
			}
		}
		return os.Remove(filepath.Join(at, name))
	},
	"crlf": func(tr *siteTree, at, argument string) error {
		return rewriteBelow(filepath.Join(at, argument), func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") })
	},
	"bom": func(tr *siteTree, at, argument string) error {
		return rewriteBelow(filepath.Join(at, argument), func(text string) string { return "\ufeff" + text })
	},
	// png FILE: a picture of one pixel
	"png": func(tr *siteTree, at, argument string) error {
		return writeBelow(filepath.Join(at, argument), onePixel)
	},
	// link FILE TARGET: a symbolic link
	"link": func(tr *siteTree, at, argument string) error {
		name, target, _ := strings.Cut(argument, " ")
		name = filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.Symlink(target, name)
	},
	// commit DATE [PATH]: a commit of what no commit has yet
	"commit": func(tr *siteTree, at, argument string) error {
		date, name, _ := strings.Cut(argument, " ")
		return tr.commit(at, date, filepath.Join(at, name))
	},
	// import FLAGS: of the command
	"import": func(tr *siteTree, at, argument string) error {
		tr.flags = strings.Fields(argument)
		return nil
	},
}

// onePixel is a PNG.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\xdacd\xf8\xcfP\x0f\x00\x03\x86\x01\x80Z4}k\x00\x00\x00\x00IEND\xaeB`\x82"

// writeBelow writes a file, and the folders that it is in.
func writeBelow(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

func rewriteBelow(name string, change func(text string) string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(change(string(text))), 0o644)
}

// commit commits files and remembers the date of each.
func (tr *siteTree) commit(at, date, name string) error {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = at
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
		return string(out), nil
	}
	if _, err := git("init", "-q"); err != nil {
		return err
	}
	if _, err := git("add", "--", name); err != nil {
		return err
	}
	files, err := git("diff", "--cached", "--name-only", "-z")
	if err != nil {
		return err
	}
	for file := range strings.SplitSeq(files, "\x00") {
		tr.commits[strings.TrimPrefix(file, "site/")] = date
	}
	_, err = git("commit", "-q", "-m", "content")
	return err
}

// write writes the site below a directory and returns the folder.
func (tr *siteTree) write(t *testing.T, at string) (site string) {
	t.Helper()
	for _, f := range tr.archive.Files {
		if !strings.HasPrefix(f.Name, "site/") {
			continue
		}
		if err := writeBelow(filepath.Join(at, f.Name), string(f.Data)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(tr.file(t, "setup")), "\n") {
		word, argument, _ := strings.Cut(line, " ")
		command := treeCommands[word]
		if command == nil {
			t.Fatalf("%s: %q is not a command", tr.name, line)
		}
		if err := command(tr, at, argument); err != nil {
			t.Fatalf("%s: %s: %v", tr.name, line, err)
		}
	}
	return filepath.Join(at, "site")
}

// TestTreesAreWhole tests the trees themselves: each page and each end of a link is a file, a page that is not delivered
// says so in its text, and no other file does.
func TestTreesAreWhole(t *testing.T) {
	t.Parallel()
	systems := map[string]int{}
	names, _ := filepath.Glob(filepath.Join(treesDir, "*.txtar"))
	for _, name := range names {
		systems[readSiteTree(t, name).system]++
	}
	for system, n := range systems {
		if n != 3 {
			t.Errorf("%d trees of %s", n, system)
		}
	}
	if len(systems) != 10 {
		t.Errorf("trees of %d systems", len(systems))
	}
	eachTree(t, "", func(t *testing.T, tr *siteTree) {
		site := tr.write(t, t.TempDir())
		pages := map[string]treePage{}
		for _, p := range tr.pages {
			text, err := os.ReadFile(filepath.Join(site, p.file))
			if err != nil {
				t.Error(err)
			}
			if hidden := p.status != "Published"; len(text) > 0 && hidden != strings.Contains(string(text), "confidential") && p.file != "Home.md" {
				t.Errorf("%s is %s, and its text is wrong", p.file, p.status)
			}
			if _, twice := pages[p.file]; twice || p.date == "git" && tr.commits[p.file] == "" {
				t.Errorf("%s is there twice, or has no commit", p.file)
			}
			pages[p.file] = p
		}
		for from, leads := range tr.leads {
			if pages[from].status != "Published" {
				t.Errorf("a link of %s, which is %q", from, pages[from].status)
			}
			for line := range strings.Lines(leads) {
				to := strings.TrimSuffix(line[3:], "\n")
				_, err := os.Stat(filepath.Join(site, to))
				if err != nil || line[0] == '-' && !slices.Contains([]string{"Published", "scheduled", "expired"}, pages[to].status) {
					t.Errorf("%s leads to %s, which is %q: %v", from, to, pages[to].status, err)
				}
			}
		}
	})
}
