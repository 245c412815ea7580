// This file finds the dates of an item.

package items

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source/dates"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
)

// dateFields are the fields by what somebody did to the item.
var dateFields = [...]string{environment.Created: address.FieldCreatedAt, environment.Updated: address.FieldUpdatedAt, environment.Published: address.FieldPublishedAt}

// usualDates are the members that have dates without a rule, as systems that publish Markdown name them.
// The first that is there is taken.
var usualDates = [...][]string{
	environment.Created:   {"date", "created", "createdAt", "created_at", "dateCreated"},
	environment.Updated:   {"lastmod", "updated", "updatedAt", "updated_at", "updatedDate", "lastUpdated", "last_modified_at", "modified", "dateModified"},
	environment.Published: {"publishDate", "pubDate", "pubdate", "publishdate", "publishedAt", "published_at", "published", "datePublished"},
}

// certain are usual members whose values are dates or wrong. The others may also say whether something is
// so, as published: yes.
var certain = []string{"date", "lastmod", "pubDate", "pubdate", "publishDate", "publishdate", "createdAt", "updatedAt", "publishedAt"}

// found are the dates of an item by what somebody did to it.
type found [len(dateFields)]string

func (d *found) any() bool { return *d != found{} }

func (d *found) set(role environment.Role, at time.Time) {
	d[role] = at.UTC().Format(time.RFC3339Nano)
}

// dates writes the dates of the item: those that the file gives by the names of the fields, or else those
// of the first source of the rule that has one.
func (m *maker) dates() {
	var d found
	wrong := len(m.findings)
	for role, field := range dateFields {
		m.dateOf(&d, environment.Role(role), []string{field}, true)
	}
	var why *documents.Kind
	for _, source := range m.Rule.Dates {
		if d.any() || len(m.findings) > wrong {
			break
		}
		why = m.datesFrom(&d, source, why)
	}
	if !d.any() && len(m.findings) == wrong {
		m.undated(&d, why)
	}
	for role, text := range d {
		if text != "" {
			m.write(dateFields[role], text, nil)
		}
	}
}

// datesFrom sets the dates that a source has. It returns why git has none, if it was asked.
func (m *maker) datesFrom(d *found, source environment.DateSource, why *documents.Kind) *documents.Kind {
	switch source.Kind {
	case environment.DateMembers:
		for role, name := range source.Members {
			if name != "" {
				m.dateOf(d, environment.Role(role), []string{name}, true)
			}
		}
	case environment.DateFrontMatter:
		for role, names := range usualDates {
			m.dateOf(d, environment.Role(role), names, false)
		}
	case environment.DateName:
		if date, _, ok := dates.OfName(path.Base(m.base), m.Settings.Timezone); ok {
			d.set(environment.Created, date)
		}
	case environment.DateGit:
		return m.datesOfGit(d)
	case environment.DateFile:
		if !m.in.Modified.IsZero() {
			d.set(environment.Updated, m.in.Modified)
			m.repeat(dateOfFile, "")
		}
	}
	return why
}

// dateOf sets a date by the first of some members that has one.
func (m *maker) dateOf(d *found, role environment.Role, names []string, named bool) {
	for _, name := range names {
		f := m.find(name)
		if !named {
			f = m.usual(name)
		}
		if f == nil || !named && !m.mayBeDate(f) {
			continue
		}
		text, ok := m.text(f)
		if !ok || strings.TrimSpace(text) == "" {
			continue
		}
		date, err := dates.Parse(text, m.Settings.Timezone)
		if err != nil {
			m.fault(f.start, fmt.Sprintf("%s %s %s", f.name, documents.Quoted(text), err.Message), err.Hint)
			return
		}
		d.set(role, date)
		return
	}
}

// mayBeDate reports whether the value of a usual member is meant to be a date: a text with a digit, if
// the name leaves it open.
func (m *maker) mayBeDate(f *member) bool {
	value := m.value(f)
	return value[0] == '"' && (slices.ContainsFunc(certain, func(name string) bool { return strings.EqualFold(name, f.name) }) || strings.ContainsAny(string(value), "0123456789"))
}

// undated gives the item the time of its file where that is allowed, or reports that it has no date.
func (m *maker) undated(d *found, why *documents.Kind) {
	if m.Lenient && !m.in.Modified.IsZero() {
		d.set(environment.Updated, m.in.Modified)
		m.repeat(undatedInPreview, "")
		return
	}
	if why == nil {
		why = undated
	}
	m.repeat(why, "")
}

var (
	dateOfFile = &documents.Kind{
		One: "the item has the time of modification of its file as its date", Many: "%d items have the time of modification of their file as their date",
		Hint: "another clone of the content gives other dates; the rule asks for it by file", Note: true,
	}
	undatedInPreview = &documents.Kind{
		One: "the item has no date: it is shown with the time of modification of its file, but a build refuses it", Many: "%d items have no date: they are shown with the time of modification of their file, but a build refuses them",
		Hint: waysToDates,
	}
	undated = &documents.Kind{
		One: "no date: no source of dates of the rule has one", Many: "no date: no source of dates of the rule has one of %d items",
		Hint: "give them one, or add git to dates in " + environment.Name, Error: true,
	}
)

// orFile is the last way: settings without another rule read Markdown by this one.
const orFile = "or let a rule of " + environment.Name + " take the time of the file: dates: [front matter, name, file]"

const waysToDates = "give each file a date, for example date: 2025-01-31 in its front matter, or commit the files to a git repository; " + orFile
