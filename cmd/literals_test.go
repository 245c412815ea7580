// This file tests that a word of a table stands nowhere else in product code: whoever needs the word
// names its constant.

package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/problem"
)

// literal is a string constant in product code.
type literal struct {
	file string // from the top of the repository
	line int
	text string
}

// testPackages are packages that only tests use.
var testPackages = []string{"cmd/browsertest", "cmd/scripttest", "edgeserve/engine/searchtest", "edgeserve/prometheus/prometheustest", "edgeserve/engine/snapshot/snaptest", "edgeserve/wire/address/addresstest", "edgeserve/wire/store/storetest", "generator/pull/pulltest"}

// eachProductFile calls a function with each file of product code.
func eachProductFile(t *testing.T, visit func(path string)) {
	t.Helper()
	for _, wing := range []string{"cmd", "edgeserve", "generator"} {
		eachFile(t, wing, visit)
	}
}

// eachFile is eachProductFile below a directory, by its path from the top of the repository.
func eachFile(t *testing.T, dir string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel("..", path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || slices.Contains(testPackages, filepath.ToSlash(rel))):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go"):
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func parseFile(t *testing.T, path string) (*token.FileSet, *ast.File) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return files, file
}

// literalsOf returns the string constants of product code, but paths of imports and tags of members.
func literalsOf(t *testing.T) (all []literal) {
	t.Helper()
	eachProductFile(t, func(path string) { all = append(all, literalsIn(t, path)...) })
	return all
}

func literalsIn(t *testing.T, path string) (all []literal) {
	t.Helper()
	files, file := parseFile(t, path)
	rel, _ := filepath.Rel("..", path)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				all = append(all, literal{filepath.ToSlash(rel), files.Position(n.Pos()).Line, text})
			}
		}
		return true
	})
	return all
}

// constantsOf returns the constants of texts in a file, by their names.
func constantsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	_, file := parseFile(t, filepath.Join("..", path))
	constants := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for i, name := range spec.Names {
				constants[name.Name], _ = strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
			}
		}
		return true
	})
	return constants
}

// otherMeaning is a text that equals a word of a table and means something else.
type otherMeaning struct{ file, text, meaning string }

// checkOnce reports literals that repeat a word of the table in a file.
func checkOnce(t *testing.T, table string, equal func(text, word string) bool, exceptions ...otherMeaning) {
	t.Helper()
	words := literalsIn(t, filepath.Join("..", table))
	used := map[otherMeaning]bool{}
	for _, l := range literalsOf(t) {
		if l.file == table || !slices.ContainsFunc(words, func(w literal) bool { return equal(l.text, w.text) }) {
			continue
		}
		if i := slices.IndexFunc(exceptions, func(e otherMeaning) bool { return e.file == l.file && e.text == l.text }); i >= 0 {
			used[exceptions[i]] = true
			continue
		}
		t.Errorf("%s:%d: %q stands in %s: name the constant", l.file, l.line, l.text, table)
	}
	for _, e := range exceptions {
		if !used[e] {
			t.Errorf("%s has no %q any more: take out the exception", e.file, e.text)
		}
	}
}

const codesFile = "edgeserve/wire/problem/codes.go"

func TestErrorCodesStandOnce(t *testing.T) {
	checkOnce(t, codesFile, func(text, word string) bool { return text == word },
		otherMeaning{"edgeserve/engine/elastic/errors.go", "too_many_clauses", "Elasticsearch's type of an error"},
		otherMeaning{"edgeserve/engine/elastic/params.go", "timeout", "a parameter of Elasticsearch's"},
		otherMeaning{"edgeserve/engine/query/body/bodyparse.go", "timeout", "a member of a search body"},
		otherMeaning{"edgeserve/serve/follow/follow.go", "timeout", "a word of a message"})
}

// Names of one word are also words of queries and addresses, in lower case.
func TestFieldNamesStandOnce(t *testing.T) {
	equal := func(text, word string) bool {
		return text == word || text == "ETag" && word == "Etag" || strings.Contains(word, "-") && strings.EqualFold(text, word)
	}
	checkOnce(t, "edgeserve/wire/httpfield/names.go", equal,
		otherMeaning{"cmd/edgeserve/flags.go", "cache-control", "the name of a flag"},
		otherMeaning{"generator/imports/contentful/links.go", "Link", "a type of Contentful's"},
		otherMeaning{"generator/hosts/searchfiles/searchfiles.go", "contentedge", "a directory"})
}

// TestErrorsNameListedCodes finds errors with a code that the list lacks.
func TestErrorsNameListedCodes(t *testing.T) {
	eachProductFile(t, func(path string) {
		files, file := parseFile(t, path)
		ast.Inspect(file, func(n ast.Node) bool {
			if member, ok := n.(*ast.KeyValueExpr); ok {
				name, _ := member.Key.(*ast.Ident)
				if value, ok := member.Value.(*ast.BasicLit); ok && name != nil && name.Name == "Code" {
					t.Errorf("%s: the code %s stands outside of %s", files.Position(value.Pos()), value.Value, codesFile)
				}
			}
			return true
		})
	})
}

// TestRejectionsAreCounted: the metric of refused searches has a value for each code with which parsers
// and evaluators refuse a search.
func TestRejectionsAreCounted(t *testing.T) {
	codes := constantsOf(t, codesFile)
	counted := problem.OfSearches()
	for _, dir := range []string{"edgeserve/engine", "edgeserve/wire/address"} {
		eachFile(t, dir, func(path string) {
			if slices.ContainsFunc(codesOfAllResponses, func(of string) bool { return strings.HasPrefix(filepath.ToSlash(path), "../"+of) }) {
				return
			}
			_, file := parseFile(t, path)
			ast.Inspect(file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				code, ok := codes[selector.Sel.Name]
				if from, isName := selector.X.(*ast.Ident); !ok || !isName || from.Name != "problem" {
					return true
				}
				if p := problem.Of(code); p.Status != 404 && !slices.Contains(counted, code) {
					t.Errorf("%s: %s may refuse a search, but the metric counts it as other: mark its row in wire/problem/table.go", path, code)
				}
				return true
			})
		})
	}
}

// codesOfAllResponses are parts of the engine that name codes which no search causes.
var codesOfAllResponses = []string{
	"edgeserve/engine/openapi/",          // describes all responses
	"edgeserve/engine/elastic/errors.go", // Elasticsearch's types for all codes
	"edgeserve/engine/offline/",          // heads and codings, as a node refuses them
	"edgeserve/engine/respond/",          // methods, conditions and ranges
}

// TestCodesHaveTheirRow compares the page's table of codes with the list, both ways.
func TestCodesHaveTheirRow(t *testing.T) {
	const page = "../edgeserve/README.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| status | codes |")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, "|")
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row, -1) {
			listed[m[1]] = true
			if p := problem.Of(m[1]); p == nil || !strings.Contains(cells[1], strconv.Itoa(p.Status)) {
				t.Errorf("%s lists %s in the row of status %s; the table of package problem has %+v", page, m[1], cells[1], p)
			}
		}
	}
	for _, code := range constantsOf(t, codesFile) {
		if !listed[code] {
			t.Errorf("%s has no row for %s", page, code)
		}
	}
}
