package main

import (
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// sample has each operator once at least, and what must stay constant.
const sample = `package p

import "errors"

const most = 3

func f(list []int, n int) ([]int, error) {
	if n < 0 && n != 5 {
		return nil, errors.New("negative")
	}
	if err := check(n + 1); err != nil {
		return nil, err
	}
	switch n {
	case 4:
		list = append(list, n-most)
	}
	clear(list)
	var fixed [7]int
	return append(list, fixed[1<<2-1]), nil
}

func check(n int) error { return nil }
`

func mutantsOf(t *testing.T, source string) []*mutant {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("p", fset, []*ast.File{tree}, info); err != nil {
		t.Fatal(err)
	}
	f := finder{pkg: "p", fset: fset, info: info, source: []byte(source), name: "p.go"}
	f.file(tree)
	number(f.found)
	for i, m := range f.found {
		m.id = i + 1
	}
	return f.found
}

func TestFinder(t *testing.T) {
	var got []string
	for _, m := range mutantsOf(t, sample) {
		got = append(got, m.operator+" "+m.text)
	}
	for _, want := range []string{"negate n < 0 && n != 5", "drop-return n < 0 && n != 5", "boundary n < 0", "one-more 0", "one-more 5", "negate err != nil", "ignore-error err != nil",
		"swap n + 1", "one-more 1", "swap n-most", "drop-append list = append(list, n-most)", "drop-call clear(list)"} {
		if !slices.Contains(got, want) {
			t.Errorf("no mutant %q in %q", want, got)
		}
	}
	for _, never := range []string{"one-more 3", "one-more 4", "one-more 7"} {
		if slices.Contains(got, never) {
			t.Errorf("the constant of %q is changed", never)
		}
	}
}

// TestWrite compiles all mutants of a file at once: they nest.
func TestWrite(t *testing.T) {
	out := string(withImport(write([]byte(sample), mutantsOf(t, sample))))
	if _, err := format.Source([]byte(out)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`package p; import "` + switches + `"`, "mutant.Not(1, (", " || mutant.On(", "if !mutant.On(", "mutant.Minus("} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	if strings.Count(out, "\n") != strings.Count(sample, "\n") {
		t.Error("lines have other numbers")
	}
}
