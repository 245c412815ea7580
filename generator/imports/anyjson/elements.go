// This file finds the items of an export: the elements of an array, the values of a stream, or lines.

package anyjson

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// element is a value that becomes an item.
type element struct {
	*jsontree.Value
	file  *export.File
	place func(offset int) (line, col int) // in the file, of an offset of the value
	kind  string                           // the type, where no rule says one: what the array or the file is called
	page  string                           // the name of the file without the number of a page
}

// fault returns a fault at a value of the element.
func (e *element) fault(v *jsontree.Value, message, hint string) error {
	line, col := e.place(v.Offset)
	return e.file.Fault(line, col, message, hint)
}

// finder gives the elements of a file to do.
type finder struct {
	rules *rules
	items []route
	do    func(*element) error
	pages map[string]bool // by the page name of their files: whether all responses say that there are more
	file  *export.File
	text  []byte
	line  int
}

// extensions are the extensions of the files of a folder that are read.
func extensions(csv bool) []string {
	if csv {
		return []string{".csv"}
	}
	return []string{".json", ".ndjson", ".jsonl"}
}

// elements calls do with each element of the export. It returns for which files, by their names without the number of a
// page, all responses say that there are more.
func elements(ctx context.Context, e *export.Export, r *rules, csv bool, do func(*element) error) (pages map[string]bool, err error) {
	n := 0
	pages = map[string]bool{}
	known := extensions(csv)
	err = e.Files(ctx, func(f *export.File) error {
		extension := strings.ToLower(path.Ext(f.Name))
		if f.Show != e.Path && !slices.Contains(known, extension) {
			return nil // another file of a folder
		}
		n++
		in := &finder{rules: r, items: r.items, do: do, pages: pages, file: f, line: 1}
		switch {
		case csv:
			return in.csv()
		case extension == ".ndjson" || extension == ".jsonl":
			return in.lines()
		}
		return in.whole()
	})
	if err == nil && n == 0 {
		return nil, &export.Fault{File: e.Path, Message: "no file here has the extension " + strings.Join(known, " or "), Hint: "name the file itself"}
	}
	return pages, err
}

