// This file finds the items of an export: the elements of an array, the values of a stream, or lines.

package anyjson

import (
	"context"
	"fmt"
	"path"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// element is a value that becomes an item.
type element struct {
	*jsontree.Value
	file *export.File
	text []byte // that it is in
	line int    // of the text in the file
	kind string // the type, where no rule says one: what the array or the file is called
}

// fault returns a fault at a value of the element.
func (e *element) fault(v *jsontree.Value, message, hint string) error {
	line, col := jsonscan.Place(e.text, v.Offset)
	return e.file.Fault(e.line+line-1, col, message, hint)
}

// finder gives the elements of a file to do.
type finder struct {
	items []route
	do    func(*element) error
	file  *export.File
	text  []byte
	line  int
}

// elements calls do with each element of the export.
func elements(ctx context.Context, e *export.Export, items []route, do func(*element) error) error {
	n := 0
	err := e.Files(ctx, func(f *export.File) error {
		extension := strings.ToLower(path.Ext(f.Name))
		lines := extension == ".ndjson" || extension == ".jsonl"
		if f.Show != e.Path && !lines && extension != ".json" {
			return nil // another file of a folder
		}
		n++
		in := &finder{items: items, do: do, file: f, line: 1}
		if lines {
			return in.lines()
		}
		return in.whole()
	})
	if err == nil && n == 0 {
		return &export.Fault{File: e.Path, Message: "no file here has the extension .json, .ndjson or .jsonl", Hint: "name the file itself"}
	}
	return err
}

// name is what the items of a file are called.
func (in *finder) name() string {
	base := path.Base(in.file.Name)
	return strings.TrimSuffix(base, path.Ext(base))
}

func (in *finder) lines() error {
	return in.file.Lines(func(number int, text []byte) error {
		in.text, in.line = text, number
		at, err := in.check(0)
		if err != nil {
			return err
		}
		if rest := jsonscan.SkipSpace(text, at); rest < len(text) {
			return in.fault(rest, "there is more after the end of the value", "in this kind of file each value stands on one line")
		}
		if len(in.items) > 0 {
			return in.named(jsonscan.SkipSpace(text, 0))
		}
		return in.element(jsonscan.SkipSpace(text, 0), in.name())
	})
}

// check validates the value at an offset, and returns its end.
func (in *finder) check(at int) (end int, err error) {
	s := jsonscan.New()
	if end, err = s.Skip(in.text, at); err != nil {
		return 0, in.fault(documents.Explain(s, in.text, at, err))
	}
	return end, nil
}

func (in *finder) fault(offset int, message, hint string) error {
	line, col := jsonscan.Place(in.text, offset)
	return in.file.Fault(in.line+line-1, col, message, hint)
}

// whole reads a file with one value, or with one behind the other.
func (in *finder) whole() (err error) {
	if in.text, err = in.file.All(export.MaxWhole); err != nil {
		return err
	}
	var roots []int
	for at := jsonscan.SkipSpace(in.text, 0); at < len(in.text); at = jsonscan.SkipSpace(in.text, at) {
		roots = append(roots, at)
		if at, err = in.check(at); err != nil {
			return err
		}
	}
	switch {
	case len(roots) == 0:
		return in.fault(0, "the file holds nothing", "")
	case len(in.items) > 0 || len(roots) > 1 && in.text[roots[0]] != '[':
		for _, at := range roots {
			if err := in.root(at); err != nil {
				return err
			}
		}
		return nil
	case in.text[roots[0]] == '[':
		for _, at := range roots {
			if err := in.array(at, in.name()); err != nil {
				return err
			}
		}
		return nil
	}
	return in.only(roots[0])
}

// root takes a value of a stream: what the rules name of it, or the value itself.
func (in *finder) root(at int) error {
	if len(in.items) > 0 {
		return in.named(at)
	}
	return in.element(at, in.name())
}

// named takes what the rules name. At least one of them must lead to something.
func (in *finder) named(at int) error {
	found := false
	for _, r := range in.items {
		to := r.offset(in.text, at)
		if to < 0 {
			continue
		}
		found = true
		if err := in.array(to, r.last(in.name())); err != nil {
			return err
		}
	}
	if !found {
		return in.fault(at, "there are no items at "+in.items[0].String(), "name the array that holds them with --items")
	}
	return nil
}

// array takes the elements of an array; an object is one by itself.
func (in *finder) array(at int, kind string) (err error) {
	if in.text[at] != '[' {
		return in.element(at, kind)
	}
	jsonscan.Children(in.text, at, func(_ []byte, at int) int {
		if err == nil {
			err = in.element(at, kind)
		}
		return jsonscan.ValueEnd(in.text, at)
	})
	return err
}

func (in *finder) element(at int, kind string) error {
	if in.text[at] != '{' {
		return in.fault(at, "an item must be an object, not "+jsonscan.KindName(in.text[at]), "--items names the array that holds the items, as .data")
	}
	v, err := jsontree.ParseValid(in.text, at)
	if err != nil {
		return in.file.Explain(in.text, in.line, err)
	}
	return in.do(&element{v, in.file, in.text, in.line, kind})
}

// only takes the elements of the only array of objects in an object, or in an object inside.
func (in *finder) only(at int) error {
	if in.text[at] != '{' {
		return in.element(at, in.name())
	}
	arrays := in.arrays(at, nil)
	if len(arrays) == 0 {
		jsonscan.Children(in.text, at, func(name []byte, at int) int {
			if in.text[at] == '{' {
				arrays = append(arrays, in.arrays(at, route{{name: string(jsonscan.Unquote(name)), named: true}})...)
			}
			return jsonscan.ValueEnd(in.text, at)
		})
	}
	switch len(arrays) {
	case 0:
		return in.fault(at, "this object has no array of objects", "--items . makes an item of the object itself")
	case 1:
		in.items = arrays
		return in.named(at)
	}
	var names []string
	for _, r := range arrays[:min(len(arrays), 10)] {
		names = append(names, r.String())
	}
	return &imports.UsageError{Option: "--items", Message: fmt.Sprintf("the file has %d arrays of objects: %s", len(arrays), strings.Join(names, ", ")), Hint: "name the one to import, for example --items " + names[0]}
}

// arrays returns the ways to the members of an object that are arrays of objects.
func (in *finder) arrays(at int, before route) (found []route) {
	jsonscan.Children(in.text, at, func(name []byte, at int) int {
		if in.text[at] == '[' {
			if first := jsonscan.SkipSpace(in.text, at+1); in.text[first] == '{' || in.text[first] == ']' {
				found = append(found, append(before[:len(before):len(before)], step{name: string(jsonscan.Unquote(name)), named: true}))
			}
		}
		return jsonscan.ValueEnd(in.text, at)
	})
	return found
}

// offset returns the offset of the value that a route leads to from the one at an offset, or -1.
func (p route) offset(text []byte, at int) int {
	for _, s := range p {
		if text[at] != '{' && text[at] != '[' {
			return -1
		}
		found, n := -1, 0
		jsonscan.Children(text, at, func(name []byte, at int) int {
			if s.named && name != nil && jsonscan.Spells(name, s.name) || !s.named && name == nil && n == s.element {
				found = at
			}
			n++
			return jsonscan.ValueEnd(text, at)
		})
		if at = found; at < 0 {
			return -1
		}
	}
	return at
}

// last returns the name of the member that a route leads to.
func (p route) last(otherwise string) string {
	if len(p) == 0 || !p[len(p)-1].named {
		return otherwise
	}
	return p[len(p)-1].name
}
