// This file writes the Data of an item: the members of its file, and its text.

package items

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
	"contentedge/generator/visibility"
)

// data writes Data: the members of the file in its order, without the fields; then the text, its HTML, the slug, the
// path and the language. A member Data of the file adds its members in its place.
func (m *maker) data() {
	m.b.Key(address.FieldData, m.begin())
	m.b.Object(m.begin())
	for i := range m.members {
		switch f := &m.members[i]; {
		case f.name == address.FieldData:
			m.spread(f)
		case m.fillsPath(f):
		case f.name != visibility.FieldExpiresAt && !slices.Contains(address.Fields[:], f.name):
			m.member(f)
		}
	}
	if m.format.Markdown {
		m.body()
	}
	m.addMember(SlugMember, m.slug(), !m.from.listed)
	m.addMember(PathMember, m.path, m.hasPath())
	m.addMember(LanguageMember, m.language, m.suffix != "" || m.defaultLanguage() != "")
	m.b.EndObject()
}

// spread writes the members of the member Data.
func (m *maker) spread(data *member) {
	json := m.from.rec.JSON
	if json[data.start] != '{' {
		m.fault(data.start, "Data must be an object, not "+jsonscan.KindName(json[data.start]), "")
		return
	}
	jsoncursor.Children(json, data.start, func(name []byte, at int) int {
		end := jsoncursor.ValueEnd(json, at)
		if f := (&member{string(jsoncursor.Unquote(name)), at - 1 - len(name), at, end}); !m.fillsPath(f) {
			m.member(f)
		}
		return end
	})
}

// addMember writes a member of Data that the item has, unless the file has it.
func (m *maker) addMember(name, text string, has bool) {
	if has && !m.written[name] {
		m.b.Key(name, m.begin())
		m.b.String(text, m.begin())
	}
}

// member writes a member of Data.
func (m *maker) member(f *member) {
	if m.written[f.name] {
		m.fault(f.nameAt, fmt.Sprintf("the key %s is given twice, inside and outside of Data", documents.Quoted(f.name)), "keep one of the two")
		return
	}
	m.written[f.name] = true
	m.b.Key(f.name, m.from.rec.Place(f.nameAt))
	m.copy(f.name, f.start, f.end)
}

// body writes the text and its HTML.
func (m *maker) body() {
	blank := len(bytes.TrimSpace(m.from.text)) == 0
	if m.free(m.Rule.Body.Text, blank, "text") {
		m.b.Key(m.Rule.Body.Text, m.from.textAt)
		m.b.String(string(m.from.text), m.from.textAt)
	}
	if m.Rule.Body.HTML != "" && m.free(m.Rule.Body.HTML, blank, "html") {
		m.b.Key(m.Rule.Body.HTML, m.from.textAt)
		m.b.String(string(m.html), m.from.textAt)
	}
}

// free reports whether the text or its HTML can have a name in Data. It is a fault if Data has the name already, unless
// the text is blank.
func (m *maker) free(name string, blank bool, key string) bool {
	if !m.written[name] {
		m.written[name] = true
		return true
	}
	if f := m.top(name); f != nil && !blank {
		m.fault(f.nameAt, fmt.Sprintf("the front matter has the member %s, and so has the text", documents.Quoted(name)),
			fmt.Sprintf("rename it, or in %s give the text another member, for example body: {%s: content}", environment.Name, key))
	}
	return false
}

