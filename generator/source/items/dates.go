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
	"contentedge/generator/visibility"
)

// dateFields are the fields by what somebody did to the item.
var dateFields = [...]string{environment.Created: address.FieldCreatedAt, environment.Updated: address.FieldUpdatedAt, environment.Published: address.FieldPublishedAt}

// usualDates are the members that have dates without a rule, as systems that publish Markdown name them.
// The first that is there is taken. Times of publication are marks: package visibility has their table.
var usualDates = [...][]string{
	environment.Created: {visibility.Date, "created", "createdAt", "created_at", "dateCreated"},
	environment.Updated: {"lastmod", "updated", "updatedAt", "updated_at", "updatedDate", "lastUpdated", "last_modified_at", "modified", "dateModified"},
}

// certain are usual members whose values are dates or wrong. The others may also say whether something is
// so, as updated: yes.
var certain = []string{visibility.Date, "lastmod", "createdAt", "updatedAt"}

// found are the dates of an item.
type found struct {
	at [len(dateFields)]string // by what somebody did to it
	// authored: an author gave the time of creation by the member date of the front matter, or by the name of the file.
	authored bool
	release  time.Time // by a mark; zero if there is none
}

func (d *found) any() bool { return d.at != [len(dateFields)]string{} }

func (d *found) set(role environment.Role, at time.Time) {
	d.at[role] = at.UTC().Format(time.RFC3339Nano)
}

// dates writes the dates of the item: those that the file gives by the names of the fields, or else those
// of the first source of the rule that has one. Marks of time count with every rule.
func (m *maker) dates() {
	var d found
	wrong := len(m.findings)
	d.release, _ = m.markedTime(releaseMarks, time.Time.After)
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
	if len(m.findings) == wrong {
		m.publication(&d)
	}
	if !d.any() && len(m.findings) == wrong {
		m.undated(&d, why)
	}
	m.released = d.at[environment.Published] != ""
	for role, text := range d.at {
		if text != "" {
			m.write(dateFields[role], text, nil)
		}
	}
}

// publication sets the time of publication of an item that has none yet: by a mark, or else by the date that an author
// gave a Markdown file. It is written, as a build never hides an item by a time that the build derives.
func (m *maker) publication(d *found) {
	switch {
	case d.at[environment.Published] != "":
	case !d.release.IsZero():
		d.set(environment.Published, d.release)
	case !m.format.Markdown:
	case d.authored:
		d.at[environment.Published] = d.at[environment.Created]
	case m.readsFrontMatter():
		m.dateOf(d, environment.Published, []string{visibility.Date}, false)
	}
}

// readsFrontMatter reports whether the rule takes dates from the usual members.
func (m *maker) readsFrontMatter() bool {
	return slices.ContainsFunc(m.Rule.Dates, func(s environment.DateSource) bool { return s.Kind == environment.DateFrontMatter })
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
			from := m.dateOf(d, environment.Role(role), names, false)
			d.authored = d.authored || from == visibility.Date
		}
		if !d.release.IsZero() {
			d.set(environment.Published, d.release)
		}
	case environment.DateName:
		if date, _, ok := dates.OfName(path.Base(m.base), m.Settings.Timezone); ok {
			d.set(environment.Created, date)
			d.authored = true
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

// dateOf sets a date by the first of some members that has one, and returns the member's name among them; "" if none has.
func (m *maker) dateOf(d *found, role environment.Role, names []string, named bool) string {
	for _, name := range names {
		f := m.find(name)
		if !named {
			f = m.usual(name)
		}
		if f == nil || !named && !m.mayBeDate(f, slices.Contains(certain, name)) {
			continue
		}
		wrong := len(m.findings)
		if date, ok := m.date(f); ok {
			d.set(role, date)
			return name
		}
		if len(m.findings) > wrong {
			return ""
		}
	}
	return ""
}

// date reads a date. It reports a value that is not a date; an empty text has none.
func (m *maker) date(f *member) (time.Time, bool) {
	text, ok := m.text(f)
	if !ok || strings.TrimSpace(text) == "" {
		return time.Time{}, false
	}
	date, err := dates.Parse(text, m.Settings.Timezone)
	if err != nil {
		m.fault(f.start, fmt.Sprintf("%s %s %s", f.name, documents.Quoted(text), err.Message), err.Hint)
		return time.Time{}, false
	}
	return date, true
}

// mayBeDate reports whether the value of a usual member is meant to be a date: a text with a digit, if
// the name is not certain.
func (m *maker) mayBeDate(f *member, certain bool) bool {
	value := m.value(f)
	return value[0] == '"' && (certain || strings.ContainsAny(string(value), "0123456789"))
}

// undated gives the item the time of its file where that is allowed, or reports that it has no date.
func (m *maker) undated(d *found, why *documents.Kind) {
	if m.Lenient && !m.in.Modified.IsZero() {
		d.set(environment.Updated, m.in.Modified)
		m.repeat(undatedInPreview, "")
		return
	}
	if m.Undated {
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
