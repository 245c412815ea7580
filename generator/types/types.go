// Package types writes types of the items of a release, and a small client, in TypeScript and Go. It reads only the
// manifest, which describes the templates. The same templates give the same text.
package types

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// Header begins each text.
const header = "// Types of the items of the environment %s, and a client for them.\n// Made by \"generator types\": make it again when templates change, and do not edit it.\n"

// Environment describes the environment to write types for.
type Environment struct {
	ID        string
	Defaults  release.Defaults
	Templates []release.Template
	Lists     []release.Family
}

// Of finds an environment in a manifest; "" is the only one.
func Of(m *release.Manifest, id string) (*Environment, error) {
	var ids []string
	for i := range m.Environments {
		ids = append(ids, m.Environments[i].ID)
	}
	if id == "" && len(ids) == 1 {
		id = ids[0]
	}
	i := slices.Index(ids, id)
	if i < 0 {
		return nil, &UnknownError{ID: id, Known: ids}
	}
	e := &m.Environments[i]
	if len(e.Templates) == 0 {
		return nil, &NoTemplatesError{ID: id, LeftOut: e.TemplatesLeftOut, Items: e.Items}
	}
	return &Environment{ID: e.ID, Defaults: m.Defaults, Templates: e.Templates, Lists: e.Lists}, nil
}

// UnknownError reports an environment that a release does not have, or that none of several is named.
type UnknownError struct {
	ID    string
	Known []string
}

// Error lists the environments.
func (e *UnknownError) Error() string {
	known := "it has " + strings.Join(e.Known, ", ")
	if len(e.Known) == 0 {
		known = "it has no environments"
	}
	if e.ID == "" {
		return "the release has several environments: " + known + "; name one"
	}
	return fmt.Sprintf("the release has no environment %q: %s", e.ID, known)
}

// NoTemplatesError reports an environment of which the manifest does not say what its templates hold.
type NoTemplatesError struct {
	ID      string
	LeftOut bool
	Items   int
}

// Error says why, and what to do.
func (e *NoTemplatesError) Error() string {
	switch {
	case e.LeftOut:
		return fmt.Sprintf("the environment %q has too many templates or paths to make types of", e.ID)
	case e.Items == 0:
		return fmt.Sprintf("the environment %q has no items, so nothing is known of its templates", e.ID)
	}
	return fmt.Sprintf("the manifest does not say what the templates of %q hold: build the release with this version of the generator", e.ID)
}

// place is a path in the tree of a template.
type place struct {
	key     string
	path    release.Path
	members []*place
}

// treeOf returns the members of an item: Data, and members that are not fields of the interface.
func treeOf(t *release.Template) *place {
	root := &place{path: release.Path{Kinds: release.Kinds{release.KindObject: t.Items}}}
	for _, p := range t.Paths {
		parent := root
		for _, key := range p.Keys[:len(p.Keys)-1] {
			i := slices.IndexFunc(parent.members, func(m *place) bool { return m.key == key })
			if i < 0 {
				break // the manifest has no path above: not written by a generator
			}
			parent = parent.members[i]
		}
		parent.members = append(parent.members, &place{key: p.Keys[len(p.Keys)-1], path: p})
	}
	if len(root.members) == 0 {
		root.members = []*place{{key: address.FieldData, path: release.Path{Always: true, Cut: true, Kinds: root.path.Kinds}}}
	}
	return root
}

// table returns the place of all members of a table, or nil.
func (p *place) table() *place {
	if len(p.members) == 1 && p.members[0].path.Any {
		return p.members[0]
	}
	return nil
}

// open reports whether an object has members that are not known.
func (p *place) open() bool { return p.path.Cut || len(p.members) == 0 }

// level returns the kinds of the values in as many arrays.
func (p *place) level(n int) release.Kinds {
	if n == 0 {
		return p.path.Kinds
	}
	if n > len(p.path.Elements) {
		return nil
	}
	return p.path.Elements[n-1]
}

// has reports whether some values at any level have one of the kinds.
func (p *place) has(kinds ...release.Kind) bool {
	for level := range len(p.path.Elements) + 1 {
		if p.level(level).Has(kinds...) {
			return true
		}
	}
	return false
}

// fields lists the paths of values below a place, as sorts and searches name them.
func (p *place) fields(prefix string, visit func(path string)) {
	if p.table() != nil || p.has(release.KindRichText, release.KindBlock) {
		return
	}
	for _, m := range p.members {
		if p.has(release.KindReference, release.KindMedia) && (m.key == "Type" || m.key == "ReferenceType") {
			continue // they say what it is
		}
		path := prefix + m.key
		if m.has(release.KindString, release.KindDate, release.KindHTML, release.KindInteger, release.KindFloat, release.KindBoolean) {
			visit(path)
		}
		m.fields(path+".", visit)
	}
}

// listFiles are the lists of a template that have files, in the order of the manifest.
func (e *Environment) listFiles(template string) (lists []listFiles) {
	for i := range e.Lists {
		f := &e.Lists[i]
		if !slices.Equal(f.Filters, []string{address.FilterTemplate}) {
			continue
		}
		if _, ok := f.Find(func(string) string { return template }); !ok {
			continue
		}
		l := address.List{Template: template, Sort: f.Sort, Asc: f.Asc, Page: 1, Size: f.PageSize}
		if name, ok := l.File(e.ID); ok {
			dir := strings.TrimSuffix(name, "/"+l.PageFile())
			lists = append(lists, listFiles{f.Sort, f.Asc, f.PageSize, strings.TrimPrefix(dir, address.Root[1:])})
		}
	}
	return lists
}

type listFiles struct {
	Sort      string
	Ascending bool
	PageSize  int
	Directory string
}
