// This file checks that a panic in any of our goroutines ends the program with crash.Code.

package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestLayersGoroutines looks at every go statement, at the functions given to a WaitGroup's Go
// and to AfterFunc, and at main.
func TestLayersGoroutines(t *testing.T) {
	started := 0
	for _, root := range []string{"../cmd", "../edgeserve", "../generator"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" || d.Name() == "storetest" || d.Name() == "scripttest" || d.Name() == "crash" {
				return err
			}
			started += checkGoroutines(t, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if started < 30 {
		t.Errorf("%d goroutines were found: the test does not see them", started)
	}
}

// checkGoroutines checks a package and counts what starts goroutines.
func checkGoroutines(t *testing.T, dir string) (started int) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	set := token.NewFileSet()
	var files []*ast.File
	guarded := map[string]bool{} // functions and methods that begin with the guard
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && beginsGuarded(fn.Body) {
				guarded[fn.Name.Name] = true
			} else if ok && f.Name.Name == "main" && fn.Recv == nil && fn.Name.Name == "main" {
				t.Errorf("%s: main does not begin with defer crash.Exit()", set.Position(fn.Pos()))
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			var body ast.Expr
			switch n := n.(type) {
			case *ast.GoStmt:
				body = n.Call.Fun
			case *ast.CallExpr:
				body = startedBy(n)
			}
			if body == nil {
				return true
			}
			if started++; !isGuarded(body, guarded) {
				t.Errorf("%s: the goroutine does not begin with defer crash.Exit()", set.Position(n.Pos()))
			}
			return true
		})
	}
	return started
}

// startedBy is the function that a call runs in another goroutine; nil if it runs none.
func startedBy(call *ast.CallExpr) ast.Expr {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	switch sel.Sel.Name {
	case "Go", "AfterFunc":
		return call.Args[len(call.Args)-1]
	}
	return nil
}

// isGuarded reports whether what is run is a literal that begins with the guard, a function of
// the package that does, or crash.Guarded.
func isGuarded(fn ast.Expr, guarded map[string]bool) bool {
	switch fn := fn.(type) {
	case *ast.FuncLit:
		return beginsGuarded(fn.Body)
	case *ast.CallExpr:
		return isCrash(fn, "Guarded")
	case *ast.Ident:
		return guarded[fn.Name]
	case *ast.SelectorExpr:
		return guarded[fn.Sel.Name]
	}
	return false
}

func beginsGuarded(body *ast.BlockStmt) bool {
	if body == nil || len(body.List) == 0 {
		return false
	}
	d, ok := body.List[0].(*ast.DeferStmt)
	return ok && isCrash(d.Call, "Exit")
}

func isCrash(call *ast.CallExpr, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	of, ok := sel.X.(*ast.Ident)
	return ok && of.Name == "crash"
}
