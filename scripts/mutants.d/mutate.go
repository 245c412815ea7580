// This file finds what can be changed in a file, and writes the file with a switch for each change.

package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"hash/fnv"
	"slices"
	"strings"
)

// mutant is one change of the product.
type mutant struct {
	id       int
	pkg      string // import path without the module's
	function string
	operator string
	text     string // what is changed
	number   int    // of mutants with the same names, in the function
	file     string
	line     int
	insert   []insertion
}

// key names a mutant without its line, so that it keeps its name when other code changes.
func (m *mutant) key() string {
	return fmt.Sprintf("%s %s %s `%s` %d", m.pkg, m.function, m.operator, m.text, m.number)
}

// hash orders the mutants of a package by chance, the same each time.
func (m *mutant) hash() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(m.key()))
	return h.Sum64()
}

// insertion is text to write at an offset of a file, in place of cut bytes.
type insertion struct {
	at, cut int
	text    string // ID stands for the mutant's number
	span    int    // length of what is wrapped: negative at its end, so that wraps nest
}

// finder finds the mutants of a file.
type finder struct {
	pkg      string
	fset     *token.FileSet
	info     *types.Info
	source   []byte
	name     string // of the file
	function string
	found    []*mutant
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

// wrap adds a mutant that writes text before and after a node.
func (f *finder) wrap(operator string, n ast.Node, before, after string, more ...insertion) {
	text := strings.Join(strings.Fields(f.text(n)), " ")
	if r := []rune(text); len(r) > 80 {
		text = string(r[:80]) + "…"
	}
	from, to := f.offset(n.Pos()), f.offset(n.End())
	m := &mutant{pkg: f.pkg, function: f.function, operator: operator, text: text, file: f.name, line: f.fset.Position(n.Pos()).Line}
	m.insert = append([]insertion{{at: from, text: before, span: to - from}, {at: to, text: after, span: from - to}}, more...)
	f.found = append(f.found, m)
}

// file finds the mutants of the functions of a file.
func (f *finder) file(tree *ast.File) {
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.function = fn.Name.Name
			if fn.Recv != nil && len(fn.Recv.List) == 1 {
				f.function = strings.TrimLeft(f.text(fn.Recv.List[0].Type), "*") + "." + f.function
			}
			ast.Inspect(fn.Body, f.visit)
		}
	}
}

// visit adds the mutants of a node, and reports whether the mutants of its parts may be added.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.ArrayType, *ast.CaseClause, *ast.CompositeLit:
		return f.parts(n)
	case *ast.IfStmt:
		f.condition(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && f.text(call.Fun) != "panic" {
			f.wrap("drop-call", n, "if !mutant.On(ID) { ", " }")
		}
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN && len(n.Rhs) == 1 && strings.HasPrefix(f.text(n.Rhs[0]), "append(") {
			f.wrap("drop-append", n, "if !mutant.On(ID) { ", " }")
		}
	case *ast.BasicLit:
		f.literal(n)
	}
	return true
}

// parts visits what of a node need not be constant.
func (f *finder) parts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CaseClause:
		for _, s := range n.Body {
			ast.Inspect(s, f.visit)
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			ast.Inspect(e, f.visit)
		}
	}
	return false
}

func (f *finder) isBool(e ast.Expr) bool {
	t, ok := f.info.Types[e]
	return ok && t.Value == nil && (t.Type == types.Typ[types.Bool] || t.Type == types.Typ[types.UntypedBool])
}

// condition adds the mutants of an if statement.
func (f *finder) condition(n *ast.IfStmt) {
	if !f.isBool(n.Cond) {
		return
	}
	f.wrap("negate", n.Cond, "mutant.Not(ID, ", ")")
	if n.Else != nil || len(n.Body.List) != 1 {
		return
	}
	switch n.Body.List[0].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		operator := "drop-return"
		if f.text(n.Cond) == "err != nil" {
			operator = "ignore-error"
		}
		f.wrap(operator, n.Cond, "(", ") && !mutant.On(ID)")
	}
}

// binary adds the mutants of an expression with two operands.
func (f *finder) binary(n *ast.BinaryExpr) {
	t := f.info.Types[n]
	if t.Value != nil {
		return
	}
	x, y := f.text(n.X), f.text(n.Y)
	if strings.Contains(x+y, "func(") || strings.Contains(x+y, "\n") {
		return
	}
	switch n.Op {
	case token.LSS, token.GTR:
		f.wrap("boundary", n, "(", fmt.Sprintf(" || mutant.On(ID) && (%s) == (%s))", x, y))
	case token.LEQ, token.GEQ:
		f.wrap("boundary", n, "(", fmt.Sprintf(" && !(mutant.On(ID) && (%s) == (%s)))", x, y))
	case token.ADD, token.SUB:
		if b, ok := t.Type.Underlying().(*types.Basic); !ok || b.Info()&(types.IsInteger|types.IsFloat) == 0 || strings.Contains(x+y, "<<") {
			return
		}
		name := map[token.Token]string{token.ADD: "Plus", token.SUB: "Minus"}[n.Op]
		f.wrap("swap", n, "mutant."+name+"(ID, ", ")", insertion{at: f.offset(n.OpPos), cut: 1, text: ","})
	}
}

// literal adds the mutant of a number.
func (f *finder) literal(n *ast.BasicLit) {
	t := f.info.Types[n]
	b, ok := t.Type.(*types.Basic)
	if n.Kind != token.INT || !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUntyped != 0 || t.Value.Kind() != constant.Int {
		return
	}
	f.wrap("one-more", n, "mutant.Int["+b.Name()+"](ID, ", ")")
}

// number gives mutants of the same names in a function their numbers.
func number(all []*mutant) {
	seen := map[string]int{}
	for _, m := range all {
		m.number = 1
		seen[m.key()]++
		m.number = seen[m.key()]
	}
}

// write returns a file with the switches of its mutants.
func write(source []byte, mutants []*mutant) []byte {
	var all []insertion
	for _, m := range mutants {
		for _, i := range m.insert {
			i.text = strings.ReplaceAll(i.text, "ID", fmt.Sprint(m.id))
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.span < 0 && b.span < 0: // ends: what was begun last ends first
			return b.span - a.span
		case a.span < 0 || b.span < 0: // what ends here ends before something begins
			return a.span - b.span
		}
		return b.span - a.span
	})
	untangle(all)
	var out []byte
	at := 0
	for _, i := range all {
		out = append(append(out, source[at:i.at]...), i.text...)
		at = i.at + i.cut
	}
	return append(out, source[at:]...)
}

// untangle reverses the order of ends that wrap the same node, so that they match their beginnings.
func untangle(all []insertion) {
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].at == all[from].at && all[to].span == all[from].span && all[from].span < 0 {
			to++
		}
		slices.Reverse(all[from:to])
		from = to
	}
}
