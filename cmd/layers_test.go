// Package cmd tests across packages. This file checks the layout that CONTRIBUTING.md
// describes, so that the edge server never links packages of the build.
package cmd

import (
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "contentedge/"

var update = flag.Bool("update", false, "rewrite golden files")

// layersFile has a row per package with what it imports outside of the standard library, except
// package crash, which every package may import. -update writes it again: read the difference,
// because each new name in it is an arrow between packages.
const layersFile = "testdata/layers.txt"

// TestLayers compares the imports of every package with its row. It parses the files, because the
// test cache would not notice changes in the output of `go list`.
func TestLayers(t *testing.T) {
	imports := importsOfAll(t)
	var text strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(imports)) {
		names := slices.Sorted(maps.Keys(imports[dir]))
		text.WriteString(strings.TrimSpace(dir+": "+strings.Join(names, " ")) + "\n")
	}
	if *update {
		if err := os.WriteFile(layersFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(layersFile)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Split(string(want), "\n")
	now := strings.Split(text.String(), "\n")
	for _, row := range now {
		if !slices.Contains(old, row) {
			t.Errorf("%s lacks the row %q: if the imports are meant, run go test ./cmd -run TestLayers -update", layersFile, row)
		}
	}
	for _, row := range old {
		if !slices.Contains(now, row) {
			t.Errorf("%s has the row %q, which no package has", layersFile, row)
		}
	}
}

// importsOfAll returns what the files of each package import, without those of tests.
func importsOfAll(t *testing.T) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel("..", path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata" || rel == "public" || rel == "content"):
			return fs.SkipDir
		case d.IsDir() && rel != "." && exists(filepath.Join(path, "go.mod")):
			return fs.SkipDir // another module
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(rel))
		if all[dir] == nil {
			all[dir] = map[string]bool{}
		}
		addImports(t, dir, path, all[dir])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func addImports(t *testing.T, dir, path string, into map[string]bool) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		ours, isOurs := strings.CutPrefix(name, module)
		switch {
		case name == "unsafe" && dir != "edgeserve/serve/fastpath" && dir != "cmd/wasm":
			t.Errorf("%s imports unsafe: only edgeserve/serve/fastpath and cmd/wasm may", path)
		case strings.HasSuffix(path, "_test.go"), ours == "edgeserve/crash":
		case isOurs:
			into[ours] = true
		case strings.Contains(strings.Split(name, "/")[0], "."):
			into[name] = true
		}
	}
}

// wings are the rules that hold through any number of imports: what links nothing of what. A name
// stands for a package and all below it, an exact one (with a $) for the package alone.
var wings = []struct{ from, nothingOf string }{
	{"edgeserve/wire", "edgeserve/engine edgeserve/serve edgeserve$ generator cmd"},
	{"edgeserve/engine", "edgeserve/serve edgeserve$ generator cmd"},
	{"edgeserve/serve", "edgeserve$ generator cmd"},
	{"edgeserve$", "generator cmd"},
	{"generator", "edgeserve/serve edgeserve$ cmd"},
	{"cmd/generator", "edgeserve/serve edgeserve$ cmd/preview"},
	{"cmd/edgeserve", "generator cmd/preview"},

	{"edgeserve/engine/query", "edgeserve/engine/snapshot edgeserve/wire/release"}, // a tree knows no index
	{"edgeserve/engine/query/strictjson", "edgeserve/engine/query$"},               // JSON knows no queries
	{"edgeserve/engine/query/lucene", "edgeserve/engine/query$"},                   // nor do query strings
	{"edgeserve/engine/scorer", "edgeserve/engine/fields"},                         // iterators know no names
	{"edgeserve/engine/snapshot", "edgeserve/engine/query edgeserve/wire"},         // bytes know no interface
}

// linkedByAll are the packages that the rules do not limit: they link no other package of ours.
var linkedByAll = []string{"edgeserve/crash", "edgeserve/wire/jsoncursor"}

// TestWings checks the rules with what `go list -deps` says each package links.
func TestWings(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	used := map[int]bool{}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		from := strings.TrimPrefix(names[0], module)
		for i, rule := range wings {
			if !inWing(from, rule.from) || strings.HasSuffix(from, "test") {
				continue
			}
			used[i] = true
			for _, dep := range names[1:] {
				dep, ours := strings.CutPrefix(dep, module)
				for other := range strings.FieldsSeq(rule.nothingOf) {
					if ours && inWing(dep, other) && !slices.Contains(linkedByAll, dep) {
						t.Errorf("%s links %s: %s links nothing of %s", from, dep, rule.from, other)
					}
				}
			}
		}
	}
	for i, rule := range wings {
		if !used[i] {
			t.Errorf("the rule of %s is of no package", rule.from)
		}
	}
}

