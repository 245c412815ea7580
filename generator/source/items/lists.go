// This file makes lists of texts, as a rule says.

package items

import (
	"slices"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/csvtext"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/record"
)

// entries reads a text by a rule. Texts of members that the rule calls lists are lists then.
func (f *Format) entries(text []byte, rule *environment.Rule) ([]entry, []record.Fault) {
	read, faults := f.read(text, rule)
	if len(rule.Lists) == 0 {
		return read, faults
	}
	entries := read[:0]
	for _, e := range read {
		l := lister{rule: rule, from: &e.rec}
		l.object(0, "")
		rec, fault := l.b.Record()
		if fault != nil {
			faults = append(faults, *fault)
			continue
		}
		e.rec = rec
		entries = append(entries, e)
	}
	return entries, faults
}

// lister copies a record.
type lister struct {
	rule *environment.Rule
	from *record.Record
	b    record.Builder
}

// object copies an object whose path ends with a dot, or is empty.
func (l *lister) object(start int, path string) {
	l.b.Object(l.from.Place(start))
	jsoncursor.Children(l.from.JSON, start, func(quoted []byte, at int) int {
		end, name := jsoncursor.ValueEnd(l.from.JSON, at), string(jsoncursor.Unquote(quoted))
		l.b.Key(name, l.from.Place(at-1-len(quoted)))
		i := slices.IndexFunc(l.rule.Lists, func(c environment.Column) bool { return c.Name == path+name })
		switch first := l.from.JSON[at]; {
		case i >= 0 && first == '"':
			l.list(at, l.rule.Lists[i].Value)
		case first == '{':
			l.object(at, path+name+".")
		default:
			l.b.Value(l.from, at, end)
		}
		return end
	})
	l.b.EndObject()
}

// list writes the list of a text. All its values have the place of the text.
func (l *lister) list(at int, separator string) {
	place := l.from.Place(at)
	l.b.Array(place)
	for part := range csvtext.Split(string(jsoncursor.StringAt(l.from.JSON, at)), separator) {
		if l.b.Fault() != nil {
			return
		}
		l.b.String(part, place)
	}
	l.b.EndArray()
}
