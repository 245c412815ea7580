// This file has the rules: where the items are, and what of each is its id, its name and its dates. Flags give them, or
// the member json of a mapping file.

package anyjson

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/csvtext"
	"contentedge/generator/visibility"
)

// Options are the flags, paths or words as they were typed; "" where nothing was.
type Options struct {
	Items, ID, Name, Template, Created, Updated, Published, Status string

	CSV   bool   // the export is CSV: a path may be the name of a column
	Group string // of CSV: the column by which rows become one item

	Timezone *time.Location // of dates without a zone; nil: UTC
}

// rules say how an element becomes an item. A nil member says nothing.
type rules struct {
	items     []route // where the items are; none means the only array in the file
	more      []route // what says that the response is not the last one
	id        []route // the first with a value
	key       []route // another name under which links know the item
	kind      *value  // the type: ids are unique in it, and the mapping file names it
	name      []route
	template  *value
	created   []route
	updated   []route
	published []route
	expires   []route
	status    []*value // the strictest counts
	sparse    bool     // elements lack what is empty or false
	data      []route  // objects whose members are the fields; none means the element
	also      []route  // more values that are fields, by their own names
	value     []route  // of a field, where it is an object around a value
	links     []link
	media     []media
	textIDs   *regexp.Regexp    // texts that may be ids of items or of files
	refs      map[string]string // fields that hold ids, and the type of the ids
	lists     map[string]string // fields whose texts are lists, and what separates the values
	numbers   map[string]bool   // fields whose texts are numbers
	group     csvtext.Group
	header    []string // columns by which CSV of the system is known
}

// value is a fixed word, or comes from a path, and then perhaps over words.
type value struct {
	fixed string
	from  []route
	file  bool // the name of the file is the value if no path leads to one
	marks bool // it is the status by the marks
	words map[string]string
	other string // the word for values outside of words
	quiet bool   // other values say nothing, and marks only what is known
}

// match finds objects in data by members that they must have, some with a fixed value.
type match struct {
	has   []route
	where []condition
}

// condition is a text, a number or a boolean at a path.
type condition struct {
	at   route
	word string
}

// link finds objects that refer to an item or to a file.
type link struct {
	match
	id                 []route
	kind               *value
	inline             bool // the object has the fields of the item, and stays if the export lacks it
	alt, width, height []route
}

// media finds objects that refer to a file, elements that are one, and texts with addresses.
type media struct {
	match
	pattern                                 *regexp.Regexp // of texts
	many                                    bool           // a text is a list of files
	url, id, alt, file, width, height, size []route
}

// readRules reads the rules of a mapping file, and then the flags, which win.
func readRules(o Options, m *imports.Mapping) (*rules, error) {
	r := &rules{refs: map[string]string{}, lists: map[string]string{}, numbers: map[string]bool{}}
	if err := m.ReadRules(func(in *imports.Reader, v *jsontree.Value) { reader{in}.rules(v, r) }); err != nil {
		return nil, err
	}
	if err := r.flags(o); err != nil {
		return nil, err
	}
	r.group.Single = r.decides
	return r, nil
}

// flags reads the rules that flags give.
func (r *rules) flags(o Options) error {
	for _, f := range []struct {
		name, text string
		to         *[]route
	}{
		{"--items", o.Items, &r.items}, {"--id", o.ID, &r.id}, {"--name", o.Name, &r.name},
		{"--created", o.Created, &r.created}, {"--updated", o.Updated, &r.updated}, {"--published", o.Published, &r.published},
	} {
		if f.text == "" {
			continue
		}
		p, err := parsePath(f.text)
		switch {
		case o.CSV && !strings.HasPrefix(f.text, "."):
			p = column(f.text)
		case err != nil:
			return &imports.UsageError{Option: f.name, Message: err.Error(), Hint: "a path leads from an item to a value, as .slug or .meta.date"}
		}
		*f.to = []route{p}
	}
	if o.Group != "" {
		r.group.By = strings.TrimPrefix(o.Group, ".")
	}
	return r.words(o)
}

// words reads the rules of flags that are paths or words.
func (r *rules) words(o Options) error {
	var status *value
	for _, f := range []struct {
		name, text string
		to         **value
	}{{"--template", o.Template, &r.template}, {"--status", o.Status, &status}} {
		if f.text == "" {
			continue
		}
		v, err := parseValue(f.text)
		if err != nil {
			return &imports.UsageError{Option: f.name, Message: err.Error(), Hint: "give a word, as Article, or a path, as .type"}
		}
		*f.to = v
	}
	if status != nil {
		r.status = []*value{status}
	}
	if r.group.By != "" && !o.CSV {
		return &imports.UsageError{Option: "--mapping", Message: "it groups rows by the column " + r.group.By + ", and JSON has no rows", Hint: "write csv in place of json, or take group out of the mapping file"}
	}
	if len(r.id) > 0 {
		return nil
	}
	hint := "name the member that has it, for example --id .id or --id .slug"
	if o.CSV {
		hint = "name the column that has it, for example --id SKU"
	}
	return &imports.UsageError{Option: "--id", Message: "nothing says what the id of an item is", Hint: hint}
}

// parseValue reads a word, or a path, which begins with a dot.
func parseValue(text string) (*value, error) {
	if !strings.HasPrefix(text, ".") {
		return &value{fixed: text}, nil
	}
	p, err := parsePath(text)
	return &value{from: []route{p}}, err
}

// decides reports whether a column of CSV says who sees an item, or gives a member that is not in Data.
func (r *rules) decides(name string) bool {
	paths := slices.Concat(r.id, r.key, r.name, r.created, r.updated, r.published, r.expires)
	for _, v := range append(slices.Clone(r.status), r.template, r.kind) {
		if v != nil {
			paths = append(paths, v.from...)
		}
	}
	return visibility.IsMark(name) || slices.ContainsFunc(paths, func(p route) bool { return len(p) > 0 && p[0].name == name })
}

// first returns the value of the first path that leads to one, or nil. An empty list is not a value.
func first(paths []route, v *jsontree.Value) *jsontree.Value {
	_, found := firstOf(paths, v)
	return found
}

// firstOf is first, and also returns the path with the value.
func firstOf(paths []route, v *jsontree.Value) (route, *jsontree.Value) {
	for _, p := range paths {
		if found := p.of(v); !found.IsNull() && (!found.IsArray() || len(found.Items) > 0) {
			return p, found
		}
	}
	return nil, nil
}

// textOf returns the text of a value: of a list, such as a rich text, the texts of its elements one after the other.
func textOf(v *jsontree.Value) string {
	if text := imports.TextOf(v); text != "" || v.IsObject() {
		return text
	}
	if !v.IsArray() {
		return v.Text()
	}
	var all strings.Builder
	for _, item := range v.Items {
		all.WriteString(item.Text())
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

// in returns the word for a value in a file of a name, or "".
func (w *value) in(v *jsontree.Value, file string) string {
	switch {
	case w == nil:
		return ""
	case w.from == nil && !w.file:
		return w.fixed
	}
	text := textOf(first(w.from, v))
	if text == "" && w.file {
		text = file
	}
	return w.word(text)
}

// word returns the word for a text.
func (w *value) word(text string) string {
	switch word, ok := w.words[text]; {
	case ok:
		return word
	case w.quiet:
		return ""
	case w.other != "":
		return w.other
	}
	return text
}
