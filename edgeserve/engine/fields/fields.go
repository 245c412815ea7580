// Package fields resolves field names of queries. A path has the type that fits all its values and,
// like an Elasticsearch multi-field, sub-fields: .keyword for whole strings, and .long, .double,
// .boolean and .date for strings that parse as the type.
//
//	Resolver  a name or a pattern of names → targets
//	Target    what a clause searches: a path or a sub-field, with its values and their kind
//	metadata  _id, _index and the like, which are targets too: metadata.go
package fields

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// Kind is the type of a target.
type TargetKind uint8

const (
	Text    TargetKind = iota // analyzed text
	Keyword                   // whole strings
	Long
	Float  // 32-bit numbers
	Double // 64-bit numbers
	Date
	Boolean
)

var kinds = [...]struct {
	sub    snapshot.Sub // the sub-field of this kind, or SubCount
	plural string       // name of its values
	bits   int          // size of its numbers
	admit  func(text string) bool
}{
	Text:    {sub: snapshot.SubCount},
	Keyword: {sub: snapshot.SubKeyword, plural: "whole texts"},
	Long:    {sub: snapshot.SubLong, plural: "integers", bits: 64, admit: reads(analysis.ReadLong)},
	Float:   {sub: snapshot.SubCount, plural: "numbers", bits: 32},
	Double:  {sub: snapshot.SubDouble, plural: "numbers", bits: 64, admit: reads(analysis.ReadDouble)},
	Date:    {sub: snapshot.SubDate, plural: "dates", admit: reads(analysis.ReadDate)},
	Boolean: {sub: snapshot.SubBoolean, plural: "booleans", admit: reads(analysis.ReadBool)},
}

func reads[T any](read func(string) (T, bool)) func(string) bool {
	return func(text string) bool { _, ok := read(text); return ok }
}

var kindOfType = [...]TargetKind{
	snapshot.Text: Text, snapshot.Date: Date, snapshot.Long: Long, snapshot.Float: Float, snapshot.Boolean: Boolean,
}

var kindOfSub = func() (of [snapshot.SubCount]TargetKind) {
	for k, about := range kinds {
		if about.sub < snapshot.SubCount {
			of[about.sub] = TargetKind(k)
		}
	}
	return of
}()

// Plural returns a noun for the kind's values.
func (k TargetKind) Plural() string { return kinds[k].plural }

// Bits returns the size of the kind's numbers.
func (k TargetKind) Bits() int { return kinds[k].bits }

// Typed reports whether searches use typed values instead of terms or whole strings.
func (k TargetKind) Typed() bool { return k > Keyword }

// IsNumber reports whether values are numbers. Dates and booleans are not.
func (k TargetKind) IsNumber() bool { return k == Long || k.IsFraction() }

// IsFraction reports whether values are written with a fraction.
func (k TargetKind) IsFraction() bool { return k == Float || k == Double }

// Target is what a clause searches: a path or a sub-field.
type Target struct {
	Field  *snapshot.Field
	Values *snapshot.Values // doc values
	Sort   *snapshot.Column // which documents have a value; also the sort order
	Kind   TargetKind
	Boost  float64

	Metadata   bool                   // the target is not a member of items, and its terms have a constant score
	ValuesOnly bool                   // the text of typed values is not searched: the clause is lenient or searches all fields
	Admit      func(text string) bool // selects strings; nil means all
}

// OfPath returns the target of a path.
func OfPath(f *snapshot.Field) Target {
	return Target{Field: f, Values: &f.Values, Sort: f.SortColumn(), Kind: kindOfType[f.Type], Boost: 1}
}

// OfSub returns the target of a sub-field. ok is false if no value of the path parses as its type.
func OfSub(f *snapshot.Field, s snapshot.Sub) (t Target, ok bool) {
	v := f.Sub(s)
	if v == nil {
		return Target{}, false
	}
	return Target{Field: f, Values: v, Sort: v.Column(), Kind: kindOfSub[s], Boost: 1}, true
}

// Exists reports whether an `exists` query finds the target. In Elasticsearch only paths of text have a
// keyword.
func (t *Target) Exists() bool { return t.Kind != Keyword || t.Field.Type == snapshot.Text }

// Name returns the target's name in queries.
func (t *Target) Name() string {
	switch {
	case t.Metadata && t.Field.Path == snapshot.IDField:
		return IDName
	case t.Metadata, t.Values == &t.Field.Values && t.Kind != Keyword:
		return t.Field.Path
	}
	return t.Field.Path + "." + kinds[t.Kind].sub.String()
}

// Keyword returns the path's keyword, for clauses that the target's type does not support. ok is false
// for a target with ValuesOnly.
func (t *Target) Keyword() (keyword Target, ok bool) {
	if !t.Kind.Typed() {
		return *t, true
	}
	keyword, ok = OfSub(t.Field, snapshot.SubKeyword)
	if !ok || t.ValuesOnly {
		return Target{}, false
	}
	if t.Values != &t.Field.Values {
		keyword.Admit = kinds[t.Kind].admit
	}
	return keyword, true
}

// KeywordSuffix is the name of the keyword sub-field with its dot.
const KeywordSuffix = ".keyword"

// Resolver resolves the field names of a snapshot.
type Resolver struct {
	Reader *snapshot.Reader
	Spend  func(steps int) error // charges work; nil means that work is free. After an error some names are missing
}

// The costs in steps: lookSteps for comparing a field with a pattern, targetSteps for a resolved field.
const (
	lookSteps   = 4
	targetSteps = 16
)

