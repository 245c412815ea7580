// Package anyjson imports JSON of any shape: an array, an object that holds one, or a stream of values; and CSV, whose
// rows it reads as objects. Flags or a mapping file say what of each element is its id, its name, its dates, and which
// objects in it are links. The mapping files of some systems are part of the package.
package anyjson

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/dates"
	"contentedge/generator/source/documents"
)

// The systems of the package, by their names on the command line.
const (
	JSON = "json"
	CSV  = "csv"
)

// System returns the system.
func System(o Options) imports.System {
	name := JSON
	if o.CSV {
		name = CSV
	}
	return imports.System{
		Name: name, Rules: true, Mappings: mappings,
		RichText: []plaintext.Format{
			plaintext.HTML, plaintext.Contentful, plaintext.PortableText, plaintext.StrapiBlocks, plaintext.Lexical, plaintext.Mobiledoc,
			plaintext.ProseMirror, plaintext.Slate, plaintext.Prismic, plaintext.Notion,
		},
		Read: func(ctx context.Context, j *imports.Job) error {
			if err := o.recognise(ctx, j); err != nil {
				return err
			}
			r, err := readRules(o, j.Options.Mapping)
			if err != nil {
				return err
			}
			im := &importer{j: j, rules: r, zone: cmp.Or(o.Timezone, time.UTC), known: map[string][]known{}, files: map[string]imports.Media{}, grants: map[grant]bool{}}
			pages, err := elements(ctx, j.Export, r, o.CSV, im.index)
			if err != nil {
				return err
			}
			im.warnOfMore(pages)
			_, err = elements(ctx, j.Export, r, o.CSV, im.item)
			return err
		},
	}
}

type importer struct {
	j     *imports.Job
	rules *rules
	zone  *time.Location
	known map[string][]known       // items by their ids, and by their keys
	files map[string]imports.Media // elements that are files, by their ids
	id    string                   // of the element that becomes an item

	grants map[grant]bool // marks by which elements of a type are public, of a system that leaves out what is empty
}

// warnOfMore warns of responses that are not all that a system has.
func (im *importer) warnOfMore(pages map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if pages[name] {
			im.j.Warn("the system has more items than the export: its response says that another one follows", name)
		}
	}
}

// known is an item under an id.
type known struct{ kind, content string }

// kindOf returns the type of an element: ids are unique in it.
func (im *importer) kindOf(e *element) string {
	switch r := im.rules; {
	case r.kind != nil:
		return cmp.Or(r.kind.in(e.Value, e.page), e.kind)
	case r.template != nil:
		return cmp.Or(r.template.in(e.Value, e.page), e.kind)
	}
	return e.kind
}

// idOf returns the id of an element, which must have one.
func (im *importer) idOf(e *element) (string, error) {
	v := first(im.rules.id, e.Value)
	switch {
	case v.IsString() && v.Str() != "" || v.IsNumber():
		return v.Text(), nil
	case v != nil:
		return "", e.fault(v, "an id must be a text or a number, not "+v.Kind(), "")
	}
	var names []string
	for _, m := range e.Members[:min(len(e.Members), 20)] {
		names = append(names, documents.Cut(m.Name))
	}
	return "", e.fault(e.Value, "this item has no id at "+im.rules.id[0].String(), "its members are "+strings.Join(names, ", "))
}

// index takes the ids, so that links can be told from ids of other systems.
func (im *importer) index(e *element) error {
	if im.noteFile(e) {
		return nil
	}
	id, err := im.idOf(e)
	if err != nil {
		return err
	}
	kind := im.kindOf(e)
	im.noteFields(kind, e)
	im.noteGrants(kind, e)
	of := known{kind, im.j.ContentID(kind, id)}
	im.known[id] = append(im.known[id], of)
	if key := first(im.rules.key, e.Value).Text(); key != "" && key != id {
		im.known[key] = append(im.known[key], of)
	}
	return nil
}

// noteFields records the fields of an element, and of the objects that rules call its data.
func (im *importer) noteFields(kind string, e *element) {
	of := im.j.Type(kind)
	of.Fields(e.Value)
	for _, r := range im.rules.data {
		of.Fields(r.of(e.Value))
	}
}

func (im *importer) item(e *element) error {
	kind := im.kindOf(e)
	if im.isFile(e) {
		im.j.Read(kind)
		im.j.Skipped(kind, "a file, whose address references to it have")
		return nil
	}
	id, err := im.idOf(e)
	if err != nil {
		return err
	}
	im.id = id
	im.j.Read(kind)
	if why := im.j.Type(kind).LeftOut(); why != "" {
		im.j.Skipped(kind, why)
		return nil
	}
	item := &imports.Item{
		Class: kind, Type: kind, ID: id, ContentID: im.j.ContentID(kind, id), Name: textOf(first(im.rules.name, e.Value)),
		TemplateName: cmp.Or(im.rules.template.in(e.Value, e.page), kind), Data: im.data(e, describe(kind, id)),
	}
	if item.Status, err = im.status(e); err != nil {
		return err
	}
	if item.ExpiresAt, err = im.expiry(e); err != nil {
		return err
	}
	for _, of := range []struct {
		paths []route
		to    *string
	}{{im.rules.created, &item.CreatedAt}, {im.rules.updated, &item.UpdatedAt}, {im.rules.published, &item.PublishedAt}} {
		if *of.to, err = im.date(e, first(of.paths, e.Value)); err != nil {
			return err
		}
	}
	return im.j.Item(kind, item)
}

// date returns a date as RFC 3339, or "".
func (im *importer) date(e *element, v *jsontree.Value) (string, error) {
	t, err := im.time(e, v)
	return written(t), err
}

func written(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999Z07:00")
}

// time reads a date. It returns the zero time without a date.
func (im *importer) time(e *element, v *jsontree.Value) (time.Time, error) {
	if v = im.unwrapped(v); v.IsObject() || v.IsArray() {
		return time.Time{}, e.fault(v, "this must be a date, not "+v.Kind(), `name the member that has it, for example --created .date.start, or "expires": ".end.date" in a mapping file`)
	}
	if v.IsNull() || strings.TrimSpace(v.Text()) == "" {
		return time.Time{}, nil
	}
	t, wrong := dates.Parse(v.Text(), im.zone)
	if wrong != nil {
		return time.Time{}, e.fault(v, documents.Quoted(v.Text())+" "+wrong.Message, wrong.Hint)
	}
	return t, nil
}

// data returns the fields of an element.
func (im *importer) data(e *element, place string) *jsontree.Value {
	object := jsontree.Object()
	fields := jsontree.NewFields(object)
	add := func(name string, v *jsontree.Value) {
		if fields.Has(name) {
			im.j.Warn("a field comes twice, and the first is taken: "+name, place)
			return
		}
		fields.Set(name, im.field(im.typed(name, v, place), place))
	}
	if len(im.rules.data) == 0 {
		for _, m := range e.Members {
			add(m.Name, m.Value)
		}
	}
	for _, r := range im.rules.data {
		v := r.of(e.Value)
		switch {
		case v.IsObject():
			for _, m := range v.Members {
				add(m.Name, m.Value)
			}
		case !v.IsNull():
			add(r.last("data"), v)
		}
	}
	for _, r := range im.rules.also {
		if v := r.of(e.Value); !v.IsNull() {
			add(r.last("data"), v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(im.rules.refs)) {
		im.reference(object, name, im.rules.refs[name], place)
	}
	return object
}

// describe names a link for a warning.
func describe(kind, id string) string {
	return strings.TrimSpace(documents.Cut(kind) + " " + documents.Cut(id))
}
