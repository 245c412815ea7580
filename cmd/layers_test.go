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
	"cmd/generator":    {ours: "cmd/bytesize cmd/outfile generator generator/diff generator/expect generator/hosts generator/publish generator/checksums generator/verify edgeserve/address edgeserve/delivery edgeserve/envelope edgeserve/generation edgeserve/query edgeserve/release edgeserve/snapshot edgeserve/store", modules: "github.com/schollz/progressbar/v3"},
	"cmd/edgeserve":    {ours: "cmd/bytesize edgeserve edgeserve/follow edgeserve/generation edgeserve/logs edgeserve/memlimit edgeserve/store"},
	"cmd/preview":      {ours: "cmd/preview/page edgeserve edgeserve/address edgeserve/envelope edgeserve/generation edgeserve/logs edgeserve/netlimit edgeserve/release generator generator/output generator/spill generator/watch", modules: "github.com/valyala/fasthttp"},
	"cmd/preview/page": {ours: "edgeserve/address edgeserve/delivery edgeserve/pattern edgeserve/query edgeserve/release generator generator/diff", modules: "github.com/goccy/go-json github.com/valyala/fasthttp"},

	"edgeserve":                     {ours: "edgeserve/address edgeserve/admission edgeserve/contentcoding edgeserve/delivery edgeserve/envelope edgeserve/fastpath edgeserve/generation edgeserve/httphead edgeserve/logs edgeserve/metrics edgeserve/netlimit edgeserve/release edgeserve/respcache edgeserve/snapshot", modules: "github.com/gofiber/fiber/v2 github.com/valyala/fasthttp"},
	"edgeserve/address":             {},
	"edgeserve/address/addresstest": {ours: "edgeserve/address"},
	"edgeserve/admission":           {},
	"edgeserve/analysis":            {},
	"edgeserve/crash":               {}, // which every package may import
	"edgeserve/contentcoding":       {ours: "edgeserve/httphead", modules: "github.com/andybalholm/brotli github.com/klauspost/compress"},
	"edgeserve/delivery":            {ours: "edgeserve/address edgeserve/admission edgeserve/contentcoding edgeserve/elastic edgeserve/envelope edgeserve/generation edgeserve/httphead edgeserve/metrics edgeserve/query edgeserve/release edgeserve/respcache edgeserve/search edgeserve/search/hits edgeserve/snapshot", modules: "github.com/cespare/xxhash/v2"},
	"edgeserve/elastic":             {ours: "edgeserve/address edgeserve/analysis edgeserve/envelope edgeserve/query edgeserve/search edgeserve/search/fields edgeserve/search/hits edgeserve/snapshot"},
	"edgeserve/envelope":            {},
	"edgeserve/generation":          {ours: "edgeserve/address edgeserve/admission edgeserve/release edgeserve/snapshot"},
	"edgeserve/httphead":            {},
	"edgeserve/logs":                {},
	"edgeserve/memlimit":            {},
	"edgeserve/netlimit":            {},
	"edgeserve/metrics":             {},
	"edgeserve/pattern":             {},
	"edgeserve/portable":            {},
	"edgeserve/query":               {ours: "edgeserve/analysis edgeserve/envelope"},
	"edgeserve/respcache":           {ours: "edgeserve/contentcoding edgeserve/fastpath edgeserve/release", modules: "github.com/cespare/xxhash/v2"},
	"edgeserve/release":             {ours: "edgeserve/address"},
	"edgeserve/snapshot":            {},
	"edgeserve/snapshot/snaptest":   {ours: "edgeserve/snapshot"},
	"edgeserve/follow":              {ours: "edgeserve/metrics edgeserve/release edgeserve/store"},
	"edgeserve/store":               {modules: "github.com/minio/minio-go/v7"},
	"edgeserve/store/storetest":     {},
	"edgeserve/search":              {ours: "edgeserve/address edgeserve/analysis edgeserve/envelope edgeserve/pattern edgeserve/portable edgeserve/query edgeserve/search/aggs edgeserve/search/fields edgeserve/search/highlight edgeserve/search/hits edgeserve/search/iter edgeserve/search/sorts edgeserve/search/suggest edgeserve/snapshot"},
	"edgeserve/search/suggest":      {ours: "edgeserve/analysis edgeserve/envelope edgeserve/pattern edgeserve/portable edgeserve/query edgeserve/search/fields edgeserve/search/iter edgeserve/snapshot"},
	"edgeserve/search/aggs":         {ours: "edgeserve/analysis edgeserve/envelope edgeserve/pattern edgeserve/portable edgeserve/query edgeserve/search/fields edgeserve/search/iter edgeserve/snapshot"},
	"edgeserve/search/fields":       {ours: "edgeserve/analysis edgeserve/query edgeserve/snapshot"},
	"edgeserve/search/searchtest":   {ours: "edgeserve/address edgeserve/analysis edgeserve/pattern edgeserve/portable edgeserve/query edgeserve/search edgeserve/search/hits edgeserve/snapshot edgeserve/snapshot/snaptest"},
	"edgeserve/search/hits":         {ours: "edgeserve/envelope edgeserve/query edgeserve/search/fields edgeserve/search/iter edgeserve/search/sorts edgeserve/snapshot"},
	"edgeserve/search/sorts":        {ours: "edgeserve/analysis edgeserve/envelope edgeserve/query edgeserve/search/fields edgeserve/search/iter edgeserve/snapshot"},
	"edgeserve/search/highlight":    {ours: "edgeserve/analysis edgeserve/envelope edgeserve/pattern edgeserve/portable edgeserve/query edgeserve/search/fields edgeserve/search/hits edgeserve/search/iter edgeserve/snapshot"},
	"edgeserve/search/iter":         {ours: "edgeserve/analysis edgeserve/envelope edgeserve/pattern edgeserve/portable edgeserve/query edgeserve/snapshot"},
	"edgeserve/fastpath":            {ours: "edgeserve/httphead edgeserve/netlimit", modules: "golang.org/x/sys"},

	"generator":                 {ours: "generator/fields generator/incremental generator/index generator/model generator/output generator/plan generator/removal generator/render generator/searches generator/source generator/spill generator/writer edgeserve/address edgeserve/release"},
	"generator/writer":          {ours: "generator/checksums generator/fields generator/incremental generator/index generator/model generator/output generator/parallel generator/plan generator/render generator/searches generator/spill edgeserve/address edgeserve/contentcoding edgeserve/envelope edgeserve/release edgeserve/snapshot"},
	"generator/searches":        {ours: "edgeserve/address edgeserve/delivery edgeserve/query edgeserve/release edgeserve/snapshot generator/model generator/source"},
	"generator/source":          {ours: "edgeserve/address edgeserve/release"},
	"generator/parallel":        {},
	"generator/retry":           {},
	"generator/spill":           {modules: "golang.org/x/sys"},
	"generator/fields":          {ours: "edgeserve/analysis edgeserve/snapshot"},
	"generator/model":           {ours: "edgeserve/address edgeserve/analysis edgeserve/pattern edgeserve/snapshot generator/fields generator/source", modules: "github.com/goccy/go-json"},
	"generator/plan":            {ours: "edgeserve/address edgeserve/contentcoding generator/fields generator/model"},
	"generator/render":          {ours: "edgeserve/envelope generator/model generator/plan"},
	"generator/diff":            {ours: "edgeserve/address edgeserve/contentcoding edgeserve/release generator/checksums"},
	"generator/expect":          {ours: "edgeserve/address generator/model"},
	"generator/hosts":           {ours: "edgeserve/address edgeserve/envelope edgeserve/release"},
	"generator/index":           {ours: "edgeserve/analysis edgeserve/pattern edgeserve/snapshot generator/fields generator/parallel generator/spill"},
	"generator/index/indextest": {ours: "generator/fields"},
	"generator/output":          {ours: "generator/parallel edgeserve/release", modules: "golang.org/x/sys"},
	"generator/publish":         {ours: "generator/parallel generator/retry edgeserve/address edgeserve/contentcoding edgeserve/release edgeserve/store generator/removal generator/checksums"},
	"generator/removal":         {ours: "edgeserve/release"},
	"generator/incremental":     {ours: "generator/parallel generator/plan generator/checksums edgeserve/address edgeserve/release edgeserve/snapshot"},
	"generator/checksums":       {ours: "edgeserve/contentcoding edgeserve/release"},
	"generator/verify":          {ours: "generator/parallel generator/retry generator/spill generator/checksums edgeserve/address edgeserve/analysis edgeserve/contentcoding edgeserve/delivery edgeserve/envelope edgeserve/query edgeserve/release edgeserve/search edgeserve/snapshot"},
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
		case imp == "unsafe" && dir != "edgeserve/fastpath":
			t.Errorf("%s imports unsafe: only edgeserve/fastpath may", name)
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
