// This file finds what a field name of a query stands for.

package search

import (
	"strings"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// targetKind is how a target is searched.
type targetKind uint8

const (
	onText    targetKind = iota // words
	onKeyword                   // whole strings
	onNumber                    // long or float
	onDate
	onBool
)

// target is a field a clause searches.
type target struct {
	f     *snapshot.Field
	kind  targetKind
	boost float64
}

var kindOf = map[snapshot.Type]targetKind{
	snapshot.Text: onText, snapshot.Date: onDate, snapshot.Long: onNumber, snapshot.Float: onNumber, snapshot.Boolean: onBool,
}

// subFields are the names, beside keyword, under which a typed path answers too.
var subFields = map[string]func(snapshot.Type) bool{
	"long":    func(t snapshot.Type) bool { return t == snapshot.Long || t == snapshot.Float },
	"double":  func(t snapshot.Type) bool { return t == snapshot.Long || t == snapshot.Float },
	"boolean": func(t snapshot.Type) bool { return t == snapshot.Boolean },
	"date":    func(t snapshot.Type) bool { return t == snapshot.Date },
}

const keywordSuffix = ".keyword"

// resolve finds the field of a name; ok is false where no item has it.
func (b *builder) resolve(name string) (target, bool) {
	if f := b.r.Field(name); f != nil {
		return target{f, kindOf[f.Type], 1}, true
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return target{}, false
	}
	f := b.r.Field(name[:i])
	if f == nil {
		return target{}, false
	}
	if name[i:] == keywordSuffix {
		return target{f, onKeyword, 1}, f.Type == snapshot.Text
	}
	fits := subFields[name[i+1:]]
	return target{f, kindOf[f.Type], 1}, fits != nil && fits(f.Type)
}

// matching returns the fields whose names match a pattern of stars.
func (b *builder) matching(pattern string) (ts []target) {
	for _, f := range b.r.Fields() {
		if starMatch(pattern, f.Path) {
			ts = append(ts, target{f, kindOf[f.Type], 1})
		}
		if f.Type == snapshot.Text && starMatch(pattern, f.Path+keywordSuffix) {
			ts = append(ts, target{f, onKeyword, 1})
		}
	}
	return ts
}

// named returns the fields of a name or pattern.
func (b *builder) named(name string) []target {
	if strings.Contains(name, "*") {
		return b.matching(name)
	}
	if t, ok := b.resolve(name); ok {
		return []target{t}
	}
	return nil
}

// starMatch matches a whole name against a pattern of stars.
func starMatch(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, rest)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}

// fieldList resolves a `fields` option. A name listed twice takes its last boost, or,
// where unboosted entries multiply, the product; a field reached by two entries takes
// the product of their boosts.
func (b *builder) fieldList(fields []query.FieldBoost, multiply bool) []target {
	entries := map[string]float64{}
	var order []string
	for _, f := range fields {
		old, seen := entries[f.Field]
		if !seen {
			order = append(order, f.Field)
		}
		entries[f.Field] = f.Boost
		if seen && multiply && !f.Boosted {
			entries[f.Field] = old * f.Boost
		}
	}
	type key struct {
		f    *snapshot.Field
		kind targetKind
	}
	at := map[key]int{}
	var ts []target
	for _, name := range order {
		for _, t := range b.named(name) {
			k := key{t.f, t.kind}
			if i, ok := at[k]; ok {
				ts[i].boost *= entries[name]
				continue
			}
			at[k] = len(ts)
			t.boost = entries[name]
			ts = append(ts, t)
		}
	}
	return ts
}

// hasStar tells whether a list of fields includes all of them.
func hasStar(fields []query.FieldBoost) bool {
	for _, f := range fields {
		if f.Field == "*" {
			return true
		}
	}
	return false
}
