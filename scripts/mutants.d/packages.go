// This file reads packages with their types, and writes their mutants into a copy of the project.

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const modulePath = "contentedge"

// switches is the package that every mutated file imports.
const switches = modulePath + "/edgeserve/mutant"

// pkg is a package and its mutants.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	TestGoFiles             []string
	XTestGoFiles            []string
	Imports                 []string
	mutants                 []*mutant
}

func (p *pkg) short() string { return strings.TrimPrefix(p.ImportPath, modulePath+"/") }

func (p *pkg) isTested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// listPackages lists packages with tests.
func listPackages(ctx context.Context, patterns []string) (list []*pkg, err error) {
	all, err := goList(ctx, append([]string{"list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(all, func(p *pkg) bool { return !p.isTested() || len(p.GoFiles) == 0 })
	if len(list) == 0 {
		return nil, errors.New("no package with tests matches")
	}
	return list, nil
}

func goList(ctx context.Context, args ...string) (all []*pkg, err error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &failed)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := dec.Decode(p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// instrument writes mutants of the packages into the copy in dir, a sample of each package.
func instrument(ctx context.Context, list []*pkg, dir string, sample func(pkg string) int) error {
	exports := map[string]string{}
	deps, err := goList(ctx, "list", "-export", "-deps", "-json=ImportPath,Export", "./...")
	if err != nil {
		return err
	}
	for _, p := range deps {
		exports[p.ImportPath] = p.Export
	}
	next := 1
	for _, p := range list {
		if err := p.find(exports); err != nil {
			return fmt.Errorf("%s: %w", p.short(), err)
		}
		if n := sample(p.short()); n > 0 && len(p.mutants) > n {
			slices.SortFunc(p.mutants, func(a, b *mutant) int { return cmp.Compare(a.hash(), b.hash()) })
			p.mutants = p.mutants[:n]
		}
		for _, m := range p.mutants {
			m.id = next
			next++
		}
		if err := p.write(dir); err != nil {
			return err
		}
	}
	return writeSwitches(dir, next)
}

// find finds the mutants of a package.
func (p *pkg) find(exports map[string]string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		tree, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, tree)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		return err
	}
	for i, tree := range files {
		source, err := os.ReadFile(filepath.Join(p.Dir, p.GoFiles[i]))
		if err != nil {
			return err
		}
		f := finder{pkg: p.short(), fset: fset, info: info, source: source, name: p.GoFiles[i]}
		f.file(tree)
		p.mutants = append(p.mutants, f.found...)
	}
	number(p.mutants)
	return nil
}

// write writes the files of a package with the switches of its mutants.
func (p *pkg) write(dir string) error {
	for _, name := range p.GoFiles {
		path := filepath.Join(dir, p.short(), name)
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		of := slices.DeleteFunc(slices.Clone(p.mutants), func(m *mutant) bool { return m.file != name })
		if len(of) > 0 {
			source = withImport(write(source, of))
		}
		if err := os.WriteFile(path, source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// withImport imports the switches in a file, on the line of the package clause, so that lines keep their numbers.
func withImport(source []byte) []byte {
	at := 0
	for !bytes.HasPrefix(source[at:], []byte("package ")) {
		at += bytes.IndexByte(source[at:], '\n') + 1
	}
	end := at + bytes.IndexByte(source[at:], '\n')
	return slices.Concat(source[:end], []byte(`; import "`+switches+`"`), source[end:])
}

// writeSwitches writes the package that mutated files import, for mutants with numbers below end.
func writeSwitches(dir string, end int) error {
	to := filepath.Join(dir, strings.TrimPrefix(switches, modulePath+"/"))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "mutant.go"), []byte(strings.ReplaceAll(switchesText, "SIZE", strconv.Itoa(end))), 0o644)
}

const switchesText = `// Package mutant has the switches of mutants.
package mutant

import (
	"os"
	"strconv"
)

var chosen, _ = strconv.Atoi(os.Getenv("MUTANT"))

var reached = func() *os.File {
	f, _ := os.OpenFile(os.Getenv("MUTANT_REACHED"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	return f
}()

var seen [SIZE]bool

// On reports whether a mutant is switched on.
func On(id int) bool {
	if reached != nil && !seen[id] {
		seen[id] = true
		_, _ = reached.WriteString(strconv.Itoa(id) + "\n")
	}
	return id == chosen
}

type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func Not(id int, v bool) bool { return v != On(id) }

func Plus[T number](id int, a, b T) T {
	if On(id) {
		return a - b
	}
	return a + b
}

func Minus[T number](id int, a, b T) T {
	if On(id) {
		return a + b
	}
	return a - b
}

func Int[T number](id int, v T) T {
	if On(id) {
		return v + 1
	}
	return v
}
`
