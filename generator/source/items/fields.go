// This file finds the fields of an item: its id, name, template, status and people.

package items

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source/dates"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/uuid"
	"contentedge/generator/visibility"
)

// defaultTemplate is the template of files at the top of an environment.
const defaultTemplate = "page"

// FolderPage is the name, without extension, of a Markdown file that is the page of its folder. It is read
// although it begins with "_".
const FolderPage = "_index"

// IsFolderPage reports whether a Markdown file of a name, without extension and language, is the page of its folder.
func IsFolderPage(name string) bool { return name == "index" || name == FolderPage }

// IsFolderPage reports whether the file at a path is the page of its folder.
func (f *Format) IsFolderPage(file string, among []string) bool {
	stem, _ := environment.CutLanguage(file, among)
	return f.Markdown && IsFolderPage(path.Base(stem))
}

// BasePath returns the path of a file below its environment without its extension, and the language that the name of a
// Markdown file ends in. The page of a folder has the path of the folder; "" is the environment.
func (f *Format) BasePath(file string, among []string) (base, language string) {
	if !f.Markdown {
		among = nil
	}
	base, language = environment.CutLanguage(file, among)
	if dir, name := path.Split(base); IsFolderPage(name) {
		base = strings.TrimSuffix(dir, "/")
	}
	return base, language
}

// PageOf returns the path of the page of a Markdown file below its environment, as sites with a folder for each page have
// it: events/social of events/social.md. It is false for other files.
func PageOf(file string) (string, bool) {
	f := FormatOf(file)
	if f == nil || !f.Markdown {
		return "", false
	}
	base, _ := f.BasePath(file, nil)
	return base, true
}

// firstFolder returns the first folder of a path; "" for a file at the top.
func firstFolder(file string) string {
	folder, _, nested := strings.Cut(file, "/")
	if !nested {
		return ""
	}
	return folder
}

func (m *maker) identity() {
	id, from := m.contentID()
	if id != "" {
		m.write(address.FieldContentID, id, from)
	}
}

// contentID returns the id of the item and the member that it comes from; "" after a fault, and with a
// member whose value model checks.
func (m *maker) contentID() (string, *member) {
	if f := m.top(address.FieldContentID); f != nil {
		text, _ := m.text(f)
		return text, f
	}
	for i := range m.members {
		if f := &m.members[i]; strings.EqualFold(f.name, address.FieldContentID) && f.name != m.Rule.ID {
			m.fault(f.nameAt, fmt.Sprintf("the key %s is not a field, but %s is", documents.Quoted(f.name), address.FieldContentID), "write "+address.FieldContentID+"; keys are case-sensitive")
			return "", nil
		}
	}
	switch {
	case m.Rule.ID != "":
		return m.idFromMember()
	case m.from.listed:
		m.fault(0, "this file is a list of items, and nothing identifies each item", "in "+environment.Name+" name the member that does, for example id: {from: "+m.firstMember()+"}, or give each a ContentID")
		return "", nil
	}
	return m.derivedID(path.Join(m.in.Env, m.base)), nil
}

// derivedID returns the id of a name. Translations of a file have the same name and other ids.
func (m *maker) derivedID(name string) string {
	if m.suffix != "" {
		name += "." + m.suffix
	}
	return uuid.Content(name)
}

// firstMember is an example of a member.
func (m *maker) firstMember() string {
	if len(m.members) == 0 {
		return "code"
	}
	return m.members[0].name
}

// idFromMember returns the id by the member that the rule names. A UUID is kept. The name space of other
// values is the file, if it is a list of items, else its first folder.
func (m *maker) idFromMember() (string, *member) {
	text, f := "", m.find(m.Rule.ID)
	switch {
	case f != nil:
		var ok bool
		if text, ok = m.text(f); !ok {
			return "", nil
		}
	case m.Rule.ID == SlugMember && !m.from.listed:
		text = m.slug()
	}
	if strings.TrimSpace(text) == "" {
		at := 0
		if f != nil {
			at = f.start
		}
		m.fault(at, fmt.Sprintf("the item has no %s, by which the rule identifies it", documents.Quoted(m.Rule.ID)), "give it one, or change id in "+environment.Name)
		return "", nil
	}
	if bare := strings.TrimPrefix(text, contentPrefix); uuid.Valid(bare) {
		return contentPrefix + strings.ToLower(bare), f
	}
	space := firstFolder(m.in.Path)
	if m.from.listed {
		space = m.base
	}
	return m.derivedID(strings.Trim(m.in.Env+"/"+space, "/") + "/" + text), f
}

// contentPrefix begins the ids of items.
const contentPrefix = "Content_"

// slug is the member slug, or the last part of the path, without a date at its beginning: letters and
// digits in lower case, with - for other characters.
func (m *maker) slug() string {
	if f := m.top(SlugMember); f != nil {
		if text, ok := m.text(f); ok && text != "" {
			return text
		}
	}
	name := path.Base(m.base)
	if m.base == "" {
		name = "index"
	}
	if _, rest, ok := dates.OfName(name, m.Settings.Timezone); ok && rest != "" {
		name = rest
	}
	return slugOf(name)
}

