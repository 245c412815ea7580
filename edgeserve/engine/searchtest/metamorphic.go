// This file asks the engine the same thing in two ways.

package searchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
)

// rewrites are queries that match what a, or a, b and c, match. Where in a, b and c an
// error lies may decide whether it counts, so they are compared where all are right.
var rewrites = []struct {
	name      string
	plain     func(a, b, c object) object
	rewritten func(a, b, c object) object
}{
	{"a or a", just, func(a, _, _ object) object { return boolOf("should", a, a) }},
	{"a and a", just, func(a, _, _ object) object { return boolOf("must", a, a) }},
	{"filter a", just, func(a, _, _ object) object { return boolOf("filter", a) }},
	{"constant a", just, func(a, _, _ object) object { return object{"constant_score": object{"filter": a}} }},
	{"not not a", just, func(a, _, _ object) object { return boolOf("must_not", boolOf("must_not", a)) }},
	{"a or b", func(a, b, _ object) object { return boolOf("should", a, b) }, func(a, b, _ object) object { return boolOf("should", b, a) }},
	{"not (a and b)", func(a, b, _ object) object { return boolOf("must_not", boolOf("must", a, b)) },
		func(a, b, _ object) object { return boolOf("should", boolOf("must_not", a), boolOf("must_not", b)) }},
	{"a and (b or c)", func(a, b, c object) object { return boolOf("must", a, boolOf("should", b, c)) },
		func(a, b, c object) object { return boolOf("should", boolOf("must", a, b), boolOf("must", a, c)) }},
	{"two of three", func(a, b, c object) object {
		return object{"bool": object{"should": []any{a, b, c}, "minimum_should_match": 2}}
	}, func(a, b, c object) object {
		return boolOf("should", boolOf("must", a, b), boolOf("must", b, c), boolOf("must", a, c))
	}},
}

func just(a, _, _ object) object { return a }

func boolOf(part string, clauses ...object) object { return object{"bool": object{part: clauses}} }

// matches is the documents a query matches, ascending.
func (e *env) matches(q object) ([]snapshot.DocID, error) {
	raw, err := json.Marshal(object{"query": q})
	if err != nil {
		return nil, err
	}
	b, err := body.Parse(raw)
	if err != nil {
		return nil, err
	}
	res, err := e.eval(b, 0, whole)
	if err != nil {
		return nil, err
	}
	if res.Total != len(res.Docs) {
		return nil, fmt.Errorf("total %d of %d documents", res.Total, len(res.Docs))
	}
	slices.Sort(res.Docs)
	return res.Docs, nil
}

func testMetamorphic(t *testing.T, open Open) {
	compared := 0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 4))
		e := newEnv(t, open, newWriter(r).items(size(r, 0)))
		a := newAsker(r, e.twin)
		for range 30 {
			compared += e.rewrite(t, seed, a.clause(2), a.clause(2), a.clause(2))
		}
	}
	if compared < 500 {
		t.Errorf("only %d comparisons", compared)
	}
}

// rewrite compares all rewrites of three clauses and counts them.
func (e *env) rewrite(t *testing.T, seed uint64, a, b, c object) int {
	for _, q := range []object{a, b, c} {
		var refused *query.Error
		if _, err := e.matches(q); errors.As(err, &refused) {
			return 0
		}
	}
	for _, w := range rewrites {
		plain, rewritten := w.plain(a, b, c), w.rewritten(a, b, c)
		want, err := e.matches(plain)
		got, err2 := e.matches(rewritten)
		if err != nil || err2 != nil || !slices.Equal(got, want) {
			x, _ := json.Marshal(plain)
			y, _ := json.Marshal(rewritten)
			t.Fatalf("seed %d: %s: %v %v\n%v %s\n%v %s", seed, w.name, err, err2, want, x, got, y)
		}
	}
	return len(rewrites)
}

// testUnrelatedItem adds an item that shares nothing with the others: what matches by
// words stays what it was.
func testUnrelatedItem(t *testing.T, open Open) {
	const stranger = `{"ContentID":"Z","CreatedAt":"2000-01-01T00:00:00.000Z","Stranger":"unheardof"}`
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 5))
		items := newWriter(r).items(40)
		e, more := newEnv(t, open, items), newEnv(t, open, append(items, stranger))
		a := newAsker(r, e.twin)
		for range 40 {
			a.near = pick(r, []string{"Name", "Name.keyword", "TemplateName"})
			q := object{"match": object{a.near: object{"query": a.text(), "fuzziness": pick(r, []any{0, 1})}}}
			want, err := e.matches(q)
			got, err2 := more.matches(q)
			if err != nil || err2 != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v: %v %v, %v %v", seed, q, got, err2, want, err)
			}
		}
	}
}

// testTextFormIsKeyword asks the same about a path of numbers, dates or booleans and
// about the whole values of its keyword sub-field.
func testTextFormIsKeyword(t *testing.T, open Open) {
	matching := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 8))
		e := newEnv(t, open, newWriter(r).items(40))
		a := newAsker(r, e.twin)
		paths := slices.DeleteFunc(a.typed, func(name string) bool { return e.twin.fields[name] == nil || e.twin.subs[name+".keyword"] == nil })
		for range 30 {
			path := pick(r, paths)
			a.near = path
			about := a.aboutText()
			got, err := e.matches(about(path))
			want, err2 := e.matches(about(path + ".keyword"))
			if (err != nil) != (err2 != nil) || !slices.Equal(got, want) { // AND~1 is an error on both
				t.Fatalf("seed %d: %v: %v %v, %v %v", seed, about(path), got, err, want, err2)
			}
			matching += min(len(got), 1)
		}
	}
	if matching < 100 {
		t.Errorf("only %d questions match anything", matching)
	}
}

// aboutText is a query about the whole values of a field.
func (a *asker) aboutText() func(field string) object {
	kind, text := pick(a.Rand, []string{"wildcard", "prefix", "term", "match", "query_string"}), a.word()
	var c object
	switch kind {
	case "wildcard":
		c = object{"value": a.pattern(), "case_insensitive": false}
	case "prefix":
		c = object{"value": a.start()}
	case "term":
		c = object{"value": text, "case_insensitive": true}
	case "match":
		c = object{"query": a.mistype(text), "fuzziness": pick(a.Rand, []any{"AUTO", 0, 1, 2})}
	default:
		q := pick(a.Rand, []string{quoteSyntax(a.start()) + "*", quoteSyntax(text) + "~1", "/[0-9a-t.]*/"})
		return func(field string) object { return object{kind: object{"query": q, "default_field": field}} }
	}
	return func(field string) object { return object{kind: object{field: c}} }
}
