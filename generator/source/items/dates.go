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
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/visibility"
)

// dateFields are the fields by Role.
var dateFields = [...]string{environment.Created: address.FieldCreatedAt, environment.Updated: address.FieldUpdatedAt, environment.Published: address.FieldPublishedAt}

// usualDates are the members that have dates without a rule, as systems that publish Markdown name them. The first
// existing one is taken. Times of publication are marks: package visibility has their table.
var usualDates = [...][]string{
	environment.Created: {visibility.Date, "created", "createdAt", "created_at", "dateCreated"},
	environment.Updated: {"lastmod", "updated", "updatedAt", "updated_at", "updatedDate", "lastUpdated", "last_modified_at", "modified", "dateModified"},
}

// certain are usual members whose values are dates or wrong. The others may also say whether something is
// so, as updated: yes, or count.
var certain = []string{visibility.Date, "lastmod", "createdAt", "created_at", "dateCreated", "updatedAt", "updated_at", "dateModified"}

// found are the dates of an item.
type found struct {
	at   [len(dateFields)]string  // by environment.Role
	from [len(dateFields)]*member // with these dates; nil if no member has the date
	// authored: an author gave the time of creation by the member date of the front matter, or by the name of the file.
	authored    bool
	release     time.Time // by a mark, or zero
	releaseFrom *member   // with the mark
}

func (d *found) any() bool { return d.at != [len(dateFields)]string{} }

func (d *found) set(role environment.Role, at time.Time) {
	d.at[role] = at.UTC().Format(time.RFC3339Nano)
}

// setReleased sets the time of publication to that of the mark.
func (d *found) setReleased() {
	d.set(environment.Published, d.release)
	d.from[environment.Published] = d.releaseFrom
}

// dates writes the dates of the item: the dates that the file gives by the names of the fields, or else the date from
// the first source of the rule that has one. Marks of time count with every rule.
func (m *maker) dates() {
	var d found
	wrong := len(m.findings)
	d.release, d.releaseFrom = m.markedTime(releaseMarks, time.Time.After)
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
	m.origin(address.FieldPublishedAt, d.from[environment.Published])
	for role, text := range d.at {
		if text != "" {
			m.write(dateFields[role], text, nil)
		}
	}
}

// publication sets the time of publication of an item without one: by a mark, or else by the date that an author gave a
// Markdown file. It is written, as a build never hides an item by a time that the build derives.
func (m *maker) publication(d *found) {
	switch {
	case d.at[environment.Published] != "":
	case !d.release.IsZero():
		d.setReleased()
	case !m.format.Markdown:
	case d.authored:
		d.at[environment.Published], d.from[environment.Published] = d.at[environment.Created], d.from[environment.Created]
	case m.readsFrontMatter():
		m.dateOf(d, environment.Published, []string{visibility.Date}, false)
	}
}

// readsFrontMatter reports whether the rule takes dates from the usual members.
func (m *maker) readsFrontMatter() bool {
	return slices.ContainsFunc(m.Rule.Dates, func(s environment.DateSource) bool { return s.Kind == environment.DateFrontMatter })
}

// datesFrom sets the dates that a source has. If git was asked, it returns why git has no dates.
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
			d.setReleased()
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

// dateOf sets a date by the first of some members that has one, and returns that member's name, or "".
func (m *maker) dateOf(d *found, role environment.Role, names []string, named bool) string {
	for _, name := range names {
		f := m.find(name)
		if !named {
			f = m.usual(name)
		}
		if f == nil || !named && !slices.Contains(certain, name) && !m.mayBeDate(f) {
			continue
		}
		wrong := len(m.findings)
		if date, ok := m.date(f); ok {
			d.set(role, date)
			d.from[role] = f
			return name
		}
		if len(m.findings) > wrong {
			return ""
		}
	}
	return ""
}

// date reads a date. It reports a value that is not a date, except an empty text.
func (m *maker) date(f *member) (time.Time, bool) {
	value := m.value(f)
	if kind := value[0]; kind != '"' && !jsonscan.IsNumber(string(value)) {
		m.fault(f.start, f.name+" must be a date, not "+jsonscan.KindName(kind), hintOfKind[kind])
		return time.Time{}, false
	}
	text, _ := m.text(f)
	if strings.TrimSpace(text) == "" {
		return time.Time{}, false
	}
	date, err := dates.Parse(text, m.Settings.Timezone)
	if err != nil {
		m.fault(f.start, fmt.Sprintf("%s %s %s", f.name, documents.Quoted(text), err.Message), err.Hint)
		return time.Time{}, false
	}
	return date, true
}

// hintOfKind are the hints for values that are not dates, by their first byte.
var hintOfKind = map[byte]string{
	'[': "write one date without brackets, for example 2025-01-31",
	'{': "if one of its members is the date, name it in " + environment.Name + ", for example dates: [{created: date.start}]",
	't': "write a date, for example 2025-01-31, or take the member out",
	'f': "write a date, for example 2025-01-31, or take the member out",
}

// mayBeDate reports whether the value of a usual member that is not certain is meant to be a date: words without a digit,
// booleans and small numbers are not, and neither are lists and objects without a digit.
func (m *maker) mayBeDate(f *member) bool {
	return dates.MayBe(string(jsonscan.ScalarText(m.value(f))))
}

// undated gives the item the time of its file where that is allowed, or reports that it has no date. why says why git has
// none; nil if the rule does not ask git.
func (m *maker) undated(d *found, why *documents.Kind) {
	if m.Undated {
		return
	}
	if why == nil {
		why = undated
	}
	if m.Lenient && !m.in.Modified.IsZero() {
		d.set(environment.Updated, m.in.Modified)
		why = undatedInPreview(why)
	}
	m.repeat(why, "")
}

var (
	dateOfFile = &documents.Kind{
		One: "the item has the time of modification of its file as its date", Many: "%d items have the time of modification of their file as their date",
		Hint: "another clone of the content gives other dates; the rule asks for the time by file", Note: true,
	}
	undated = &documents.Kind{
		One: "no date: no source of dates of the rule has one", Many: "no date: no source of dates of the rule has one of %d items",
		Hint: "add git to dates in " + environment.Name + otherWays, Error: true,
	}
	previewKinds kindsByText
)

// undatedInPreview returns the warning of preview for items that a build refuses, with the same hint.
func undatedInPreview(refused *documents.Kind) *documents.Kind {
	return previewKinds.of(refused.Hint, func() *documents.Kind {
		return &documents.Kind{
			One:  "the item has no date: it is shown with the time of modification of its file, but a build refuses it",
			Many: "%d items have no date: they are shown with the time of modification of their file, but a build refuses them",
			Hint: refused.Hint,
		}
	})
}

// otherWays ends each hint for items without a date. A copy of a site does not have the history that its dates are in.
const otherWays = "; or give each file a date, for example date: 2025-01-31 in its front matter" +
	"; or let a rule of " + environment.Name + " take the time of the file: dates: [front matter, name, file], or a date of another member or column: dates: [{created: MEMBER}]" +
	"; or, if the files are a copy of a site, read the site where it is, with the dates of its git: generator import markdown SYSTEM DIR --env ENV"