func slugOf(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune("_.~", r):
			b.WriteRune(unicode.ToLower(r))
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// nameMembers are the members that name an item, without a rule.
var nameMembers = []string{"title", "name"}

var noName = &documents.Kind{
	One: "%v is not a text, so that it is not the name of the item", Many: "%d items have a title that is not a text, so that it is not their name",
	Hint: "write it as a text; in YAML, put a text that begins with [ or { in quotes",
}

func (m *maker) name() {
	if m.given(address.FieldName) {
		return
	}
	members := nameMembers
	if m.Rule.Name != "" {
		members = []string{m.Rule.Name}
	}
	for _, name := range members {
		f := m.find(name)
		if m.Rule.Name == "" {
			f = m.usual(name)
		}
		if f == nil {
			continue
		}
		if first := m.value(f)[0]; m.Rule.Name == "" && (first == '{' || first == '[') {
			m.findings = append(m.findings, finding{Place: m.from.rec.Place(f.start), kind: noName, value: f.name})
			continue
		}
		if text, ok := m.text(f); !ok || strings.TrimSpace(text) != "" {
			m.write(address.FieldName, text, f)
			return
		}
	}
	if m.heading != "" {
		m.write(address.FieldName, m.heading, nil)
		return
	}
	m.write(address.FieldName, m.fallbackName(), nil)
}

// fallbackName names an item by what identifies it.
func (m *maker) fallbackName() string {
	if f := m.find(m.Rule.ID); f != nil && m.from.listed {
		if value := m.value(f); value[0] != '{' && value[0] != '[' {
			text, _ := m.text(f)
			return text
		}
	}
	if m.base == "" {
		return m.in.Env
	}
	return path.Base(m.base)
}

func (m *maker) template() {
	if m.given(address.FieldTemplateName) {
		return
	}
	t := m.Rule.Template
	if t.Name != "" {
		m.write(address.FieldTemplateName, t.Name, nil)
		return
	}
	if t.From != "" {
		f := m.find(t.From)
		if f == nil {
			m.fault(0, fmt.Sprintf("the item has no %s, which names its template", documents.Quoted(t.From)), "give it one, or change template in "+environment.Name)
			return
		}
		text, _ := m.text(f)
		m.write(address.FieldTemplateName, text, f)
		return
	}
	name := firstFolder(m.in.Path)
	if m.from.listed {
		name = path.Base(m.base)
	}
	if name == "" {
		name = defaultTemplate
	}
	m.write(address.FieldTemplateName, name, nil)
}

// status writes the Status. It follows dates: a scheduled item is public from a time on.
func (m *maker) status() {
	s := m.Rule.Status
	switch {
	case m.givenStatus():
	case s.Name != "":
		m.write(address.FieldStatus, s.Name, nil)
		m.originInRule("status", s.Name)
	case s.From != "":
		m.statusFrom(&s)
	default:
		status, from := m.markedStatus()
		if status = visibility.Written(status, m.released); from != nil && status != visibility.Published {
			m.write(address.FieldStatus, status, from)
			m.origin(address.FieldStatus, from)
		}
	}
}

// truth returns "true" or "false" for a boolean, and for a text that systems read as one. It returns "" for other values.
func (m *maker) truth(f *member) string {
	return visibility.Truth(strings.Trim(string(m.value(f)), `"`))
}

// givenStatus writes the Status of the file, also null, which is an error, as a guess could publish the item.
func (m *maker) givenStatus() bool {
	for i := range m.members {
		if f := &m.members[i]; f.name == address.FieldStatus {
			m.b.Key(address.FieldStatus, m.from.rec.Place(f.nameAt))
			m.b.Value(&m.from.rec, f.start, f.end)
			m.origin(address.FieldStatus, f)
			return true
		}
	}
	return false
}

func (m *maker) statusFrom(s *environment.Status) {
	f := m.find(s.From)
	if f == nil {
		if s.Else != "" {
			m.write(address.FieldStatus, s.Else, nil)
			m.originInRule("status.else", s.Else)
		}
		return
	}
	m.origin(address.FieldStatus, f)
	text, ok := m.text(f)
	status, listed := s.Table[text]
	if truth := m.truth(f); !listed && truth != "" { // True and yes are texts; a rule lists them as true
		status, listed = s.Table[truth]
	}
	switch {
	case !ok:
		return
	case listed:
		m.write(address.FieldStatus, status, f)
	case s.Else != "":
		m.write(address.FieldStatus, s.Else, f)
	case s.Table == nil && m.value(f)[0] == '"':
		m.write(address.FieldStatus, text, f)
	default:
		m.fault(f.start, fmt.Sprintf("%s is %s, which has no status in the rule", f.name, documents.Quoted(text)), "in "+environment.Name+" add it to status, or add else: Published")
	}
}

var peopleFields = [...]string{environment.Created: address.FieldCreatedBy, environment.Updated: address.FieldUpdatedBy, environment.Published: address.FieldPublishedBy}

func (m *maker) people() {
	for role, field := range peopleFields {
		if m.given(field) {
			continue
		}
		if f := m.find(m.Rule.People[role]); m.Rule.People[role] != "" && f != nil {
			if names := m.names(f); names != "" {
				m.write(field, names, f)
				continue
			}
		}
		if name := m.Settings.People[role]; name != "" {
			m.write(field, name, nil)
		}
	}
}