// TestWebAssembly builds what answers without a server for a system that has no sockets and maps no files.
func TestWebAssembly(t *testing.T) {
	t.Parallel()
	build := exec.Command("go", "build", "-o", os.DevNull, module+"edgeserve/engine/answer", module+"edgeserve/engine/respond")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func inWing(dir, name string) bool {
	if exact, ok := strings.CutSuffix(name, "$"); ok {
		return dir == exact
	}
	return dir == name || strings.HasPrefix(dir, name+"/")
}

// TestLayersPage checks that the page for contributors describes every package but those that help tests.
func TestLayersPage(t *testing.T) {
	described, packages := map[string]bool{}, importsOfAll(t)
	for _, row := range rows(pageOf(t, ".github/PACKAGES.md").section(t, "## Where what lives")) {
		name := strings.Trim(row[0], "`")
		described[name] = true
		if packages[name] == nil {
			t.Errorf("PACKAGES.md: there is no package %s", name)
		}
	}
	for name := range packages {
		if !described[name] && !strings.HasSuffix(name, "test") {
			t.Errorf("PACKAGES.md does not say what package %s owns", name)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// maxLines is the largest number of lines of a Go file.
const maxLines = 500

// TestFiles checks that Go files are short, and that those of programs open with why they exist.
func TestFiles(t *testing.T) {
	for _, root := range []string{"../cmd", "../edgeserve", "../generator", "../scripts"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			if n := strings.Count(string(text), "\n"); n > maxLines {
				t.Errorf("%s has %d lines, more than %d", path, n, maxLines)
			}
			head, _, _ := strings.Cut("\n"+string(text), "\npackage ")
			if !strings.HasSuffix(path, "_test.go") && !strings.Contains(head, "// ") {
				t.Errorf("%s does not say why it exists", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTopLevel keeps the root short. Commands of README.md write public, node and conf. GitHub looks for
// action.yml here.
func TestTopLevel(t *testing.T) {
	allowed := strings.Fields("cmd generator edgeserve content public node conf scripts go.mod go.sum README.md LICENSE action.yml")
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}

// firstTests are the directories whose packages have such a test.
var firstTests = []string{
	"generator", "edgeserve/wire", "edgeserve/listenaddr", "edgeserve/prometheus",
	"edgeserve/serve/admission", "edgeserve/serve/bodies", "edgeserve/serve/damage", "edgeserve/serve/delivery", "edgeserve/serve/fastpath", "edgeserve/serve/follow",
	"edgeserve/serve/generation", "edgeserve/serve/httphead", "edgeserve/serve/logs", "edgeserve/memlimit", "edgeserve/serve/metrics",
	"edgeserve/serve/netlimit", "edgeserve/serve/respcache",
	"edgeserve/engine/analysis", "edgeserve/engine/answer", "edgeserve/engine/compile", "edgeserve/engine/elastic", "edgeserve/engine/hits", "edgeserve/engine/parallel", "edgeserve/engine/pattern", "edgeserve/engine/portable", "edgeserve/engine/snapshot",
	"edgeserve/engine/query/body", "edgeserve/engine/query/lucene", "edgeserve/engine/query/script", "edgeserve/engine/query/strictjson", "edgeserve/engine/respond",
	"edgeserve/engine/search", "edgeserve/engine/suggest",
}

// TestLayersFirstTest: a package that has tests has one named after it, with a comment that says what
// it shows. A newcomer opens it first.
func TestLayersFirstTest(t *testing.T) {
	for _, dir := range firstTests {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || strings.HasSuffix(path, "test") || d.Name() == "testdata" {
				return err
			}
			files, err := filepath.Glob(filepath.Join(path, "*_test.go"))
			text := ""
			for _, name := range files {
				b, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				text += string(b)
			}
			first := regexp.MustCompile(`(?i)\n// (Test` + d.Name() + `)\b[^\n]*\n(//[^\n]*\n)*func Test` + d.Name() + `\(t \*testing\.T\)`)
			if err == nil && len(files) > 0 && !first.MatchString(text) {
				t.Errorf("%s has no Test%s with a comment that says what it shows", path, d.Name())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
