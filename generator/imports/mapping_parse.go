// This file reads mapping files. Every name that means nothing is refused, with its place.

package imports

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
	"contentedge/generator/source/yamltext"
)

// maxMapping bounds a mapping file in bytes: thousands of types.
const maxMapping = 1 << 20

// ReadMapping reads a mapping file. A name without a dot and a slash names a system whose mapping file comes with the
// program, in systems, which may be nil. The error is an *export.Fault, a *UsageError, or the operating system's.
func ReadMapping(name string, systems fs.FS) (*Mapping, error) {
	if systems != nil && !strings.ContainsAny(name, `./\`) {
		return readSystem(name, systems)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxMapping || !info.Mode().IsRegular() {
		return nil, &export.Fault{File: name, Message: fmt.Sprintf("a mapping file is a file of at most %d bytes", maxMapping)}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseMapping(name, text, systems)
}

// systemEnding ends the names of the mapping files that come with the program.
const systemEnding = ".yaml"

// SystemNames lists the systems whose mapping files come with the program.
func SystemNames(systems fs.FS) (names []string) {
	found, _ := fs.Glob(systems, "*"+systemEnding) // the pattern is well-formed
	for _, name := range found {
		names = append(names, strings.TrimSuffix(name, systemEnding))
	}
	slices.Sort(names)
	return names
}

// readSystem reads the mapping file of a system.
func readSystem(name string, systems fs.FS) (*Mapping, error) {
	text, err := fs.ReadFile(systems, name+systemEnding)
	if err != nil {
		return nil, &UsageError{"--mapping", "no mapping file for the system " + documents.Quoted(name) + " comes with the program",
			"the systems are " + strings.Join(SystemNames(systems), ", ") + "; write ./NAME for a file without an extension"}
	}
	m, err := parseMapping(name+systemEnding, text, nil)
	if err == nil {
		for _, t := range m.types {
			t.system = true
		}
	}
	return m, err
}

func parseMapping(name string, text []byte, systems fs.FS) (*Mapping, error) {
	p := &Reader{name: name, place: func(at int) (int, int) { return jsonscan.Place(text, at) }}
	if extension := strings.ToLower(filepath.Ext(name)); extension == ".yaml" || extension == ".yml" {
		r, faults := yamltext.Object(text, record.Place{Line: 1, Col: 1})
		for _, f := range faults {
			if !f.Warning {
				return nil, &export.Fault{File: name, Line: f.Line, Col: f.Col, Message: f.Message, Hint: f.Hint}
			}
		}
		text, p.place = r.JSON, func(at int) (int, int) { place := r.Place(at); return place.Line, place.Col }
	}
	v, err := jsontree.Parse(text)
	if wrong, ok := err.(*jsontree.Error); ok {
		line, col := p.place(wrong.Offset)
		return nil, &export.Fault{File: name, Line: line, Col: col, Message: wrong.Message, Hint: wrong.Hint}
	}
	m := &Mapping{name: name, types: map[string]*typeMapping{}, place: p.place}
	p.Object(v, "a mapping file", Table{
		"json":   func(v *jsontree.Value) { m.rules = v },
		"system": func(v *jsontree.Value) { m.base = p.system(v, systems) },
		"types": func(v *jsontree.Value) {
			p.Members(v, "types", func(name string, v *jsontree.Value) { m.types[name] = p.typeMapping(v) })
		},
	})
	if p.fault != nil {
		return nil, p.fault
	}
	if m.base != nil {
		for kind, of := range m.base.types {
			if m.types[kind] == nil {
				m.types[kind] = of
			}
		}
	}
	return m, nil
}

// system reads the name of the system whose mapping file a file changes.
func (p *Reader) system(v *jsontree.Value, systems fs.FS) *Mapping {
	name := p.Text(v, "system")
	if systems == nil {
		p.Fail(v, "only generator import json and csv have mapping files of systems", "take system out")
		return nil
	}
	base, err := readSystem(name, systems)
	if usage, ok := errors.AsType[*UsageError](err); ok {
		p.Fail(v, usage.Message, usage.Hint)
	} else if err != nil {
		p.Fail(v, err.Error(), "")
	}
	return base
}

// Reader reads values of a mapping file, and keeps the first fault.
type Reader struct {
	name  string
	place func(offset int) (line, col int)
	fault *export.Fault
}

// Fail records a fault at a value.
func (p *Reader) Fail(v *jsontree.Value, message, hint string) {
	if p.fault == nil {
		line, col := p.place(v.Offset)
		p.fault = &export.Fault{File: p.name, Line: line, Col: col, Message: message, Hint: hint}
	}
}

// Members calls do with each member of an object.
func (p *Reader) Members(v *jsontree.Value, what string, do func(string, *jsontree.Value)) {
	if !v.IsObject() {
		p.Fail(v, what+" must be an object, not "+v.Kind(), "")
		return
	}
	for _, m := range v.Members {
		do(m.Name, m.Value)
	}
}

// Table says how each member of an object is read, by its name.
type Table map[string]func(*jsontree.Value)

// Object reads an object with the members of a table, and no others.
func (p *Reader) Object(v *jsontree.Value, what string, table Table) {
	p.Members(v, what, func(name string, v *jsontree.Value) {
		if read := table[name]; read != nil {
			read(v)
			return
		}
		p.Fail(v, fmt.Sprintf("%s has no member %q", what, name), "its members are "+strings.Join(slices.Sorted(maps.Keys(table)), ", "))
	})
}

// Each calls do with each element of an array.
func (p *Reader) Each(v *jsontree.Value, what string, do func(*jsontree.Value)) {
	if !v.IsArray() {
		p.Fail(v, what+" must be an array, not "+v.Kind(), "")
	}
	for _, item := range v.List() {
		do(item)
	}
}

// Text returns a text that is not empty.
func (p *Reader) Text(v *jsontree.Value, what string) string {
	if v.Str() == "" {
		p.Fail(v, what+" must be a text that is not empty", "")
	}
	return v.Str()
}

func (p *Reader) typeMapping(v *jsontree.Value) *typeMapping {
	t := &typeMapping{found: map[string]bool{}, keep: map[string]bool{}}
	p.Object(v, "a type", Table{
		"skip":     func(v *jsontree.Value) { t.skip = p.Yes(v, "skip") },
		"template": func(v *jsontree.Value) { t.template = p.word(v, "template", false) },
		"name":     func(v *jsontree.Value) { t.name = p.from(v, "name", false) },
		"status":   func(v *jsontree.Value) { t.status = p.word(v, "status", true) },
		"fields": func(v *jsontree.Value) {
			p.Members(v, "fields", func(old string, v *jsontree.Value) {
				f := renamed{old: old}
				if !v.IsNull() {
					f.name = p.Text(v, "a field's new name")
				}
				t.fields = append(t.fields, f)
			})
		},
		"references": func(v *jsontree.Value) {
			p.Each(v, "references", func(field *jsontree.Value) { t.references = append(t.references, Path(p.Text(field, "a field"))) })
		},
		"keep": func(v *jsontree.Value) {
			p.Each(v, "keep", func(field *jsontree.Value) { t.keep[strings.Join(Path(p.Text(field, "a field")), ".")] = true })
		},
	})
	return t
}

// Yes returns whether a value is true. It fails for other values than true and false.
func (p *Reader) Yes(v *jsontree.Value, what string) bool {
	if v.Text() != "true" && v.Text() != "false" || v.IsString() {
		p.Fail(v, what+" must be true or false, not "+v.Kind(), "")
	}
	return v.IsTrue()
}

// word reads a fixed word, or an object that begins with from.
func (p *Reader) word(v *jsontree.Value, what string, words bool) word {
	if v.IsString() {
		return word{fixed: p.Text(v, what)}
	}
	return p.from(v, what, words)
}

// from reads {"from": FIELD}; with words also a word for each value of the field, and "else".
func (p *Reader) from(v *jsontree.Value, what string, words bool) word {
	w := word{words: map[string]string{}}
	p.Members(v, what, func(name string, v *jsontree.Value) {
		switch text := p.Text(v, what); {
		case name == "from":
			w.from = Path(text)
		case !words:
			p.Fail(v, fmt.Sprintf("%s has no member %q", what, name), `it is {"from": FIELD}`)
		case name == "else":
			w.others = text
		default:
			w.words[name] = text
		}
	})
	if w.from == nil {
		p.Fail(v, what+" names no field", `write {"from": FIELD}`)
	}
	return w
}
