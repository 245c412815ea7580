// This file writes Go.

package types

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
)

//go:embed clients/client.gotext
var goClient string

// golang writes one file of a package.
type golang struct {
	bytes.Buffer
	names names
	later []func() // writes the types that the current one names
}

// Go writes a file of the package content with the types of an environment's items, and a client.
func Go(to io.Writer, e *Environment) error {
	w := &golang{names: declared(goClient)}
	fmt.Fprintf(w, header+"\n", e.ID)
	w.WriteString(goClient)
	fmt.Fprintf(w, "\nconst environment = %q\n\nvar order = list{sort: %q, ascending: %t, pageSize: %d}\n", e.ID, e.Defaults.Sort, e.Defaults.Asc, e.Defaults.PageSize)
	w.WriteString("\nvar files = map[string][]list{\n")
	for i := range e.Templates {
		fmt.Fprintf(w, "\t%s: {", goQuoted(e.Templates[i].Name))
		for _, l := range e.listFiles(e.Templates[i].Name) {
			fmt.Fprintf(w, "{%q, %t, %d, %q},", l.Sort, l.Ascending, l.PageSize, l.Directory)
		}
		w.WriteString("},\n")
	}
	w.WriteString("}\n")
	for i := range e.Templates {
		w.template(&e.Templates[i])
	}
	text, err := format.Source(w.Bytes())
	if err != nil {
		return fmt.Errorf("the Go text is wrong: %w", err)
	}
	_, err = to.Write(text)
	return err
}

// declared takes the names that a Go text declares.
func declared(text string) names {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		panic("types: the client is wrong: " + err.Error())
	}
	taken := names{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			taken[d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					taken[t.Name.Name] = true
				}
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						taken[name.Name] = true
					}
				}
			}
		}
	}
	return taken
}

func goQuoted(text string) string { return strconv.Quote(text) }

func (w *golang) template(t *release.Template) {
	name := w.names.take(pascal(t.Name, "T"), dataType)
	root := treeOf(t)
	fmt.Fprintf(w, "\n// %s is an item of the template %s.\ntype %s struct {\n\tBaseItem\n", name, goQuoted(t.Name), name)
	own := names{"BaseItem": true}
	for _, field := range address.Fields {
		own[field] = true
	}
	for _, m := range root.members {
		if m.key == address.FieldData {
			fmt.Fprintf(w, "\tData %sData\n", name)
			w.later = append(w.later, func() { w.named(name+dataType, m, false) })
		} else if isTag(m.key) {
			w.field(own, m, name)
		}
	}
	fmt.Fprintf(w, "}\n\nfunc (%s) template() string { return %s }\n", name, goQuoted(t.Name))
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		next()
	}
}

// named writes the type of an object. Of a reference, refers is true and its usual members are embedded.
func (w *golang) named(name string, p *place, refers bool) {
	fmt.Fprintf(w, "\n// %s is an object at %s.\ntype %s ", name, goQuoted(strings.Join(p.path.Keys, ".")), name)
	if t := p.table(); t != nil {
		fmt.Fprintf(w, "map[string]%s\n", w.value(t, 0, name+"Value", false))
		return
	}
	if p.open() || slices.ContainsFunc(p.members, func(m *place) bool { return !isTag(m.key) }) {
		w.WriteString("map[string]any\n") // no tag of a struct has such a key
		return
	}
	w.WriteString("struct {\n")
	own, members := names{}, p.members
	if refers {
		base := "MediaReference"
		if p.has(release.KindReference) {
			base = "Reference"
		}
		fmt.Fprintf(w, "\t%s\n", base)
		members = extraMembers(p)
		own = names{base: true, "Type": true, "ReferenceType": true, envelope.RefIDs: true}
	}
	for _, m := range members {
		w.field(own, m, strings.TrimSuffix(name, dataType))
	}
	w.WriteString("}\n")
}

// extraMembers are the members that a reference has beyond the usual ones.
func extraMembers(p *place) []*place {
	return slices.DeleteFunc(slices.Clone(p.members), func(m *place) bool {
		return m.key == "Type" || m.key == "ReferenceType" || m.key == envelope.RefIDs && p.has(release.KindReference)
	})
}

func (w *golang) field(own names, m *place, inside string) {
	name := own.take(pascal(m.key, "F"))
	comment := ""
	if len(m.path.Targets) > 0 {
		comment = " // to " + strings.Join(quotedAll(m.path.Targets), ", ")
	}
	tag := m.key
	if tag == "-" {
		tag = "-,"
	}
	fmt.Fprintf(w, "\t%s %s `json:%s`%s\n", name, w.value(m, 0, inside+name, !m.path.Always), strconv.Quote(tag), comment)
}

func quotedAll(texts []string) (all []string) {
	for _, t := range texts {
		all = append(all, goQuoted(t))
	}
	return all
}

// isTag reports whether a key may be the name in a tag of encoding/json.
func isTag(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}

// value returns the type of the values that lie in a number of arrays at a place. optional ones may be missing.
func (w *golang) value(p *place, level int, name string, optional bool) string {
	kinds := p.level(level)
	var found []release.Kind
	for kind := range kinds {
		if kind != release.KindNull {
			found = append(found, kind)
		}
	}
	optional = optional || kinds.Has(release.KindNull)
	if len(found) != 1 {
		if kinds.Has(release.KindBlock, release.KindRichText) {
			return "RichText"
		}
		return "any"
	}
	pointer := ""
	if optional {
		pointer = "*"
	}
	switch found[0] {
	case release.KindString, release.KindDate, release.KindHTML:
		return pointer + "string"
	case release.KindInteger:
		return pointer + "int64"
	case release.KindFloat:
		return pointer + "float64"
	case release.KindBoolean:
		return pointer + "bool"
	case release.KindRichText, release.KindBlock:
		return "RichText"
	case release.KindArray:
		if level+1 > release.MaxNesting {
			return "[]any"
		}
		return "[]" + w.value(p, level+1, name, false)
	case release.KindReference, release.KindMedia:
		return w.reference(p, name, pointer)
	case release.KindObject:
		return w.object(p, name, pointer)
	}
	return "any"
}

func (w *golang) reference(p *place, name, pointer string) string {
	if p.has(release.KindObject) || p.has(release.KindReference) && p.has(release.KindMedia) || p.table() != nil || p.open() {
		return "any" // its members may belong to other objects
	}
	if len(extraMembers(p)) == 0 {
		if p.has(release.KindReference) {
			return pointer + "Reference"
		}
		return pointer + "MediaReference"
	}
	return w.object(p, name, pointer)
}

// object names the type of an object, which is written later.
func (w *golang) object(p *place, name, pointer string) string {
	if p.open() {
		return "map[string]any"
	}
	refers := p.has(release.KindReference, release.KindMedia)
	if p.table() != nil {
		pointer = ""
	}
	if len(name) > 2*longestName {
		name = string([]rune(name)[:longestName])
	}
	own := w.names.take(name)
	w.later = append(w.later, func() { w.named(own, p, refers) })
	return pointer + own
}
