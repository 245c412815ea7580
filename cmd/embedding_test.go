// This file checks that the engine's types name the layers they call.

package cmd

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

// engineLayers are the types whose methods the engine's other types call. Embedded, they would hide which layer
// answers a call.
var engineLayers = []string{"Compiler", "Reader", "Request", "Resolver", "WorkLimit", "aggregator", "counter", "evaluation", "fieldCompiler"}

func TestLayersAreNotEmbedded(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../edgeserve/engine", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					if len(f.Names) == 0 && slices.Contains(engineLayers, typeName(f.Type)) {
						t.Errorf("%s embeds %s: give it a name", path, typeName(f.Type))
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files: %v", files, err)
	}
}

// typeName is the name of an embedded type without its package.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}
