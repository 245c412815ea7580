// This file is the mapping file: by type of the source, what an import does in another way.

package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
)

// Mapping is a mapping file. All methods accept nil, which means no mapping file.
type Mapping struct {
	name  string // of the file
	types map[string]*typeMapping
	rules *jsontree.Value // the member json
	base  *Mapping        // of the system that the file names; its rules come first
	place func(offset int) (line, col int)
}

// ReadRules gives the member json of the mapping file of the system, and then of the file itself, to a function. Only
// the importer of other JSON uses that member. It returns the first fault.
func (m *Mapping) ReadRules(read func(in *Reader, v *jsontree.Value)) error {
	if m == nil {
		return nil
	}
	if err := m.base.ReadRules(read); err != nil || m.rules == nil {
		return err
	}
	in := &Reader{name: m.name, place: m.place}
	read(in, m.rules)
	if in.fault != nil {
		return in.fault
	}
	return nil
}

// typeMapping is what a mapping file says of a type.
type typeMapping struct {
	skip           bool
	template, name word
	status         word
	fields         []renamed
	references     [][]string      // paths of fields
	keep           map[string]bool // paths of secrets and addresses that are taken

	system bool // the mapping file of a system says it: exports need not have the type
	used   bool
	found  map[string]bool // paths at which items had a value
}

// word is a fixed word, or one that depends on a field.
type word struct {
	fixed  string
	from   []string          // the path of a field
	words  map[string]string // by its value; other values stay
	others string            // the word for values outside of words; ""
}

type renamed struct {
	old, name string // name is "": the field is left out
}

// Path returns the names of a path such as "seo.title"; it may begin with a dot.
func Path(text string) []string { return strings.Split(strings.TrimPrefix(text, "."), ".") }

func (m *Mapping) of(kind string) *typeMapping {
	if m == nil {
		return nil
	}
	t := m.types[kind]
	if t != nil {
		t.used = true
	}
	return t
}

// Skips reports whether a type is left out.
func (m *Mapping) Skips(kind string) bool {
	t := m.of(kind)
	return t != nil && t.skip
}

// get returns the value of a field, and records that the field exists.
func (t *typeMapping) get(data *jsontree.Value, path []string) *jsontree.Value {
	v := data.Get(path...)
	if v != nil {
		t.found[strings.Join(path, ".")] = true
	}
	return v
}

func (w word) in(t *typeMapping, data *jsontree.Value) string {
	if w.from == nil {
		return w.fixed
	}
	v := t.get(data, w.from)
	text := v.Text()
	if v.IsObject() {
		text = TextOf(v)
	}
	if to, ok := w.words[text]; ok {
		return to
	}
	if w.others != "" {
		return w.others
	}
	return text
}

// apply changes an item as the mapping file says. Paths use the names of the source: fields get their new names last.
func (t *typeMapping) apply(j *Job, i *Item) {
	if t == nil {
		return
	}
	for _, to := range []struct {
		word
		at *string
	}{{t.template, &i.TemplateName}, {t.name, &i.Name}, {t.status, &i.Status}} {
		if text := to.in(t, i.Data); text != "" {
			*to.at = text
		}
	}
	for _, path := range t.references {
		if v := t.get(i.Data, path); v != nil {
			i.Data.Get(path[:len(path)-1]...).Set(path[len(path)-1], j.referTo(v, i))
		}
	}
	for _, f := range t.fields {
		switch v := t.get(i.Data, []string{f.old}); {
		case v == nil:
		case f.name == "":
			i.Data.Delete(f.old)
		default:
			rename(j, i, f)
		}
	}
}

// rename gives a field another name in its place.
func rename(j *Job, i *Item, f renamed) {
	if i.Data.Has(f.name) {
		j.Warn(fmt.Sprintf("%s keeps its name, as %s exists", f.old, f.name), i.describe())
		return
	}
	for k := range i.Data.Members {
		if i.Data.Members[k].Name == f.old {
			i.Data.Members[k].Name = f.name
		}
	}
}

// referTo makes a reference of an id or of a list of ids, of items of the same class. Other values stay.
func (j *Job) referTo(v *jsontree.Value, i *Item) *jsontree.Value {
	list := []*jsontree.Value{v}
	if v.IsArray() {
		list = v.Items
	}
	var ids []string
	for _, id := range list {
		if !id.IsString() && !id.IsNumber() {
			if !id.IsNull() {
				j.Warn("values that the mapping file calls references are not ids, and stay", i.describe())
			}
			return v
		}
		ids = append(ids, j.ContentID(i.Class, id.Text()))
	}
	if len(ids) == 0 {
		return v
	}
	return Reference(ids...)
}

// keeps returns the paths that are kept although they hold secrets or addresses.
func (t *typeMapping) keeps() map[string]bool {
	if t == nil {
		return nil
	}
	return t.keep
}

// Names reports whether the mapping file names a type, so that it is taken although it looks like
// people's data.
func (m *Mapping) Names(kind string) bool { return m.of(kind) != nil }

// unused warns of what the mapping file names and the export lacks.
func (m *Mapping) unused(j *Job) {
	if m == nil {
		return
	}
	if m.rules != nil && !j.system.Rules {
		j.Warn(m.name+" has the member json, which only generator import json reads", "")
	}
	for _, name := range slices.Sorted(maps.Keys(m.types)) {
		t := m.types[name]
		if t.system {
			continue
		}
		if !t.used {
			j.warnings.addCount(fmt.Sprintf("%s names the type %q, which the export lacks", m.name, name), "", 0)
			continue
		}
		for _, path := range t.paths() {
			if !t.skip && !t.found[path] {
				j.warnings.addCount(fmt.Sprintf("%s names the field %q of %q, which no item has", m.name, path, name), "", 0)
			}
		}
	}
}

// paths lists the fields that the mapping file names of a type.
func (t *typeMapping) paths() (all []string) {
	for _, w := range []word{t.template, t.name, t.status} {
		if w.from != nil {
			all = append(all, strings.Join(w.from, "."))
		}
	}
	for _, path := range t.references {
		all = append(all, strings.Join(path, "."))
	}
	for _, f := range t.fields {
		all = append(all, f.old)
	}
	return all
}
