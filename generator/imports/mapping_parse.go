// This file reads mapping files. Every name that means nothing is refused, with its place.

package imports

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
	"contentedge/generator/source/yamltext"
)

// maxMapping bounds a mapping file in bytes: thousands of types.
const maxMapping = 1 << 20

// ReadMapping reads a mapping file. Its error is an *export.Fault, or the system's.
func ReadMapping(name string) (*Mapping, error) {
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
	return parseMapping(name, text)
}

func parseMapping(name string, text []byte) (*Mapping, error) {
	p := &mappingParser{name: name, place: func(at int) (int, int) { return jsonscan.Place(text, at) }}
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
	p.object(v, "a mapping file", map[string]func(*jsontree.Value){
		"json": func(v *jsontree.Value) { m.rules = v },
		"types": func(v *jsontree.Value) {
			p.members(v, "types", func(name string, v *jsontree.Value) { m.types[name] = p.typeMapping(v) })
		},
	})
	if p.fault != nil {
		return nil, p.fault
	}
	return m, nil
}

// mappingParser keeps the first fault.
type mappingParser struct {
	name  string
	place func(offset int) (line, col int)
	fault *export.Fault
}

func (p *mappingParser) fail(v *jsontree.Value, message, hint string) {
	if p.fault == nil {
		line, col := p.place(v.Offset)
		p.fault = &export.Fault{File: p.name, Line: line, Col: col, Message: message, Hint: hint}
	}
}

// members calls do with each member of an object.
func (p *mappingParser) members(v *jsontree.Value, what string, do func(string, *jsontree.Value)) {
	if !v.IsObject() {
		p.fail(v, what+" must be an object, not "+v.Kind(), "")
		return
	}
	for _, m := range v.Members {
		do(m.Name, m.Value)
	}
}

// object reads an object with the members of a table, and no others.
func (p *mappingParser) object(v *jsontree.Value, what string, table map[string]func(*jsontree.Value)) {
	p.members(v, what, func(name string, v *jsontree.Value) {
		if read := table[name]; read != nil {
			read(v)
			return
		}
		names := make([]string, 0, len(table))
		for known := range table {
			names = append(names, known)
		}
		slices.Sort(names)
		p.fail(v, fmt.Sprintf("%s has no member %q", what, name), "its members are "+strings.Join(names, ", "))
	})
}

func (p *mappingParser) typeMapping(v *jsontree.Value) *typeMapping {
	t := &typeMapping{found: map[string]bool{}, keep: map[string]bool{}}
	p.object(v, "a type", map[string]func(*jsontree.Value){
		"skip":     func(v *jsontree.Value) { t.skip = p.yes(v, "skip") },
		"template": func(v *jsontree.Value) { t.template = p.word(v, "template", false) },
		"name":     func(v *jsontree.Value) { t.name = p.from(v, "name", false) },
		"status":   func(v *jsontree.Value) { t.status = p.word(v, "status", true) },
		"fields": func(v *jsontree.Value) {
			p.members(v, "fields", func(old string, v *jsontree.Value) {
				f := renamed{old: old}
				if !v.IsNull() {
					f.name = p.text(v, "a field's new name")
				}
				t.fields = append(t.fields, f)
			})
		},
		"references": func(v *jsontree.Value) {
			if !v.IsArray() {
				p.fail(v, "references must be an array of fields, not "+v.Kind(), "")
			}
			for _, item := range v.List() {
				t.references = append(t.references, Path(p.text(item, "a field")))
			}
		},
		"keep": func(v *jsontree.Value) {
			if !v.IsArray() {
				p.fail(v, "keep must be an array of fields, not "+v.Kind(), "")
			}
			for _, item := range v.List() {
				t.keep[strings.Join(Path(p.text(item, "a field")), ".")] = true
			}
		},
	})
	return t
}

func (p *mappingParser) yes(v *jsontree.Value, what string) bool {
	if v.Text() != "true" && v.Text() != "false" || v.IsString() {
		p.fail(v, what+" must be true or false, not "+v.Kind(), "")
	}
	return v.IsTrue()
}

func (p *mappingParser) text(v *jsontree.Value, what string) string {
	if !v.IsString() || v.Str() == "" {
		p.fail(v, what+" must be a text that is not empty", "")
	}
	return v.Str()
}

// word reads a fixed word, or an object that begins with from.
func (p *mappingParser) word(v *jsontree.Value, what string, words bool) word {
	if v.IsString() {
		return word{fixed: p.text(v, what)}
	}
	return p.from(v, what, words)
}

// from reads {"from": FIELD}; with words also a word for each value of the field, and "else".
func (p *mappingParser) from(v *jsontree.Value, what string, words bool) word {
	w := word{words: map[string]string{}}
	p.members(v, what, func(name string, v *jsontree.Value) {
		switch text := p.text(v, what); {
		case name == "from":
			w.from = Path(text)
		case !words:
			p.fail(v, fmt.Sprintf("%s has no member %q", what, name), `it is {"from": FIELD}`)
		case name == "else":
			w.others = text
		default:
			w.words[name] = text
		}
	})
	if w.from == nil {
		p.fail(v, what+" names no field", `write {"from": FIELD}`)
	}
	return w
}