// goOn charges steps and reports whether the request may continue.
func (r Resolver) goOn(steps int) bool { return r.Spend == nil || r.Spend(steps) == nil }

// Resolve returns the target of a name. A name may be a path or a sub-field; the path takes precedence.
// ok is false if no item has a field of this name.
func (r Resolver) Resolve(name string) (t Target, ok bool) {
	if strings.HasPrefix(name, "_") {
		if t, ok = r.metadata(name); ok {
			return t, ok
		}
	}
	if f := r.Reader.Field(name); f != nil {
		return OfPath(f), true
	}
	if path, s, ok := cutSub(name); ok {
		if f := r.Reader.Field(path); f != nil {
			return OfSub(f, s)
		}
	}
	return Target{}, false
}

// OrEmpty is Resolve, but returns the target of an empty text for a name that no item has. Highlights need it: the
// words of patterns and spans in this field may be in other fields.
func (r Resolver) OrEmpty(name string) Target {
	t, ok := r.Resolve(name)
	if !ok {
		f := &snapshot.Field{Path: name}
		t = Target{Field: f, Values: &f.Values, Kind: Text, Boost: 1}
	}
	return t
}

func cutSub(name string) (path string, s snapshot.Sub, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", 0, false
	}
	s, ok = snapshot.FindSub(name[i+1:])
	return name[:i], s, ok
}

// AllFields returns the targets of a query without fields.
func (r Resolver) AllFields() []Target { return r.matching("*") }

// matching returns the paths, and the keywords of text, that match a pattern of stars. Other sub-fields match only a
// pattern that ends in their name.
func (r Resolver) matching(pattern string) (ts []Target) {
	_, named, ends := cutSub(pattern)
	all := pattern == "*"
	if strings.HasPrefix(pattern, "_") {
		for _, name := range MetadataNames {
			if t, ok := r.metadata(name); ok && Matches(pattern, name) {
				ts = append(ts, t)
			}
		}
	}
	if all {
		ts = make([]Target, 0, 2*len(r.Reader.Fields()))
	}
	for _, f := range r.Reader.Fields() {
		if !r.goOn(lookSteps) {
			break
		}
		if all || Matches(pattern, f.Path) {
			t := OfPath(f)
			t.ValuesOnly = all
			ts = append(ts, t)
		}
		s := snapshot.SubKeyword
		if ends && named != snapshot.SubKeyword {
			s = named
		} else if f.Type != snapshot.Text {
			continue
		}
		if t, ok := OfSub(f, s); ok && !f.Hidden(s) && (all || Matches(pattern, f.Path+"."+s.String())) {
			ts = append(ts, t)
		}
	}
	return ts
}

// Named returns the targets of a name or a pattern of stars.
func (r Resolver) Named(name string) []Target {
	if strings.Contains(name, "*") {
		return r.matching(name)
	}
	if t, ok := r.Resolve(name); ok {
		return []Target{t}
	}
	return nil
}

// Existing returns the targets of `exists`: a path, the paths below an object, or a pattern. A path
// may be a value in one item and an object in another.
func (r Resolver) Existing(name string) (ts []Target) {
	ts = slices.DeleteFunc(r.Named(name), func(t Target) bool { return !t.Exists() })
	return append(ts, r.Below(name)...)
}

// Below returns the paths below an object. For _version, which has no values, it returns the index:
// every document has a version and an index.
func (r Resolver) Below(name string) (ts []Target) {
	if t, ok := r.metadata(snapshot.IndexField); ok && name == versionName {
		return []Target{t}
	}
	for _, f := range r.Reader.FieldsBelow(name + ".") {
		if !r.goOn(targetSteps) {
			break
		}
		ts = append(ts, OfPath(f))
	}
	return ts
}

// Matches reports whether a pattern of stars matches a name.
func Matches(pattern, name string) bool {
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

// List resolves a `fields` option. star reports whether an entry is "*". A name listed twice has its
// last boost; with multiply, an entry without a boost keeps the earlier boost. The boost of a field that
// two entries match is the product of their boosts.
func (r Resolver) List(list []query.FieldBoost, multiply bool) (ts []Target, star bool) {
	entries := map[string]float64{}
	var order []string
	for _, f := range list {
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
		kind TargetKind
	}
	at := map[key]int{}
	for _, name := range order {
		star = star || name == "*"
		for _, t := range r.Named(name) {
			if !r.goOn(targetSteps) {
				return ts, star
			}
			k := key{t.Values, t.Kind}
			if i, ok := at[k]; ok {
				ts[i].Boost *= entries[name]
				continue
			}
			at[k] = len(ts)
			t.Boost = entries[name]
			ts = append(ts, t)
		}
	}
	for i := range ts {
		ts[i].ValuesOnly = star
	}
	return ts, star
}

// Suffixed replaces each field by the field whose name has a suffix in addition, if there is such a
// field.
func (r Resolver) Suffixed(ts []Target, suffix string) (out []Target) {
	type key struct {
		v    *snapshot.Values
		kind TargetKind
	}
	at := map[key]int{}
	for _, t := range ts {
		if !r.goOn(targetSteps) {
			break
		}
		if other, ok := r.Resolve(t.Name() + suffix); ok {
			other.Boost, other.ValuesOnly = t.Boost, t.ValuesOnly
			t = other
		}
		k := key{t.Values, t.Kind}
		if i, ok := at[k]; ok {
			out[i].Boost *= t.Boost
			continue
		}
		at[k] = len(out)
		out = append(out, t)
	}
	return out
}
