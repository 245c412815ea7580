// This file reads the rules: where the items are, and what of each is its id, its name and its dates.
// Flags give them, or the member json of a mapping file.

package anyjson

import (
	"fmt"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
)

// Options are the flags, paths or words as they were typed; "" where nothing was.
type Options struct {
	Items, ID, Name, Template, Created, Updated, Published, Status string

	Timezone *time.Location // of dates without a zone; nil: UTC
}

// rules say how an element becomes an item. What is nil is not said.
type rules struct {
	items     []route // where the items are; none: the only array that there is
	id        []route // the first with a value
	key       []route // another name under which links know the item
	kind      *value  // the type: ids are unique in it, and the mapping file names it
	name      []route
	template  *value
	created   []route
	updated   []route
	published []route
	expires   []route
	status    *value
	data      []route // objects whose members are the fields; none: the element
	value     []route // of a field, where it is an object around a value
	links     []link
	media     []media
	refs      map[string]string // fields that hold ids, and the type of these
}

// value is a fixed word, or comes from a path, and then perhaps over words.
type value struct {
	fixed string
	from  []route
	words map[string]string
	other string // the word for values that are none of words
}

// match finds objects in data by members that they must have, some with a fixed value.
type match struct {
	has   []string
	where map[string]string
}

// link finds objects that refer to an item.
type link struct {
	match
	id   []route
	kind *value
}

// media finds objects that refer to a file.
type media struct {
	match
	url, id, alt, width, height, size []route
}

// reader reads rules.
type reader struct{ *imports.Reader }

// readRules reads the rules of a mapping file, and then those of the flags, which win.
func readRules(o Options, m *imports.Mapping) (*rules, error) {
	r := &rules{refs: map[string]string{}}
	if err := m.ReadRules(func(in *imports.Reader, v *jsontree.Value) { reader{in}.rules(v, r) }); err != nil {
		return nil, err
	}
	return r, r.flags(o)
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
		if err != nil {
			return &imports.UsageError{Option: f.name, Message: err.Error(), Hint: "a path leads from an item to a value, as .slug or .meta.date"}
		}
		*f.to = []route{p}
	}
	for _, f := range []struct {
		name, text string
		to         **value
	}{{"--template", o.Template, &r.template}, {"--status", o.Status, &r.status}} {
		if f.text == "" {
			continue
		}
		v, err := parseValue(f.text)
		if err != nil {
			return &imports.UsageError{Option: f.name, Message: err.Error(), Hint: "give a word, as Article, or a path, as .type"}
		}
		*f.to = v
	}
	if len(r.id) == 0 {
		return &imports.UsageError{Option: "--id", Message: "nothing says what the id of an item is", Hint: "name the member that has it, for example --id .id or --id .slug"}
	}
	return nil
}

// parseValue reads a word, or a path, which begins with a dot.
func parseValue(text string) (*value, error) {
	if !strings.HasPrefix(text, ".") {
		return &value{fixed: text}, nil
	}
	p, err := parsePath(text)
	return &value{from: []route{p}}, err
}

func (in reader) rules(v *jsontree.Value, r *rules) {
	in.Object(v, "json", imports.Table{
		"items": in.to(&r.items), "id": in.to(&r.id), "key": in.to(&r.key), "name": in.to(&r.name), "data": in.to(&r.data), "value": in.to(&r.value),
		"created": in.to(&r.created), "updated": in.to(&r.updated), "published": in.to(&r.published), "expires": in.to(&r.expires),
		"type": in.toValue(&r.kind), "template": in.toValue(&r.template), "status": in.toValue(&r.status),
		"links": func(v *jsontree.Value) {
			in.Each(v, "links", func(v *jsontree.Value) {
				var l link
				in.Object(v, "a link", imports.Table{"has": in.toNames(&l.has), "where": in.toWords(&l.where), "id": in.to(&l.id), "type": in.toValue(&l.kind)})
				in.complete(v, "a link", l.match, l.id, "id")
				r.links = append(r.links, l)
			})
		},
		"media": func(v *jsontree.Value) {
			in.Each(v, "media", func(v *jsontree.Value) {
				var m media
				in.Object(v, "a file", imports.Table{
					"has": in.toNames(&m.has), "where": in.toWords(&m.where), "url": in.to(&m.url), "id": in.to(&m.id), "alt": in.to(&m.alt),
					"width": in.to(&m.width), "height": in.to(&m.height), "size": in.to(&m.size),
				})
				in.complete(v, "a file", m.match, m.url, "url")
				r.media = append(r.media, m)
			})
		},
		"references": in.toWords(&r.refs),
	})
}

// complete refuses a rule that would find every object, or nothing in it.
func (in reader) complete(v *jsontree.Value, what string, m match, needs []route, name string) {
	if len(m.has) == 0 && len(m.where) == 0 {
		in.Fail(v, what+" has neither has nor where, so every object would be one", `name members that it has, as "has": ["id", "type"]`)
	}
	if len(needs) == 0 {
		in.Fail(v, what+" has no "+name, fmt.Sprintf(`write "%s": ".PATH"`, name))
	}
}

// to reads a path, or an array of paths, of which the first with a value counts.
func (in reader) to(to *[]route) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		list := []*jsontree.Value{v}
		if v.IsArray() {
			list = v.Items
		}
		for _, item := range list {
			p, err := parsePath(in.Text(item, "a path"))
			if err != nil {
				in.Fail(item, err.Error(), "")
			}
			*to = append(*to, p)
		}
	}
}

func (in reader) toNames(to *[]string) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		in.Each(v, "has", func(v *jsontree.Value) { *to = append(*to, in.Text(v, "a name")) })
	}
}

func (in reader) toWords(to *map[string]string) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		if !v.IsObject() {
			in.Fail(v, "this must be an object, not "+v.Kind(), "")
			return
		}
		if *to == nil {
			*to = map[string]string{}
		}
		for _, m := range v.Members {
			if m.Value.Text() == "" {
				in.Fail(m.Value, "this must be a text, a number or a boolean, not "+m.Value.Kind(), "")
			}
			(*to)[m.Name] = m.Value.Text()
		}
	}
}

// toValue reads a word, a path, or {"from": PATH, VALUE: WORD, "else": WORD}.
func (in reader) toValue(to **value) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		if !v.IsObject() {
			parsed, err := parseValue(in.Text(v, "a word or a path"))
			if err != nil {
				in.Fail(v, err.Error(), "")
			}
			*to = parsed
			return
		}
		w := &value{words: map[string]string{}}
		for _, m := range v.Members {
			switch m.Name {
			case "from":
				in.to(&w.from)(m.Value)
			case "else":
				w.other = in.Text(m.Value, "a word")
			default:
				w.words[m.Name] = in.Text(m.Value, "a word")
			}
		}
		if len(w.from) == 0 {
			in.Fail(v, "this says not which member it comes from", `write {"from": ".PATH"}`)
		}
		*to = w
	}
}

// first returns what the first of some paths with a value leads to; nil if none has one.
func first(paths []route, v *jsontree.Value) *jsontree.Value {
	for _, p := range paths {
		if found := p.of(v); !found.IsNull() {
			return found
		}
	}
	return nil
}

// in returns the word for an element; "" if there is none.
func (w *value) in(v *jsontree.Value) string {
	if w == nil {
		return ""
	}
	if w.from == nil {
		return w.fixed
	}
	text := imports.TextOf(first(w.from, v))
	if found := first(w.from, v); text == "" && !found.IsObject() {
		text = found.Text()
	}
	switch word, ok := w.words[text]; {
	case ok:
		return word
	case w.other != "":
		return w.other
	}
	return text
}
