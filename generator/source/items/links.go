// This file finds the path and the language of an item, and which items the links of its text lead to.

package items

import (
	"cmp"
	"path"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// PathMember is the member of Data with the path of an item that is the only one of its file, unless the file has it: the
// path of the file below the environment, without extension, language and index.
const PathMember = "path"

// LanguageMember is the member of Data with the language that the name of the file ends in, or else the default one.
const LanguageMember = "language"

// languageMembers are the members by which a file says its language itself.
var languageMembers = []string{LanguageMember, "lang"}

var otherPath = &documents.Kind{
	One: "the path %s of the item differs from the path of its file", Many: "%d items have a path that differs from the path of their file",
	Hint: "links lead to the path that the file gives; leave it out to have the path of the file", Note: true,
}

// hasPath reports whether the item has a path: the items of a list share a file, and have none.
func (m *maker) hasPath() bool { return !m.from.listed }

// locate sets the path and the language of the item.
func (m *maker) locate() {
	m.path, m.language = m.base, m.suffix
	if m.language == "" {
		m.language = m.defaultLanguage()
	}
	known := languageMembers
	if m.language == "" {
		known = languageMembers[:1] // lang may be anything where files have no languages
	}
	for _, name := range known {
		if text := m.authoredText(name); text != "" {
			m.language = text
			break
		}
	}
	if !m.hasPath() {
		return
	}
	if text := m.authoredText(PathMember); text != "" {
		if m.path = strings.Trim(text, "/"); m.path != m.base {
			m.repeat(otherPath, text)
		}
	}
}

// defaultLanguage returns the language of files without a language in their names, or "" if unknown.
func (m *maker) defaultLanguage() string {
	if !m.format.Markdown || len(m.Settings.Languages) == 0 {
		return ""
	}
	return m.Settings.Languages[0]
}

// authoredText returns the text that the file has for a member of Data, or "".
func (m *maker) authoredText(name string) string {
	f := m.find(name)
	if f == nil {
		if data := m.top(address.FieldData); data != nil && m.value(data)[0] == '{' {
			f = m.within(data, name)
		}
	}
	if f == nil || m.value(f)[0] != '"' {
		return ""
	}
	return strings.TrimSpace(string(jsoncursor.StringAt(m.from.rec.JSON, f.start)))
}

// fillsPath reports whether a member of Data is a path without a text, so that the item has the path of its file.
func (m *maker) fillsPath(f *member) bool {
	value := m.value(f)
	return m.hasPath() && f.name == PathMember && (value[0] == 'n' || value[0] == '"' && strings.TrimSpace(string(jsoncursor.Unquote(value))) == "")
}

// pagePath returns what no other item of the environment may have; nil if the item has no path.
func (m *maker) pagePath() *documents.PagePath {
	if !m.hasPath() {
		return nil
	}
	return &documents.PagePath{Path: m.path, Language: m.language}
}

// target is the item as links lead to it.
func (m *maker) target(id, template string) documents.Target {
	return documents.Target{ID: id, Path: m.path, Slug: m.slug(), Language: m.language, Template: template}
}

// link returns what becomes of a link: the address of the item that it leads to, if it leads to one.
func (m *maker) link(destination string, at func() record.Place) markdown.Destination {
	if known, ok := m.linked[destination]; ok {
		return known
	}
	to := markdown.Destination{URL: destination}
	if target, must := m.linkTarget(destination); target != "" {
		to = m.resolve(destination, target, must, at)
	}
	if m.linked == nil {
		m.linked = map[string]markdown.Destination{}
	}
	m.linked[destination] = to
	return to
}

// resolve asks which item a link leads to. A link to one that is left out goes, as its address would be the item's.
func (m *maker) resolve(destination, target string, must bool, at func() record.Place) markdown.Destination {
	to := documents.AskLink(m.in, m.suffix, target)
	switch {
	case to.ID == "":
		if must {
			m.findings = append(m.findings, finding{Place: at(), value: destination, link: &to})
		}
		return markdown.Destination{URL: destination}
	case to.Hidden:
		m.findings = append(m.findings, finding{Place: at(), value: destination, link: &to})
		return markdown.Destination{Drop: true}
	}
	url := m.Settings.Links.Address(to)
	if url == "" {
		return markdown.Destination{URL: destination, Item: to.ID}
	}
	return markdown.Destination{URL: withSuffix(url, destination), Item: to.ID}
}

// withSuffix returns an address with the query and the fragment of a destination.
func withSuffix(url, destination string) string {
	at := strings.IndexAny(destination, "?#")
	switch {
	case at < 0:
		return url
	case destination[at] == '?' && strings.Contains(url, "?"):
		return url + "&" + destination[at+1:]
	}
	return url + destination[at:]
}

// linkTarget returns the path below the environment that a destination in a file may mean, or "" if it leads elsewhere.
// must is true if it is the path of a Markdown file, and so has to be an item.
func (m *maker) linkTarget(destination string) (target string, must bool) {
	name, _ := documents.SplitURL(destination)
	f := FormatOf(name)
	page := f != nil && f.Markdown
	switch {
	case documents.RelativeURL(destination):
		target = path.Join(path.Dir(m.in.Path), name)
		if strings.HasSuffix(name, "/") {
			target += "/"
		}
		return target, page
	case (page || m.OwnSite) && documents.RootedURL(destination):
		return cmp.Or(strings.TrimPrefix(path.Clean(name), "/"), "."), page && m.OwnSite
	}
	return "", false
}