// name is what the items of a file are called.
func (in *finder) name() string {
	base := path.Base(in.file.Name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// pageNumber ends the names of files that hold one of several responses, as posts-2.json.
var pageNumber = regexp.MustCompile(`[-_.]\d+$`)

// page is the name of a file without the number of a page.
func (in *finder) page() string { return pageNumber.ReplaceAllString(in.name(), "") }

// noteMore notes whether a response says that there are more.
func (in *finder) noteMore(at int) {
	if len(in.rules.more) == 0 {
		return
	}
	more := slices.ContainsFunc(in.rules.more, func(p route) bool {
		return slices.ContainsFunc(p.offsets(in.text, at), func(f place) bool {
			switch value := string(in.text[f.at:jsoncursor.ValueEnd(in.text, f.at)]); value {
			case "null", "false", `""`, "0":
				return false
			}
			return true
		})
	})
	before, seen := in.pages[in.page()]
	in.pages[in.page()] = more && (before || !seen)
}

func (in *finder) lines() error {
	return in.file.Lines(func(number int, text []byte) error {
		in.text, in.line = text, number
		at, err := in.check(0)
		if err != nil {
			return err
		}
		if rest := jsoncursor.SkipSpace(text, at); rest < len(text) {
			return in.fault(rest, "there is more after the end of the value", "in this kind of file each value is on one line")
		}
		if len(in.items) > 0 {
			return in.named(jsoncursor.SkipSpace(text, 0))
		}
		return in.element(jsoncursor.SkipSpace(text, 0), in.name())
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

// whole reads a file with one value or several, one after the other.
func (in *finder) whole() (err error) {
	if in.text, err = in.file.All(export.MaxWhole); err != nil {
		return err
	}
	var roots []int
	for at := jsoncursor.SkipSpace(in.text, 0); at < len(in.text); at = jsoncursor.SkipSpace(in.text, at) {
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

// root takes a value of a stream: the parts that the rules name, or the value itself.
func (in *finder) root(at int) error {
	if len(in.items) > 0 {
		return in.named(at)
	}
	return in.element(at, in.name())
}

// named takes the values that the rules name. At least one rule must lead to a value.
func (in *finder) named(at int) error {
	found := false
	in.noteMore(at)
	for _, r := range in.items {
		if len(r) == 0 && len(in.items) > 1 && in.text[at] != '[' {
			continue // one of several shapes of responses: an array without an object around it
		}
		spread := slices.ContainsFunc(r, func(s step) bool { return s.all })
		for _, to := range r.offsets(in.text, at) {
			found = true
			if spread && in.text[to.at] != '{' && in.text[to.at] != '[' {
				continue // a count, or nothing, next to the arrays
			}
			if err := in.array(to.at, cmp.Or(to.name, in.name())); err != nil {
				return err
			}
		}
	}
	if !found {
		return in.fault(at, "the file has no items at "+in.items[0].String(), "name the array that holds them with --items")
	}
	return nil
}

// array takes the elements of an array; an object is one by itself.
func (in *finder) array(at int, kind string) (err error) {
	if in.text[at] != '[' {
		return in.element(at, kind)
	}
	jsoncursor.Children(in.text, at, func(_ []byte, at int) int {
		if err == nil {
			err = in.element(at, kind)
		}
		return jsoncursor.ValueEnd(in.text, at)
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
	text, first := in.text, in.line
	place := func(offset int) (int, int) {
		line, col := jsonscan.Place(text, offset)
		return first + line - 1, col
	}
	return in.do(&element{v, in.file, place, kind, in.page()})
}

// only takes the elements of the only array of objects in an object, or in an object inside.
func (in *finder) only(at int) error {
	if in.text[at] != '{' {
		return in.element(at, in.name())
	}
	arrays := in.arrays(at, nil)
	if len(arrays) == 0 {
		jsoncursor.Children(in.text, at, func(name []byte, at int) int {
			if in.text[at] == '{' {
				arrays = append(arrays, in.arrays(at, route{{name: string(jsoncursor.Unquote(name)), named: true}})...)
			}
			return jsoncursor.ValueEnd(in.text, at)
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
	jsoncursor.Children(in.text, at, func(name []byte, at int) int {
		if in.text[at] == '[' {
			if first := jsoncursor.SkipSpace(in.text, at+1); in.text[first] == '{' || in.text[first] == ']' {
				found = append(found, append(before[:len(before):len(before)], step{name: string(jsoncursor.Unquote(name)), named: true}))
			}
		}
		return jsoncursor.ValueEnd(in.text, at)
	})
	return found
}

// place is a value in a text.
type place struct {
	at   int
	name string // of the last member on the way; ""
}

// offsets returns the places that a route leads to from the value at an offset.
func (p route) offsets(text []byte, at int) []place {
	found := []place{{at: at}}
	for _, s := range p {
		var next []place
		for _, from := range found {
			next = append(next, s.offsets(text, from)...)
		}
		found = next
	}
	return found
}

// offsets returns the places that a step leads to. Elements of an array keep its name.
func (s step) offsets(text []byte, from place) (found []place) {
	if text[from.at] != '{' && text[from.at] != '[' {
		return nil
	}
	n := 0
	jsoncursor.Children(text, from.at, func(name []byte, at int) int {
		to := place{at, from.name}
		if name != nil {
			to.name = string(jsoncursor.Unquote(name))
		}
		if s.all || s.named && name != nil && to.name == s.name || !s.all && !s.named && name == nil && n == s.element {
			found = append(found, to)
		}
		n++
		return jsoncursor.ValueEnd(text, at)
	})
	return found
}

// last returns the name of the member that a route leads to.
func (p route) last(otherwise string) string {
	if len(p) == 0 || !p[len(p)-1].named {
		return otherwise
	}
	return p[len(p)-1].name
}
