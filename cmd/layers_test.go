// Package cmd tests across packages. This file checks the layout that CONTRIBUTING.md
// describes, so that the edge server never links packages of the build.
package cmd

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "contentedge/"

// layer is what a package may import: packages of this module, and other modules.
type layer struct{ ours, modules string }

// layers has a row per package.
var layers = map[string]layer{
	"cmd":              {},
	"cmd/bytesize":     {},
	"cmd/outfile":      {},
	"cmd/generator":    {ours: "cmd/bytesize cmd/outfile generator generator/diff generator/expect generator/hosts generator/ship generator/checksums generator/verify edgeserve/wire/address edgeserve/serve/delivery edgeserve/wire/envelope edgeserve/serve/generation edgeserve/engine/query edgeserve/wire/release edgeserve/engine/snapshot edgeserve/wire/store", modules: "github.com/schollz/progressbar/v3"},
	"cmd/edgeserve":    {ours: "cmd/bytesize edgeserve edgeserve/serve/follow edgeserve/serve/generation edgeserve/serve/logs edgeserve/serve/memlimit edgeserve/wire/store"},
	"cmd/preview":      {ours: "cmd/preview/page edgeserve edgeserve/wire/address edgeserve/wire/envelope edgeserve/serve/generation edgeserve/serve/logs edgeserve/serve/netlimit edgeserve/wire/release generator generator/output generator/spill generator/watch", modules: "github.com/valyala/fasthttp"},
	"cmd/preview/page": {ours: "edgeserve/wire/address edgeserve/serve/delivery edgeserve/engine/pattern edgeserve/engine/query edgeserve/wire/release generator generator/diff", modules: "github.com/goccy/go-json github.com/valyala/fasthttp"},

	"edgeserve":                          {ours: "edgeserve/wire/address edgeserve/serve/admission edgeserve/wire/contentcoding edgeserve/serve/delivery edgeserve/wire/envelope edgeserve/serve/fastpath edgeserve/serve/generation edgeserve/serve/httphead edgeserve/serve/logs edgeserve/serve/metrics edgeserve/serve/netlimit edgeserve/wire/release edgeserve/serve/respcache edgeserve/engine/snapshot", modules: "github.com/gofiber/fiber/v2 github.com/valyala/fasthttp"},
	"edgeserve/wire/address":             {},
	"edgeserve/wire/address/addresstest": {ours: "edgeserve/wire/address"},
	"edgeserve/serve/admission":          {},
	"edgeserve/engine/analysis":          {},
	"edgeserve/crash":                    {}, // which every package may import
	"edgeserve/wire/contentcoding":       {ours: "edgeserve/serve/httphead", modules: "github.com/andybalholm/brotli github.com/klauspost/compress"},
	"edgeserve/serve/delivery":           {ours: "edgeserve/wire/address edgeserve/serve/admission edgeserve/wire/contentcoding edgeserve/engine/elastic edgeserve/wire/envelope edgeserve/serve/generation edgeserve/serve/httphead edgeserve/serve/metrics edgeserve/engine/query edgeserve/wire/release edgeserve/serve/respcache edgeserve/engine/search edgeserve/engine/hits edgeserve/engine/snapshot", modules: "github.com/cespare/xxhash/v2"},
	"edgeserve/engine/elastic":           {ours: "edgeserve/wire/address edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/query edgeserve/engine/search edgeserve/engine/fields edgeserve/engine/hits edgeserve/engine/snapshot"},
	"edgeserve/wire/envelope":            {},
	"edgeserve/serve/generation":         {ours: "edgeserve/wire/address edgeserve/serve/admission edgeserve/wire/release edgeserve/engine/snapshot"},
	"edgeserve/serve/httphead":           {},
	"edgeserve/serve/logs":               {},
	"edgeserve/serve/memlimit":           {},
	"edgeserve/serve/netlimit":           {},
	"edgeserve/serve/metrics":            {},
	"edgeserve/engine/pattern":           {},
	"edgeserve/engine/portable":          {},
	"edgeserve/engine/query":             {ours: "edgeserve/engine/analysis edgeserve/wire/envelope"},
	"edgeserve/serve/respcache":          {ours: "edgeserve/wire/contentcoding edgeserve/serve/fastpath edgeserve/wire/release", modules: "github.com/cespare/xxhash/v2"},
	"edgeserve/wire/release":             {ours: "edgeserve/wire/address"},
	"edgeserve/engine/snapshot":          {},
	"edgeserve/engine/snapshot/snaptest": {ours: "edgeserve/engine/snapshot"},
	"edgeserve/serve/follow":             {ours: "edgeserve/serve/metrics edgeserve/wire/release edgeserve/wire/store"},
	"edgeserve/wire/store":               {modules: "github.com/minio/minio-go/v7"},
	"edgeserve/wire/store/storetest":     {},
	"edgeserve/engine/search":            {ours: "edgeserve/wire/address edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/pattern edgeserve/engine/portable edgeserve/engine/query edgeserve/engine/aggs edgeserve/engine/fields edgeserve/engine/highlight edgeserve/engine/hits edgeserve/engine/scorer edgeserve/engine/sorts edgeserve/engine/suggest edgeserve/engine/snapshot"},
	"edgeserve/engine/suggest":           {ours: "edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/pattern edgeserve/engine/portable edgeserve/engine/query edgeserve/engine/fields edgeserve/engine/scorer edgeserve/engine/snapshot"},
	"edgeserve/engine/aggs":              {ours: "edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/pattern edgeserve/engine/portable edgeserve/engine/query edgeserve/engine/fields edgeserve/engine/scorer edgeserve/engine/snapshot"},
	"edgeserve/engine/fields":            {ours: "edgeserve/engine/analysis edgeserve/engine/query edgeserve/engine/snapshot"},
	"edgeserve/engine/searchtest":        {ours: "edgeserve/wire/address edgeserve/engine/analysis edgeserve/engine/pattern edgeserve/engine/portable edgeserve/engine/query edgeserve/engine/search edgeserve/engine/hits edgeserve/engine/snapshot edgeserve/engine/snapshot/snaptest"},
	"edgeserve/engine/hits":              {ours: "edgeserve/wire/envelope edgeserve/engine/query edgeserve/engine/fields edgeserve/engine/scorer edgeserve/engine/sorts edgeserve/engine/snapshot"},
	"edgeserve/engine/sorts":             {ours: "edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/query edgeserve/engine/fields edgeserve/engine/scorer edgeserve/engine/snapshot"},
	"edgeserve/engine/highlight":         {ours: "edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/pattern edgeserve/engine/portable edgeserve/engine/query edgeserve/engine/fields edgeserve/engine/hits edgeserve/engine/scorer edgeserve/engine/snapshot"},
	"edgeserve/engine/scorer":            {ours: "edgeserve/engine/analysis edgeserve/wire/envelope edgeserve/engine/pattern edgeserve/engine/portable edgeserve/engine/query edgeserve/engine/snapshot"},
	"edgeserve/serve/fastpath":           {ours: "edgeserve/serve/httphead edgeserve/serve/netlimit", modules: "golang.org/x/sys"},

	"generator":                 {ours: "generator/mapping generator/incremental generator/index generator/model generator/output generator/plan generator/removal generator/render generator/searches generator/source generator/spill generator/writer edgeserve/wire/address edgeserve/wire/release"},
	"generator/writer":          {ours: "generator/checksums generator/mapping generator/incremental generator/index generator/model generator/output generator/parallel generator/plan generator/render generator/searches generator/spill edgeserve/wire/address edgeserve/wire/contentcoding edgeserve/wire/envelope edgeserve/wire/release edgeserve/engine/snapshot"},
	"generator/searches":        {ours: "edgeserve/wire/address edgeserve/serve/delivery edgeserve/engine/query edgeserve/wire/release edgeserve/engine/snapshot generator/model generator/source"},
	"generator/source":          {ours: "edgeserve/wire/address edgeserve/wire/release"},
	"generator/parallel":        {},
	"generator/retry":           {},
	"generator/spill":           {modules: "golang.org/x/sys"},
	"generator/mapping":         {ours: "edgeserve/engine/analysis edgeserve/engine/snapshot"},
	"generator/model":           {ours: "edgeserve/wire/address edgeserve/engine/analysis edgeserve/engine/pattern edgeserve/engine/snapshot generator/mapping generator/source", modules: "github.com/goccy/go-json"},
	"generator/plan":            {ours: "edgeserve/wire/address edgeserve/wire/contentcoding generator/mapping generator/model"},
	"generator/render":          {ours: "edgeserve/wire/envelope generator/model generator/plan"},
	"generator/diff":            {ours: "edgeserve/wire/address edgeserve/wire/contentcoding edgeserve/wire/release generator/checksums"},
	"generator/expect":          {ours: "edgeserve/wire/address generator/model"},
	"generator/hosts":           {ours: "edgeserve/wire/address edgeserve/wire/envelope edgeserve/wire/release"},
	"generator/index":           {ours: "edgeserve/engine/analysis edgeserve/engine/pattern edgeserve/engine/snapshot generator/mapping generator/parallel generator/spill"},
	"generator/index/indextest": {ours: "generator/mapping"},
	"generator/output":          {ours: "generator/parallel edgeserve/wire/release", modules: "golang.org/x/sys"},
	"generator/ship":            {ours: "generator/parallel generator/retry edgeserve/wire/address edgeserve/wire/contentcoding edgeserve/wire/release edgeserve/wire/store generator/removal generator/checksums"},
	"generator/removal":         {ours: "edgeserve/wire/release"},
	"generator/incremental":     {ours: "generator/parallel generator/plan generator/checksums edgeserve/wire/address edgeserve/wire/release edgeserve/engine/snapshot"},
	"generator/checksums":       {ours: "edgeserve/wire/contentcoding edgeserve/wire/release"},
	"generator/verify":          {ours: "generator/parallel generator/retry generator/spill generator/checksums edgeserve/wire/address edgeserve/engine/analysis edgeserve/wire/contentcoding edgeserve/serve/delivery edgeserve/wire/envelope edgeserve/engine/query edgeserve/wire/release edgeserve/engine/search edgeserve/engine/snapshot"},
	"generator/watch":           {ours: "generator/source", modules: "github.com/fsnotify/fsnotify"},
	"generator/watch/watchtest": {},
}

