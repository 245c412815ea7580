package problem

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// codes are the constants of codes.go.
func codes(t *testing.T) (all []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok {
			code, _ := strconv.Unquote(literal.Value)
			all = append(all, code)
		}
		return true
	})
	return all
}

// TestProblem shows what the table of codes contains, and the problem that New makes from a code.
func TestProblem(t *testing.T) {
	t.Run("every code has one row", func(t *testing.T) {
		all := codes(t)
		for _, code := range all {
			if Of(code) == nil {
				t.Errorf("%s has no row in the table", code)
			}
		}
		for i, r := range rows {
			if !slices.Contains(all, r.code) || slices.ContainsFunc(rows[:i], func(before row) bool { return before.code == r.code }) {
				t.Errorf("row %d: %s is no code of codes.go, or has another row", i, r.code)
			}
		}
	})
	t.Run("the status of a problem says whose fault it is", func(t *testing.T) { // RFC 9110, 15.5 and 15.6
		for _, r := range rows {
			client := r.status < 500 || r.status == 501 || r.status == 505 // the request asks for what the server does not do
			if client != (r.fault == Client) {
				t.Errorf("%s: status %d, but fault %d", r.code, r.status, r.fault)
			}
		}
	})
	t.Run("a problem has the status of its code and a message of its own", func(t *testing.T) {
		p := New(NotReady, "the server is stopping")
		if p.Status != 503 || p.Code != "not_ready" || p.Message != "the server is stopping" || p.Position != -1 {
			t.Errorf("%+v", p)
		}
		if Of(NotReady).Message == p.Message {
			t.Error("New changed the standard text")
		}
	})
}
