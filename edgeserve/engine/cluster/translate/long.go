// This file says which bodies need values that are longer than keywords of an index.

package translate

import (
	"strings"
	"unicode/utf16"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/query"
)

// startOf returns the field with the beginnings of texts by which a path of text, or its keyword, is sorted. ok is false
// where keywords lack no text.
func (f Fields) startOf(field string) (start string, ok bool) {
	path, keyword := strings.CutSuffix(field, ".keyword")
	if _, isPath := f.Field(field); isPath || !keyword {
		path = field
	}
	return f.Sub(path, layout.Start)
}

// Cut reports whether an index sorts by the beginnings of a key's texts.
func (f Fields) Cut(k *query.SortKey) bool {
	if k.Exact {
		_, start := f.Sub(k.Field, layout.Start)
		_, order := f.Sub(k.Field, layout.Order)
		return start || order
	}
	_, ok := f.startOf(k.Field)
	return ok
}

// readsLong reports whether a part of a body reads the keyword of a path that lacks values, other than for a sort, or
// begins after a value that is cut.
func (f Fields) readsLong(body *query.Body) (reads bool) {
	if f.Names == nil || !f.HasLong() {
		return false
	}
	query.Walk(body, func(p query.Part) {
		if reads {
			return
		}
		reads = f.needsWhole(p)
		if b, ok := p.(*query.Body); ok {
			reads = reads || f.afterCut(b)
		}
	})
	return reads
}

// needsWhole reports whether a part itself, without the parts inside it, reads a keyword that lacks values.
func (f Fields) needsWhole(p query.Part) (needs bool) {
	switch n := p.(type) {
	case *compile.KeywordTerm:
		return f.Long(n.Field) && len(utf16.Encode([]rune(n.Text))) > layout.MaxKeyword
	case *query.Wildcard: // on whole values
		if f.Long(n.Field) {
			return true
		}
	case *query.Body:
		unsorted := *n
		unsorted.Order.Keys = nil // see Cut
		p = &unsorted
	}
	if anyField(p) {
		return f.reachesLong("*")
	}
	p.Visit(&query.Visitor{Field: func(name string) { needs = needs || f.reachesLong(name) }, Part: func(query.Part) {}})
	return needs
}

// anyField reports whether a query that names no fields is about all fields, or quoted text about fields with a suffix.
func anyField(p query.Part) bool {
	switch n := p.(type) {
	case *query.QueryString:
		return n.QuoteSuffix != "" || n.DefaultField == "" && n.Fields == nil
	case *query.SimpleQueryString:
		return n.QuoteSuffix != "" || n.Fields == nil
	case *query.MultiMatch:
		return n.Fields == nil
	case *query.MoreLikeThis:
		return n.Fields == nil
	}
	return false
}

// reachesLong reports whether a name or a pattern means a keyword that lacks values. A path of numbers, dates or
// booleans may be asked by its keyword.
func (f Fields) reachesLong(name string) bool {
	if !isPattern(name) {
		path, keyword := strings.CutSuffix(name, ".keyword")
		if _, isPath := f.Field(name); isPath {
			return f.typed(name) && f.Long(name)
		}
		return keyword && f.Long(path)
	}
	for path := range f.Fields() {
		if f.Long(path) && matches(name, path+".keyword") {
			return true
		}
	}
	return false
}

// afterCut reports whether a page begins after a text that is cut.
func (f Fields) afterCut(b *query.Body) bool {
	for i, v := range b.Window.After {
		if v == nil || i >= len(b.Order.Keys) || !f.Cut(&b.Order.Keys[i]) {
			continue
		}
		if _, cut := layout.StartOf(v.Text); cut {
			return true
		}
	}
	return false
}
