// This file reads the marks by which an item is not public, or only for a time: package visibility has their table.

package items

import (
	"fmt"
	"strings"
	"time"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

var (
	statusMarks  = visibility.StatusMarks(visibility.Members)
	releaseMarks = visibility.ReleaseMarks(visibility.Members)
	expiryMarks  = visibility.ExpiryMarks(visibility.Members)
)

// markedStatus returns the status that the marks of the item give, and the member that has the mark: of several marks
// the strictest. It returns "" without a mark.
func (m *maker) markedStatus() (status string, from *member) {
	for i := range statusMarks {
		mark := &statusMarks[i]
		f := m.marked(mark)
		if f == nil {
			continue
		}
		if found := m.statusOf(mark, f); visibility.Stricter(found, status) {
			status, from = found, f
		}
	}
	return status, from
}

// statusOf returns the status that a member means. A value that may mean anything is a fault: the item could become public
// although its author holds it back. An unknown word is the status itself, which no build delivers by default.
func (m *maker) statusOf(mark *visibility.Mark, f *member) string {
	text, ok := m.text(f)
	if !ok || strings.TrimSpace(text) == "" {
		return ""
	}
	status, known := mark.Status(text)
	switch {
	case known, mark.Excuses(text):
	case mark.IsWord():
		m.unknownWord(f, text)
	default:
		first, second := mark.Values[0].Text, mark.Values[1].Text
		m.fault(f.start, fmt.Sprintf("%s must be %s, not %s", f.name, mark.Wants(), documents.Quoted(text)), fmt.Sprintf("write %s: %s or %s: %s", f.name, first, f.name, second))
	}
	return status
}

// marked returns the member that has a mark, in any case, or nil.
func (m *maker) marked(mark *visibility.Mark) *member { return m.markedIn(mark, m.usual) }

// markedIn returns the member that has a mark, among the members that a function finds by their names, or nil.
func (m *maker) markedIn(mark *visibility.Mark, named func(string) *member) *member {
	if f := named(mark.Member); f != nil {
		return f
	}
	outer, inner, nested := strings.Cut(mark.Member, ".")
	object := named(outer)
	if !nested || object == nil || m.value(object)[0] != '{' {
		return nil
	}
	f := m.withinAny(object, inner)
	if f != nil {
		f.name = object.name + "." + f.name
	}
	return f
}

// withinAny is within for a name in any case, if none has the same case.
func (m *maker) withinAny(object *member, name string) *member {
	if f := m.within(object, name); f != nil {
		return f
	}
	return m.withinFold(object, name)
}

// withinFold is within for a name in any case.
func (m *maker) withinFold(object *member, want string) (found *member) {
	jsoncursor.Children(m.from.rec.JSON, object.start, func(quoted []byte, at int) int {
		if name := string(jsoncursor.Unquote(quoted)); found == nil && strings.EqualFold(name, want) {
			found = m.within(object, name)
		}
		return jsoncursor.ValueEnd(m.from.rec.JSON, at)
	})
	return found
}

const (
	// maxWords bounds the unknown words of a file that are named, each by a kind of its own.
	maxWords = 20
	// maxWord bounds the bytes of such a word.
	maxWord = 100
)

const wordHint = "write draft, private or another known word, or let a rule of _environment.yaml say the status: status: {from: status, WORD: Published}"

var (
	wordKinds  kindsByText
	otherWords = &documents.Kind{One: "the status %s is unknown, and stays as it is: builds leave the item out by default", Many: "%d items have further unknown statuses: builds leave them out by default", Hint: wordHint}
)

// unknownWord warns of an unknown status.
func (m *maker) unknownWord(f *member, word string) {
	kind := otherWords
	if len(word) <= maxWord && (m.words[word] || len(m.words) < maxWords) {
		m.words[word] = true
		kind = wordKinds.of(word, func() *documents.Kind {
			quoted := strings.ReplaceAll(documents.Quoted(word), "%", "%%")
			return &documents.Kind{One: otherWords.One, Many: "%d items have the unknown status " + quoted + ", which stays as it is: builds leave them out by default", Hint: wordHint}
		})
	}
	m.findings = append(m.findings, finding{Place: m.from.rec.Place(f.start), kind: kind, value: word})
}

// markedTime returns the strictest time of some marks, and its member, or nil.
func (m *maker) markedTime(marks []visibility.Mark, stricter func(a, b time.Time) bool) (at time.Time, from *member) {
	for i := range marks {
		mark := &marks[i]
		f := m.usual(mark.Member)
		if f == nil || mark.Loose && !(m.readsFrontMatter() && m.mayBeDate(f)) {
			continue
		}
		if date, ok := m.date(f); ok && (from == nil || stricter(date, at)) {
			at, from = date, f
		}
	}
	return at, from
}

// expiry writes the time from which on the item is not public any more: the earliest that the file has.
func (m *maker) expiry() {
	if at, from := m.markedTime(expiryMarks, time.Time.Before); from != nil {
		m.write(visibility.FieldExpiresAt, at.UTC().Format(time.RFC3339Nano), from)
		m.origin(visibility.FieldExpiresAt, from)
	}
}
