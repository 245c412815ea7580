// This file decides the type of every path from all of its values, whatever their order.

package mapping

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
)

// Place is the position of a value in the content.
type Place struct {
	File   int   // the number of the file in the order of the sources
	Offset int64 // in the file
}

func (p Place) compare(o Place) int {
	return cmp.Or(cmp.Compare(p.File, o.File), cmp.Compare(p.Offset, o.Offset))
}

// Field is a path with the type and the kinds of its values.
type Field struct {
	Path  string
	Type  snapshot.Type
	Items int          // items with a value; 0 where only values were counted
	Count [Kinds]int   // values of each kind
	First [Kinds]Place // the first value of each kind, where Count is not 0

	Outside      int   // numbers that the type cannot hold: searches by number do not find them
	FirstOutside Place // the first one
}

// Mixed reports whether the values are of more than one kind.
func (f *Field) Mixed() bool {
	total := 0
	for _, n := range f.Count {
		total += n
	}
	return slices.Max(f.Count[:]) < total
}

type found struct {
	Field
	words    bool // some string is not a date
	fraction bool // some number has a fraction
	beyond   [numberRanges]outside
}

// Survey counts the kinds of all values. It belongs to one goroutine.
type Survey struct {
	paths *Paths
	byID  []*found
	base  Place
	visit func(*Leaf)

	shapes *shapes
	own    []*Node // of records: the survey's nodes, by ids of the recorder's
	from   []*Node // of records: the recorder's nodes, by ids of the survey's
}

// NewSurvey returns an empty survey.
func NewSurvey() *Survey {
	s := &Survey{paths: NewPaths()}
	s.visit, s.shapes = s.leaf, newShapes(s.paths, MaxNodes, false)
	return s
}

// Item counts the values of an item, but not their shape.
func (s *Survey) Item(item []byte) { s.paths.Walk(item, s.visit) }

// Begin begins an item of a template.
func (s *Survey) Begin(template string) { s.shapes.begin(template) }

// Member counts the values of a member of the item, at an offset of a text that begins at base, and the values that its
// objects gain.
func (s *Survey) Member(name string, text []byte, at int, base Place, added []Added) {
	s.base = base
	s.shapes.walkMember(name, text, at, added, s.visit)
}

// Paths are the names of the paths that were met.
func (s *Survey) Paths() []string { return s.paths.names }

// References are the places in the current item's members that refer to ids, as their objects end in the text.
func (s *Survey) References() []RefersFrom { return s.shapes.references }

func (s *Survey) leaf(l *Leaf) {
	f := s.found(l.Path.ID, s.paths)
	at := Place{s.base.File, place(l, s.base.Offset)}
	f.add(l.Kind, 1, at)
	outside := beyond(l)
	for r, is := range outside {
		if is {
			f.beyond[r].add(1, at)
		}
	}
	known := l.Kind == Boolean || l.Kind == String && f.words || l.Kind == Number && f.fraction
	plain := (!known || l.undecided()) && plainer(l)
	f.words = f.words || l.Kind == String && plain
	f.fraction = f.fraction || l.Kind == Number && plain
	s.shapes.leaf(l, plain, outside[longRange])
}

func (s *Survey) found(id int, paths *Paths) *found {
	for len(s.byID) <= id {
		s.byID = append(s.byID, nil)
	}
	if s.byID[id] == nil {
		s.byID[id] = &found{Field: Field{Path: paths.names[id]}}
	}
	return s.byID[id]
}

func (f *found) add(k Kind, n int, first Place) {
	if f.Count[k] == 0 || first.compare(f.First[k]) < 0 {
		f.First[k] = first
	}
	f.Count[k] += n
}

// maxDateText is in bytes of JSON: forty characters, a few escaped.
const maxDateText = 256

func isDate(l *Leaf) bool {
	if len(l.Text) == 0 || len(l.Text) > maxDateText {
		return false
	}
	text := l.Text
	if !l.Plain {
		text = jsoncursor.AppendUnquoted(nil, text)
	}
	return analysis.IsDate(string(text))
}

func (f *found) merge(o *found) {
	f.Items += o.Items
	for k, n := range o.Count {
		if n > 0 {
			f.add(Kind(k), n, o.First[k])
		}
	}
	f.words, f.fraction = f.words || o.words, f.fraction || o.fraction
	for r, b := range o.beyond {
		f.beyond[r].add(b.count, b.first)
	}
}

// Scalars are the members of every item other than Data, whose types are fixed.
var Scalars = func() map[string]snapshot.Type {
	types := map[string]snapshot.Type{}
	for _, name := range address.ScalarFields() {
		types[name] = snapshot.Text
		if address.IsDate(name) {
			types[name] = snapshot.Date
		}
	}
	return types
}()

func (f *found) decide() snapshot.Type {
	t, scalar := Scalars[f.Path]
	switch {
	case scalar:
		return t
	case f.Mixed():
		return snapshot.Text
	case f.Count[Boolean] > 0:
		return snapshot.Boolean
	case f.Count[Number] > 0 && f.fraction:
		return snapshot.Float
	case f.Count[Number] > 0:
		return snapshot.Long
	case f.words:
		return snapshot.Text
	}
	return snapshot.Date
}

// Result merges surveys into fields, by path.
func Result(surveys ...*Survey) []Field {
	all := map[string]*found{}
	for _, s := range surveys {
		for _, f := range s.byID {
			if f == nil {
				continue // no selected item has the path
			}
			if have := all[f.Path]; have != nil {
				have.merge(f)
			} else {
				own := *f
				all[f.Path] = &own
			}
		}
	}
	out := make([]Field, 0, len(all))
	for _, f := range all {
		switch f.Type = f.decide(); f.Type {
		case snapshot.Long:
			f.Outside, f.FirstOutside = f.beyond[longRange].count, f.beyond[longRange].first
		case snapshot.Float:
			f.Outside, f.FirstOutside = f.beyond[floatRange].count, f.beyond[floatRange].first
		}
		out = append(out, f.Field)
	}
	slices.SortFunc(out, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return out
}
