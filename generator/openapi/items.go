// This file describes the items of each template by the manifest.

package openapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// maxTyped bounds the templates that a document describes. A document of more templates has several megabytes and is
// unreadable: --env asks for one environment.
const maxTyped = 500

// templates returns a schema for each template of the environments, and the schema of any item.
func (b *builder) templates() (all object, anyItem object) {
	n := 0
	for _, e := range b.environments {
		n += len(e.Templates)
	}
	if n == 0 || n > maxTyped {
		return nil, schema("Item")
	}
	names := map[string]bool{}
	var refs []any
	for _, e := range b.environments {
		for i := range e.Templates {
			t := &e.Templates[i]
			name := componentName(names, e.ID+"."+t.Name)
			all = append(all, member{name, templateSchema(e.ID, t)})
			refs = append(refs, schema(name))
		}
	}
	all = append(object{
		{"Reference", described(structure(object{
			{"Type", constant("Reference")}, {"ReferenceType", constant("Content")}, {"ContentIDs", texts},
		}, "Type", "ReferenceType"), "Leads to the items with these ids.")},
		{"Media", described(structure(object{
			{"Type", constant("Reference")}, {"ReferenceType", constant("Media")}, {"Id", text}, {"MediaUrl", text}, {"AltText", text},
		}, "Type", "ReferenceType"), "An image or another file.")},
	}, all...)
	if len(refs) < n || slices.ContainsFunc(b.environments, func(e release.Environment) bool { return e.TemplatesLeftOut }) {
		refs = append(refs, schema("Item"))
	}
	return all, object{{"anyOf", refs}}
}

// componentName is a name of a component that no other has.
func componentName(taken map[string]bool, text string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '.' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, text)
	unique := name
	for i := 2; taken[unique]; i++ {
		unique = name + "_" + strconv.Itoa(i)
	}
	taken[unique] = true
	return unique
}

func templateSchema(env string, t *release.Template) object {
	root := treeOf(t.Paths)
	members := object{{address.FieldTemplateName, constant(t.Name)}}
	members = append(members, root.members()...)
	own := structure(members, append([]string{address.FieldTemplateName}, root.required()...)...)
	return described(object{{"allOf", []any{schema("Item"), own}}}, strconv.Itoa(t.Items)+" items of the environment "+env+".")
}

// place is a place of items: the values at a path, and the places below.
type place struct {
	key   string
	path  *release.Path // nil: the item itself
	below []*place
}

// treeOf makes a tree of the paths of a template. Parents come before what is below them.
func treeOf(paths []release.Path) *place {
	root := &place{}
	for i := range paths {
		at := root
		for j, key := range paths[i].Keys {
			next := slices.IndexFunc(at.below, func(p *place) bool { return p.key == key })
			if next < 0 {
				next = len(at.below)
				at.below = append(at.below, &place{key: key})
			}
			if at = at.below[next]; j == len(paths[i].Keys)-1 {
				at.path = &paths[i]
			}
		}
	}
	return root
}

// members are the schemas of the members of an object.
func (p *place) members() (all object) {
	for _, m := range p.below {
		if m.path == nil || !m.path.Any {
			all = append(all, member{m.key, m.schema()})
		}
	}
	return all
}

func (p *place) required() (names []string) {
	for _, m := range p.below {
		if m.path != nil && m.path.Always && !m.path.Any {
			names = append(names, m.key)
		}
	}
	return names
}

// schema describes the values of a place.
func (p *place) schema() object {
	if p.path == nil {
		return anything
	}
	return p.ofKinds(append([]release.Kinds{p.path.Kinds}, p.path.Elements...))
}

// ofKinds describes values of the first kinds. Each further level has the kinds of the elements of arrays.
func (p *place) ofKinds(levels []release.Kinds) object {
	var kinds []release.Kind
	for kind := range levels[0] {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b release.Kind) int { // the most frequent first
		return cmp.Or(levels[0][b]-levels[0][a], strings.Compare(string(a), string(b)))
	})
	var variants []any
	for _, kind := range kinds {
		of := p.ofKind(kind, levels[1:])
		if of == nil {
			return anything // a newer program has written the manifest
		}
		variants = append(variants, of)
	}
	if len(variants) == 1 {
		return variants[0].(object)
	}
	return object{{"anyOf", variants}}
}

// ofKind describes the values of a kind; nil for an unknown one.
func (p *place) ofKind(kind release.Kind, elements []release.Kinds) object {
	switch kind {
	case release.KindString:
		return text
	case release.KindDate:
		return described(text, "A date")
	case release.KindHTML:
		return text.with("contentMediaType", "text/html")
	case release.KindInteger:
		return integer
	case release.KindFloat:
		return number
	case release.KindBoolean:
		return flag
	case release.KindNull:
		return object{{"type", "null"}}
	case release.KindArray:
		return p.array(elements)
	case release.KindObject:
		return p.object()
	case release.KindReference:
		return p.leading(schema("Reference"))
	case release.KindMedia:
		return p.leading(schema("Media"))
	case release.KindRichText:
		return described(anObject, "A document of structured text")
	case release.KindBlock:
		return described(anObject, "A block of structured text")
	}
	return nil
}

func (p *place) array(elements []release.Kinds) object {
	if len(elements) == 0 || len(elements[0]) == 0 {
		return arrayOf(anything)
	}
	return arrayOf(p.ofKinds(elements))
}

func (p *place) object() object {
	o := anObject
	if required := p.required(); len(required) > 0 {
		o = o.with("required", required)
	}
	if members := p.members(); len(members) > 0 {
		o = o.with("properties", members)
	}
	for _, m := range p.below {
		if m.path != nil && m.path.Any {
			return o.with("additionalProperties", m.schema())
		}
	}
	return o
}

// leading adds to a reference the templates that it leads to.
func (p *place) leading(o object) object {
	if len(p.path.Targets) == 0 {
		return o
	}
	return described(o, "Leads to "+strings.Join(p.path.Targets, ", ")).with("x-targets", p.path.Targets)
}
