// This file tests that routes, methods, limits, parameters and fields stand in one table each, in package
// address: in product code, and in the templates and scripts of hosts.

package cmd

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
)

const (
	routesFile     = "edgeserve/wire/address/routes.go"
	limitsFile     = "edgeserve/wire/address/limits.go"
	parametersFile = "edgeserve/wire/address/parameters.go"
	fieldsFile     = "edgeserve/wire/address/fields.go"
)

func TestRoutesStandOnce(t *testing.T) {
	for _, l := range append(literalsOf(t), hostLines(t)...) {
		if l.file != routesFile && copiesRoute(l.text) {
			t.Errorf("%s:%d: %q copies a route or its methods: read %s", l.file, l.line, l.text, routesFile)
		}
	}
	for _, text := range []string{"/cda/rest/v1/", "GET http://a/cda/es/v1/x", "/livez", "GET, HEAD, OPTIONS"} {
		if !copiesRoute(text) {
			t.Errorf("%q is not found", text)
		}
	}
}

func copiesRoute(text string) bool {
	return strings.Contains(text, address.Root) || slices.Contains([]string{address.Live.Path(), address.Ready.Path(), address.AllowRead, address.AllowSearch}, text)
}

func TestParametersStandOnce(t *testing.T) {
	checkOnce(t, parametersFile, func(text, word string) bool { return text == word && isDistinct(word) })
	for _, line := range hostLines(t) {
		for _, name := range address.ParameterNames() {
			if isDistinct(name) && strings.Contains(line.text, name) {
				t.Errorf("%s:%d: %q has the parameter %s", line.file, line.line, line.text, name)
			}
		}
	}
}

// isDistinct reports whether a name means nothing but a parameter: page, sort and the options of
// query_string do.
func isDistinct(name string) bool {
	return name != strings.ToLower(name) && name != address.ParamSearchPage && name != address.ParamSearchSort || strings.HasPrefix(name, address.ParamSource+"_")
}

func TestFieldsStandOnce(t *testing.T) {
	checkOnce(t, fieldsFile, func(text, word string) bool { return text == word && len(word) > 1 },
		otherMeaning{"edgeserve/engine/snapshot/reader.go", "ContentID", "a snapshot knows no interface"})
	if snapshot.IDField != address.FieldContentID {
		t.Errorf("ids are %s in snapshots and %s in the interface", snapshot.IDField, address.FieldContentID)
	}
}

// otherNumbers are constants, and members of tables, that limit something else. Their values may equal
// the largest page size by chance.
var otherNumbers = []string{"maxRows", "MaxRegexpStates", "maxTokens", "maxListedAlone", "DefaultMaxValues", "Files", "maxInverse", "maxColumns", "maxValues", "maxKeys", "maxWarnings"}

// clockFile takes digits of HHMMSS apart, with the value of the largest page size.
const clockFile = "edgeserve/engine/analysis/date_zones.go"

func TestPageSizeStandsOnce(t *testing.T) {
	found := 0
	eachProductFile(t, func(path string) {
		rel, _ := filepath.Rel("..", path)
		for _, line := range linesWith(t, path, address.MaxSize) {
			if found++; filepath.ToSlash(rel) != limitsFile && filepath.ToSlash(rel) != clockFile {
				t.Errorf("%s:%d: %d is address.MaxSize; a constant of another meaning belongs in otherNumbers", rel, line, address.MaxSize)
			}
		}
	})
	if found == 0 {
		t.Error("no number was found: the test does not see them")
	}
	for _, line := range hostLines(t) {
		numbers := strings.FieldsFunc(strings.ReplaceAll(line.text, "_", ""), func(r rune) bool { return r < '0' || r > '9' })
		if slices.Contains(numbers, strconv.Itoa(address.MaxSize)) {
			t.Errorf("%s:%d: %q has the largest page size", line.file, line.line, line.text)
		}
	}
}

// linesWith are the lines of a file that have a number, but for the values of otherNumbers.
func linesWith(t *testing.T, path string, number int) (lines []int) {
	files, file := parseFile(t, path)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			return !slices.Contains(otherNumbers, n.Names[0].Name)
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			return !ok || !slices.Contains(otherNumbers, key.Name)
		case *ast.BasicLit:
			if n.Kind == token.INT && strings.ReplaceAll(n.Value, "_", "") == strconv.Itoa(number) {
				lines = append(lines, files.Position(n.Pos()).Line)
			}
		}
		return true
	})
	return lines
}

// hostLines are the lines of the templates and scripts for hosts.
func hostLines(t *testing.T) (all []literal) {
	t.Helper()
	for _, pattern := range []string{"template/*", "script/*.js", "script/search/*"} {
		names, err := filepath.Glob(filepath.Join("../generator/hosts", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no files: %v", err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				all = append(all, literal{strings.TrimPrefix(filepath.ToSlash(name), "../"), i + 1, line})
			}
		}
	}
	return all
}

// TestPagesNameLimits compares the limits in the pages with the constants.
func TestPagesNameLimits(t *testing.T) {
	for page, rows := range map[string][]string{
		"edgeserve/README.md": {"| `pageSize` | 1 to " + thousands(address.MaxSize) + " | " + strconv.Itoa(address.DefaultPageSize) + ", or the release's |"},
		"content/README.md":   {"`from` plus `pages` times `size` at most " + thousands(address.MaxSize) + " |"},
		"edgeserve/LIMITS.md": {"| body, as sent and decoded | " + strconv.Itoa(address.DefaultBodyLimit>>10) + " KiB"},
	} {
		text, err := os.ReadFile(filepath.Join("..", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if !strings.Contains(string(text), row) {
				t.Errorf("%s has no %q", page, row)
			}
		}
	}
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	return text[:len(text)-3] + "," + text[len(text)-3:]
}
