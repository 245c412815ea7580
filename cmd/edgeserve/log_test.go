package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLoggersAreLimited finds every place of the server that makes a logger, or writes to that of the process. Each must
// be one that limits repeated lines.
func TestLoggersAreLimited(t *testing.T) {
	limited := []string{"../../edgeserve/serve/logs/limit.go", "log.go"}
	harmless := []string{"Bool", "Duration", "Group", "Int", "Int64", "String", "Time", "Uint64", "Any", "NewTextHandler", "NewJSONHandler"}
	found := 0
	check := func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := f.X.(*ast.Ident); !ok || of.Name != "slog" || slices.Contains(harmless, f.Sel.Name) || f.Sel.Name == "New" && discards(call) {
				return true
			}
			if found++; !slices.Contains(limited, path) {
				t.Errorf("%s calls slog.%s: get a logger from logs.Limited", path, f.Sel.Name)
			}
			return true
		})
	}
	for _, root := range []string{"../../edgeserve", "."} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err == nil {
				check(filepath.ToSlash(path), file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 3 { // the calls of the limited ones
		t.Errorf("%d calls found", found)
	}
}

// discards reports whether slog.New is called for a logger without output.
func discards(call *ast.CallExpr) bool {
	f, ok := call.Args[0].(*ast.SelectorExpr)
	return ok && f.Sel.Name == "DiscardHandler"
}