// copy writes the value at a path, with references for the values that name items.
func (m *maker) copy(path string, start, end int) {
	refers := false
	for i := range m.Rule.References {
		r := &m.Rule.References[i]
		if r.Member == path {
			m.refer(r, start)
			return
		}
		refers = refers || strings.HasPrefix(r.Member, path+".")
	}
	json := m.from.rec.JSON
	if !refers || json[start] != '{' && json[start] != '[' {
		m.b.Value(&m.from.rec, start, end)
		return
	}
	at := m.from.rec.Place(start)
	if json[start] == '[' {
		m.b.Array(at)
		jsoncursor.Children(json, start, func(_ []byte, at int) int {
			end := jsoncursor.ValueEnd(json, at)
			m.copy(path, at, end)
			return end
		})
		m.b.EndArray()
		return
	}
	m.b.Object(at)
	jsoncursor.Children(json, start, func(quoted []byte, at int) int {
		end, name := jsoncursor.ValueEnd(json, at), string(jsoncursor.Unquote(quoted))
		m.b.Key(name, m.from.rec.Place(at-1-len(quoted)))
		m.copy(path+"."+name, at, end)
		return end
	})
	m.b.EndObject()
}

// ReferenceQuestion is the kind of Questions about the item of a folder that has an id or a slug.
const ReferenceQuestion = "reference"

// ReferenceKey returns the Key of such a Question. language comes from the name of the file that refers: an item in the
// same language is preferred.
func ReferenceKey(folder, language, value string) string {
	return folder + "\n" + language + "\n" + value
}

// CutReferenceKey returns the parts of a ReferenceKey.
func CutReferenceKey(key string) (folder, language, value string) {
	folder, rest, _ := strings.Cut(key, "\n")
	language, value, _ = strings.Cut(rest, "\n")
	return folder, language, value
}

// Several is how the answer begins if several items have the value; what follows says which.
const Several = "!"

// refer writes the reference that a value stands for: a text is an id or a slug, a list has several.
func (m *maker) refer(r *environment.Reference, start int) {
	json := m.from.rec.JSON
	at := m.from.rec.Place(start)
	switch json[start] {
	case '{':
		m.notReference(r, start)
		return
	case 'n':
		m.b.Literal("null", at)
		return
	case '"':
		if len(bytes.TrimSpace(jsoncursor.StringAt(json, start))) == 0 {
			m.b.Literal("null", at)
			return
		}
	}
	m.b.Object(at)
	for _, pair := range [][2]string{{"Type", "Reference"}, {"ReferenceType", "Content"}} {
		m.b.Key(pair[0], at)
		m.b.String(pair[1], at)
	}
	m.b.Key("ContentIDs", at)
	m.b.Array(at)
	if json[start] == '[' {
		jsoncursor.Children(json, start, func(_ []byte, at int) int {
			m.referTo(r, at)
			return jsoncursor.ValueEnd(json, at)
		})
	} else {
		m.referTo(r, start)
	}
	m.b.EndArray()
	m.b.EndObject()
}

func (m *maker) notReference(r *environment.Reference, start int) {
	m.fault(start, fmt.Sprintf("%s must be a text or a list of texts, as it refers to items of %s, not %s", r.Member, documents.Quoted(r.Folder), jsonscan.KindName(m.from.rec.JSON[start])), "")
}

// referTo writes the id of the item that a value names. A value that names none stays, and is a broken
// reference.
func (m *maker) referTo(r *environment.Reference, start int) {
	json := m.from.rec.JSON
	end := jsoncursor.ValueEnd(json, start)
	value := string(json[start:end])
	switch value[0] {
	case '{', '[', 'n':
		m.notReference(r, start)
		return
	case '"':
		value = string(jsoncursor.StringAt(json, start))
	}
	id := m.in.Ask(documents.Question{Kind: ReferenceQuestion, Env: m.in.Env, Key: ReferenceKey(r.Folder, m.suffix, value)})
	if which, several := strings.CutPrefix(id, Several); several {
		m.fault(start, fmt.Sprintf("%s is the id or slug of several items of %s: %s", documents.Quoted(value), documents.Quoted(r.Folder), which), "write the ContentID of the one that is meant, or give the items different slugs")
		return
	}
	if id == "" {
		id = value
	}
	m.b.String(id, m.place(start))
}

func (m *maker) place(at int) record.Place { return m.from.rec.Place(at) }
