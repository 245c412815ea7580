// This file writes TypeScript.

package types

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
)

//go:embed clients/client.ts
var typescriptClient string

// typescriptGlobals are types that TypeScript programs expect under these names.
const typescriptGlobals = "Object Function String Number Boolean Symbol Date Array Map Set Promise Record Partial Pick Omit Readonly Error Request Response Headers URL Blob File Node Element Document Event Window Infinity NaN"

// typescript writes one module.
type typescript struct {
	bytes.Buffer
	names names
}

// TypeScript writes a module with the types of an environment's items, and a client.
func TypeScript(to io.Writer, e *Environment) error {
	w := &typescript{names: wordsOf(typescriptClient + typescriptGlobals + " Templates Fields")}
	fmt.Fprintf(w, header, e.ID)
	var own []string
	for i := range e.Templates {
		own = append(own, w.template(&e.Templates[i]))
	}
	w.table("/** The items by the names of their templates. */\nexport interface Templates", "{\n", e.Templates, func(i int) string { return own[i] })
	w.table("/** The paths of Data that have values, by template. */\nexport interface Fields", "{\n", e.Templates, func(i int) string { return own[i] + "Field" })
	w.table("const files: Record<string, { sort: string; ascending: boolean; pageSize: number; directory: string }[]> =", "{\n", e.Templates, func(i int) string {
		return listText(e.listFiles(e.Templates[i].Name))
	})
	fmt.Fprintf(w, "\nconst environment = %s;\nconst order = { sort: %s, ascending: %t, pageSize: %d };\n", quoted(e.ID), quoted(e.Defaults.Sort), e.Defaults.Asc, e.Defaults.PageSize)
	w.WriteString(typescriptClient)
	_, err := w.WriteTo(to)
	return err
}

func (w *typescript) table(head, open string, templates []release.Template, value func(i int) string) {
	separator := ";"
	if strings.HasPrefix(head, "const") {
		separator = ","
	}
	w.WriteString("\n" + head + " " + open)
	for i := range templates {
		name := property(templates[i].Name)
		if separator == "," && templates[i].Name == "__proto__" {
			name = "[" + name + "]" // without brackets the key would set the prototype
		}
		fmt.Fprintf(w, "  %s: %s%s\n", name, value(i), separator)
	}
	w.WriteString(map[string]string{";": "}\n", ",": "};\n"}[separator])
}

