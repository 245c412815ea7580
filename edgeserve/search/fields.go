// This file finds what a field name of a query stands for.

package search

import (
	"strings"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// targetKind is how a target is searched.
type targetKind uint8

const (
	onText    targetKind = iota // words
	onKeyword                   // whole texts
	onLong
	onFloat  // numbers of 32 bits
	onDouble // numbers of 64 bits
	onDate
	onBool
)

// holds names what the values of a target are.
var holds = [...]string{onLong: "integers", onFloat: "numbers", onDouble: "numbers", onDate: "dates", onBool: "booleans"}

// typed tells that values are searched, not words or whole texts.
func (k targetKind) typed() bool { return k > onKeyword }

// isNumber tells that values are numbers that are neither dates nor booleans.
func (k targetKind) isNumber() bool { return k == onLong || k.isFraction() }

// isFraction tells that values are written with a fraction.
func (k targetKind) isFraction() bool { return k == onFloat || k == onDouble }

// target is what a clause searches: a path, or a sub-field of one.
type target struct {
	f     *snapshot.Field
	v     *snapshot.Values // of the path or the sub-field
	order *snapshot.Column // which documents have a value, in the order of a sort
	kind  targetKind
	boost float64

	flat  bool                   // terms have a constant score: it is _id
	all   bool                   // it is searched because all fields are
	admit func(text string) bool // whole texts that count; nil: all
}

var kindOf = map[snapshot.Type]targetKind{
	snapshot.Text: onText, snapshot.Date: onDate, snapshot.Long: onLong, snapshot.Float: onFloat, snapshot.Boolean: onBool,
}

var kindOfSub = [...]targetKind{
	snapshot.SubKeyword: onKeyword, snapshot.SubLong: onLong, snapshot.SubDouble: onDouble, snapshot.SubBoolean: onBool, snapshot.SubDate: onDate,
}

// pathTarget is a path, as its type has it.
func pathTarget(f *snapshot.Field) target {
	return target{f: f, v: &f.Values, order: f.SortColumn(), kind: kindOf[f.Type], boost: 1}
}

// subTarget is a sub-field of a path; ok is false where no value can be read so.
func subTarget(f *snapshot.Field, s snapshot.Sub) (t target, ok bool) {
	v := f.Sub(s)
	if v == nil {
		return target{}, false
	}
	return target{f: f, v: v, order: v.Column(), kind: kindOfSub[s], boost: 1}, true
}

// exists tells whether `exists` knows the target. Of keywords it knows those of text alone:
// no others are in a mapping of Elasticsearch.
func (t target) exists() bool { return t.kind != onKeyword || t.f.Type == snapshot.Text }

// name is how a query names the target.
func (t target) name() string {
	switch {
	case t.flat:
		return idName
	case t.v == &t.f.Values && t.kind != onKeyword:
		return t.f.Path
	}
	for s := range snapshot.SubCount {
		if kindOfSub[s] == t.kind && t.f.Sub(s) == t.v {
			return t.f.Path + "." + s.String()
		}
	}
	return t.f.Path
}

// textForm is the target of a query that the type of t cannot answer: the whole texts of
// its values. There is none where all fields are searched.
func (t target) textForm() (target, bool) {
	if !t.kind.typed() {
		return t, true
	}
	texts, ok := subTarget(t.f, snapshot.SubKeyword)
	if !ok || t.all {
		return target{}, false
	}
	if t.v != &t.f.Values {
		texts.admit = readers[t.kind]
	}
	return texts, true
}

// readers tell which texts fill a sub-field.
var readers = [...]func(text string) bool{
	onLong:   func(text string) bool { _, ok := analysis.ReadLong(text); return ok },
	onDouble: func(text string) bool { _, ok := analysis.ReadDouble(text); return ok },
	onDate:   func(text string) bool { _, ok := analysis.ReadDate(text); return ok },
	onBool:   func(text string) bool { _, ok := analysis.ReadBool(text); return ok },
}

const keywordSuffix = ".keyword"

// idName is the name under which Elasticsearch has the id of a document.
const idName = "_id"

// resolve finds what a name stands for; ok is false where no item has it. A path wins
// over a sub-field of the same name.
func (b *builder) resolve(name string) (t target, ok bool) {
	if name == idName {
		if f := b.r.Field(snapshot.IDField); f != nil {
			t, ok = subTarget(f, snapshot.SubKeyword)
			t.flat = true
		}
		return t, ok
	}
	if f := b.r.Field(name); f != nil {
		return pathTarget(f), true
	}
	if path, s, ok := cutSub(name); ok {
		if f := b.r.Field(path); f != nil {
			return subTarget(f, s)
		}
	}
	return target{}, false
}

// cutSub takes a sub-field's name off the end of a name.
func cutSub(name string) (path string, s snapshot.Sub, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", 0, false
	}
	s, ok = snapshot.FindSub(name[i+1:])
	return name[:i], s, ok
}

// matching returns what the names of a pattern of stars stand for: paths, the keywords of
// text, and, where the pattern ends in its name, any sub-field.
func (b *builder) matching(pattern string) (ts []target) {
	_, named, ends := cutSub(pattern)
	all := pattern == "*"
	for _, f := range b.r.Fields() {
		if all || starMatch(pattern, f.Path) {
			t := pathTarget(f)
			t.all = all
			ts = append(ts, t)
		}
		s := snapshot.SubKeyword
		if ends {
			s = named
		} else if f.Type != snapshot.Text {
			continue
		}
		if t, ok := subTarget(f, s); ok && !f.Hidden(s) && (all || starMatch(pattern, f.Path+"."+s.String())) {
			ts = append(ts, t)
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
		v    *snapshot.Values
		kind targetKind
	}
	at := map[key]int{}
	var ts []target
	for _, name := range order {
		for _, t := range b.named(name) {
			k := key{t.v, t.kind}
			if i, ok := at[k]; ok {
				ts[i].boost *= entries[name]
				ts[i].all = ts[i].all && t.all
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
