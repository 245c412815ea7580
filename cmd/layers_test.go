// Package cmd holds what is tested across packages: this file keeps the layout that
// the README draws, so that the edge server never links what only a build needs.
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

// layer is what a package may import: packages of ours, and modules beside the
// standard library.
type layer struct{ ours, modules string }

// layers has a row for every package.
var layers = map[string]layer{
	"cmd":           {},
	"cmd/generator": {ours: "generator generator/diff generator/hosts generator/publish generator/sums generator/verify edgeserve/release edgeserve/snapshot edgeserve/store", modules: "github.com/schollz/progressbar/v3"},
	"cmd/edgeserve": {ours: "edgeserve edgeserve/follow edgeserve/logs edgeserve/store"},
	"cmd/preview":   {ours: "edgeserve edgeserve/envelope edgeserve/release generator generator/watch"},

	"edgeserve":                   {ours: "edgeserve/address edgeserve/encoding edgeserve/envelope edgeserve/guard edgeserve/logs edgeserve/metrics edgeserve/query edgeserve/release edgeserve/search edgeserve/snapshot edgeserve/wire", modules: "github.com/cespare/xxhash/v2 github.com/gofiber/fiber/v2 github.com/valyala/fasthttp"},
	"edgeserve/address":           {},
	"edgeserve/analysis":          {},
	"edgeserve/encoding":          {modules: "github.com/andybalholm/brotli github.com/klauspost/compress"},
	"edgeserve/envelope":          {},
	"edgeserve/guard":             {},
	"edgeserve/logs":              {},
	"edgeserve/metrics":           {},
	"edgeserve/pattern":           {},
	"edgeserve/query":             {},
	"edgeserve/release":           {},
	"edgeserve/snapshot":          {},
	"edgeserve/snapshot/snaptest": {ours: "edgeserve/snapshot"},
	"edgeserve/follow":            {ours: "edgeserve/metrics edgeserve/release edgeserve/store"},
	"edgeserve/store":             {modules: "github.com/minio/minio-go/v7"},
	"edgeserve/store/storetest":   {},
	"edgeserve/search":            {ours: "edgeserve/address edgeserve/analysis edgeserve/pattern edgeserve/query edgeserve/snapshot"},
	"edgeserve/wire":              {ours: "edgeserve/guard", modules: "golang.org/x/sys"},

	"generator":         {ours: "generator/index generator/model generator/output generator/plan generator/removal generator/render generator/reuse generator/source generator/spill generator/sums edgeserve/address edgeserve/encoding edgeserve/envelope edgeserve/release edgeserve/snapshot"},
	"generator/source":  {},
	"generator/spill":   {modules: "golang.org/x/sys"},
	"generator/fields":  {ours: "edgeserve/analysis edgeserve/snapshot"},
	"generator/model":   {ours: "generator/fields generator/source", modules: "github.com/goccy/go-json"},
	"generator/plan":    {ours: "edgeserve/address edgeserve/encoding generator/model"},
	"generator/render":  {ours: "edgeserve/envelope generator/model generator/plan"},
	"generator/diff":    {ours: "edgeserve/address edgeserve/encoding edgeserve/release generator/sums"},
	"generator/hosts":   {ours: "edgeserve/address edgeserve/envelope edgeserve/release"},
	"generator/index":   {ours: "edgeserve/analysis edgeserve/pattern edgeserve/snapshot generator/fields generator/spill"},
	"generator/output":  {ours: "edgeserve/release", modules: "golang.org/x/sys"},
	"generator/publish": {ours: "edgeserve/address edgeserve/encoding edgeserve/release edgeserve/store generator/removal generator/sums"},
	"generator/removal": {ours: "edgeserve/release"},
	"generator/reuse":   {ours: "generator/plan generator/sums edgeserve/address edgeserve/release edgeserve/snapshot"},
	"generator/sums":    {ours: "edgeserve/encoding edgeserve/release"},
	"generator/verify":  {ours: "generator/sums edgeserve/address edgeserve/encoding edgeserve/envelope edgeserve/release edgeserve/search edgeserve/snapshot"},
	"generator/watch":   {modules: "github.com/fsnotify/fsnotify"},
}

// TestLayers reads the files themselves: what `go list` would say, the test cache
// could not see change.
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
			return fs.SkipDir // a module of its own
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
		case isOurs && strings.HasPrefix(dir, "edgeserve") && strings.HasPrefix(ours, "generator"):
			t.Errorf("%s imports %s: nothing of the edge imports the generator", name, ours)
		case inTest:
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

// TestTopLevel keeps the root to what the README names.
func TestTopLevel(t *testing.T) {
	allowed := strings.Fields("cmd generator edgeserve content public scripts go.mod go.sum README.md LICENSE")
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