// TestLayers parses the files, because the test cache would not notice changes in the
// output of `go list`.
func TestLayers(t *testing.T) {
	used := map[string]map[string]bool{}
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
		check(t, filepath.ToSlash(filepath.Dir(rel)), rel, path, used)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, l := range layers {
		if used[dir] == nil {
			t.Errorf("row %q names no package", dir)
			continue
		}
		for _, allowed := range strings.Fields(l.ours + " " + l.modules) {
			if !used[dir][allowed] {
				t.Errorf("%s does not import %s: take it out of the row", dir, allowed)
			}
		}
	}
}

// TestLayersPage checks that the page for contributors describes every package.
func TestLayersPage(t *testing.T) {
	described := map[string]bool{}
	for _, row := range rows(pageOf(t, ".github/CONTRIBUTING.md").section(t, "## Where what lives")) {
		name := strings.Trim(row[0], "`")
		described[name] = true
		if _, ok := layers[name]; !ok {
			t.Errorf("CONTRIBUTING.md: there is no package %s", name)
		}
	}
	for name := range layers {
		if !described[name] {
			t.Errorf("CONTRIBUTING.md does not say what package %s owns", name)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// check compares the imports of a file with its package's row.
func check(t *testing.T, dir, name, path string, used map[string]map[string]bool) {
	row, ok := layers[dir]
	if !ok {
		t.Errorf("%s: package %s has no row", name, dir)
		return
	}
	if used[dir] == nil {
		used[dir] = map[string]bool{}
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	inTest := strings.HasSuffix(name, "_test.go")
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		ours, isOurs := strings.CutPrefix(imp, module)
		switch {
		case imp == "unsafe" && dir != "edgeserve/serve/fastpath":
			t.Errorf("%s imports unsafe: only edgeserve/serve/fastpath may", name)
		case isOurs && strings.HasPrefix(dir, "edgeserve") && strings.HasPrefix(ours, "generator"):
			t.Errorf("%s imports %s: nothing of the edge imports the generator", name, ours)
		case inTest || ours == "edgeserve/crash":
		case isOurs && !slices.Contains(strings.Fields(row.ours), ours):
			t.Errorf("%s imports %s, which the row of %s does not allow", name, ours, dir)
		case isOurs:
			used[dir][ours] = true
		case strings.Contains(strings.Split(imp, "/")[0], "."):
			i := slices.IndexFunc(strings.Fields(row.modules), func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") })
			if i < 0 {
				t.Errorf("%s imports %s, which the row of %s does not allow", name, imp, dir)
				continue
			}
			used[dir][strings.Fields(row.modules)[i]] = true
		}
	}
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

// TestTopLevel keeps the root short. Commands of README.md write public, node and conf.
func TestTopLevel(t *testing.T) {
	allowed := strings.Fields("cmd generator edgeserve content public node conf scripts go.mod go.sum README.md LICENSE")
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