func listText(lists []listFiles) string {
	var parts []string
	for _, l := range lists {
		parts = append(parts, fmt.Sprintf("{ sort: %s, ascending: %t, pageSize: %d, directory: %s }", quoted(l.Sort), l.Ascending, l.PageSize, quoted(l.Directory)))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// template writes the types of a template, and returns the name of its items.
func (w *typescript) template(t *release.Template) string {
	name := w.names.take(pascal(t.Name, "Template"), dataType, "Field")
	root := treeOf(t)
	fmt.Fprintf(w, "\n/** An item of the template %s. */\nexport interface %s extends BaseItem<%s, %sData> {", inComment(t.Name), name, quoted(t.Name), name)
	var data *place
	extras := ""
	for _, m := range root.members {
		if m.key == address.FieldData {
			data = m
		} else {
			extras += w.member(m, 1)
		}
	}
	if extras != "" {
		extras = "\n" + extras
	}
	fmt.Fprintf(w, "%s}\n", extras)
	if data.open() || data.table() != nil {
		fmt.Fprintf(w, "\nexport type %sData = %s;\n", name, w.object(data, 0))
	} else {
		fmt.Fprintf(w, "\nexport interface %sData %s\n", name, w.object(data, 0))
	}
	var fields []string
	data.fields(address.DataPrefix, func(path string) { fields = append(fields, path) })
	w.fields(name, fields)
	return name
}

// fields writes the union of paths.
func (w *typescript) fields(name string, fields []string) {
	slices.Sort(fields)
	fields = slices.Compact(fields)
	if len(fields) == 0 {
		fmt.Fprintf(w, "\nexport type %sField = never;\n", name)
		return
	}
	fmt.Fprintf(w, "\nexport type %sField =", name)
	for _, f := range fields {
		fmt.Fprintf(w, "\n  | %s", quoted(f))
	}
	w.WriteString(";\n")
}

func (w *typescript) member(m *place, depth int) string {
	mark := "?"
	if m.path.Always {
		mark = ""
	}
	return fmt.Sprintf("%s%s%s: %s;\n", strings.Repeat("  ", depth), property(m.key), mark, w.value(m, 0, depth))
}

// value writes the type of the values that lie in a number of arrays at a place.
func (w *typescript) value(p *place, level, depth int) string {
	kinds := p.level(level)
	var union []string
	for _, k := range typescriptKinds {
		if !kinds.Has(k.kinds...) {
			continue
		}
		text := k.text
		switch {
		case k.kinds[0] == release.KindObject:
			text = w.object(p, depth)
		case k.kinds[0] == release.KindReference:
			text = w.also("Reference"+targets(p), p, depth, "Type", "ReferenceType", envelope.RefIDs)
		case k.kinds[0] == release.KindMedia:
			text = w.also("MediaReference", p, depth, "Type", "ReferenceType")
		case k.kinds[0] == release.KindArray && level+1 > release.MaxNesting:
			text = "unknown[]"
		case k.kinds[0] == release.KindArray:
			if text = w.value(p, level+1, depth); strings.Contains(text, " | ") || strings.Contains(text, " & ") {
				text = "(" + text + ")"
			}
			text += "[]"
		}
		union = append(union, text)
	}
	for kind := range kinds {
		if !slices.ContainsFunc(typescriptKinds, func(k typescriptKind) bool { return slices.Contains(k.kinds, kind) }) {
			return "unknown" // of a newer generator
		}
	}
	if len(union) == 0 {
		return "unknown"
	}
	return strings.Join(slices.Compact(union), " | ")
}

type typescriptKind struct {
	text  string
	kinds []release.Kind
}

var typescriptKinds = []typescriptKind{
	{"string", []release.Kind{release.KindString}},
	{"DateString", []release.Kind{release.KindDate}},
	{"HTML", []release.Kind{release.KindHTML}},
	{"number", []release.Kind{release.KindInteger, release.KindFloat}},
	{"boolean", []release.Kind{release.KindBoolean}},
	{"", []release.Kind{release.KindReference}},
	{"", []release.Kind{release.KindMedia}},
	{"RichText", []release.Kind{release.KindRichText}},
	{"RichTextBlock", []release.Kind{release.KindBlock}},
	{"", []release.Kind{release.KindObject}},
	{"", []release.Kind{release.KindArray}},
	{"null", []release.Kind{release.KindNull}},
}

func (w *typescript) object(p *place, depth int) string {
	if t := p.table(); t != nil {
		return "{ [key: string]: " + w.value(t, 0, depth) + " }"
	}
	if p.open() {
		return "{ [key: string]: unknown }"
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, m := range p.members {
		b.WriteString(w.member(m, depth+1))
	}
	return b.String() + strings.Repeat("  ", depth) + "}"
}

// also adds the members that a reference has beyond the usual ones.
func (w *typescript) also(name string, p *place, depth int, usual ...string) string {
	if p.has(release.KindObject) {
		return name // the members may belong to other objects
	}
	rest := *p
	rest.members = slices.DeleteFunc(slices.Clone(p.members), func(m *place) bool { return slices.Contains(usual, m.key) })
	if len(rest.members) == 0 || p.table() != nil {
		return name
	}
	return name + " & " + w.object(&rest, depth)
}

func targets(p *place) string {
	if len(p.path.Targets) == 0 {
		return ""
	}
	var quotedNames []string
	for _, t := range p.path.Targets {
		quotedNames = append(quotedNames, quoted(t))
	}
	return "<" + strings.Join(quotedNames, " | ") + ">"
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z_$0-9]*$`)

// property writes a key as the name of a property.
func property(key string) string {
	if identifier.MatchString(key) && key != "__proto__" && key != "constructor" {
		return key
	}
	return quoted(key)
}

// quoted writes a text as a literal that is visible: it escapes every character that is not a letter, mark, number,
// punctuation, symbol or space of ASCII.
func quoted(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic("types: cannot encode a text: " + err.Error())
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case r == ' ' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\u{%x}`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// inComment writes a text so that it cannot end a comment.
func inComment(text string) string { return strings.ReplaceAll(quoted(text), "*/", `*\/`) }
