// Package visibility decides who may see an item. An item is visible at a time if its status is delivered, if it is
// published by then, and if it has not expired. Builds, plans, previews and mirrors ask Rules.Judge, so that all give
// the same answer. The package also has the one table of marks by which files and systems say that an item is not
// public, or from when on, or until when.
package visibility

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
)

// FieldExpiresAt is the member of an item with the time from which on it is not public any more. It comes after the
// twelve fields.
const FieldExpiresAt = "ExpiresAt"

// Date is the member of Markdown that is the time of creation, and of publication unless another member says that.
const Date = "date"

// Reader is a kind of program that reads a mark.
type Reader string

// The readers of marks.
const (
	Markdown Reader = "Markdown" // only what Markdown files mark in another way than data files
	Members  Reader = "members"  // front matter of Markdown, and members of YAML, TOML and CSV
	JSON     Reader = "json"     // generator import json
)

// Value is a value of a member, in lower case, and the status that it means. "" means that it is not a mark.
type Value struct{ Text, Status string }

// Mark is a row of the table of marks.
type Mark struct {
	Member  string   // in any case; a dot leads to the member of an object
	Values  []Value  // nil: a word for Status, or a time
	Gives   string   // the member of the item
	Readers []Reader // that know it
	Loose   bool     // the member may also be something else, as published may be a date
}

// yes and no are the values of a member that is a mark when it is true, or when it is false.
func yes(status string) []Value { return []Value{{"true", status}, {"false", ""}} }
func no(status string) []Value  { return []Value{{"true", ""}, {"false", status}} }

// rendering are the values of Hugo's build options: a page that is only linked has no address on the site.
var rendering = []Value{{"always", ""}, {"never", Private}, {"link", Private}, {"true", ""}, {"false", Private}}

var (
	members = []Reader{Members}
	both    = []Reader{Members, JSON}
)

// Marks returns the table of marks.
func Marks() []Mark {
	table := []Mark{
		{Member: "draft", Values: yes(Draft), Gives: address.FieldStatus, Readers: both},
		{Member: "published", Values: no(Draft), Gives: address.FieldStatus, Readers: both, Loose: true},
		{Member: "publish", Values: no(Draft), Gives: address.FieldStatus, Readers: both},
		{Member: "status", Gives: address.FieldStatus, Readers: both},
		{Member: "private", Values: yes(Private), Gives: address.FieldStatus, Readers: both},
		{Member: "unlisted", Values: yes(Private), Gives: address.FieldStatus, Readers: both},
		{Member: "headless", Values: yes(Private), Gives: address.FieldStatus, Readers: members},
		{Member: "build.render", Values: rendering, Gives: address.FieldStatus, Readers: members},
		{Member: "_build.render", Values: rendering, Gives: address.FieldStatus, Readers: members},
	}
	for _, name := range []string{"publishDate", "publish_date", "pubDate", "publishedAt", "published_at", "datePublished"} {
		table = append(table, Mark{Member: name, Gives: address.FieldPublishedAt, Readers: members})
	}
	table = append(table, Mark{Member: "published", Gives: address.FieldPublishedAt, Readers: members, Loose: true}, Mark{Member: Date, Gives: address.FieldPublishedAt, Readers: []Reader{Markdown}})
	for _, name := range []string{
		FieldExpiresAt, "expires_at", "expires", "expiry", "expiryDate", "expiry_date", "expirationDate",
		"unpublishDate", "unpublish_date", "unpublishAt", "unpublish_at", "unpublishedAt", "unpublished_at",
		"expireAt", "expire_at", "unpublish_on",
	} {
		table = append(table, Mark{Member: name, Gives: FieldExpiresAt, Readers: both})
	}
	return table
}

var table = Marks()

// StatusMarks returns the marks of a reader that give a status.
func StatusMarks(r Reader) []Mark { return marksOf(r, address.FieldStatus) }

// ReleaseMarks returns the marks of a reader that give the time of publication.
func ReleaseMarks(r Reader) []Mark { return marksOf(r, address.FieldPublishedAt) }

// ExpiryMarks returns the marks of a reader that give ExpiresAt.
func ExpiryMarks(r Reader) []Mark { return marksOf(r, FieldExpiresAt) }

func marksOf(r Reader, gives string) (found []Mark) {
	for _, m := range table {
		if m.Gives == gives && slices.Contains(m.Readers, r) {
			found = append(found, m)
		}
	}
	return found
}

// IsMark reports whether a member of data files or of JSON may be a mark, in any case.
func IsMark(member string) bool {
	return slices.ContainsFunc(table, func(m Mark) bool {
		return strings.EqualFold(m.Member, member) && (slices.Contains(m.Readers, Members) || slices.Contains(m.Readers, JSON))
	})
}

// IsWord reports whether the values of the mark are words for Status.
func (m *Mark) IsWord() bool { return m.Values == nil }

// Grants reports whether a value of the mark says that an item is public, so that an empty one may say that it is not.
func (m *Mark) Grants() bool {
	return m.Gives == address.FieldStatus && (m.IsWord() || slices.ContainsFunc(m.Values, func(v Value) bool { return v.Text == "false" && v.Status != "" }))
}

// Status returns the status that a value of the member means, or "" if it is not a mark. known is false if the meaning
// of the value is unclear.
func (m *Mark) Status(text string) (status string, known bool) {
	if m.IsWord() {
		return Status(text)
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if truth := Truth(text); truth != "" {
		text = truth
	}
	i := slices.IndexFunc(m.Values, func(v Value) bool { return v.Text == text })
	if i < 0 {
		return "", false
	}
	return m.Values[i].Status, true
}

// Excuses reports whether a value is not a mark, although it is unclear which status it means: a Loose member has a
// date.
func (m *Mark) Excuses(text string) bool {
	return m.Loose && len(text) > 1 && strings.ContainsAny(text, "0123456789")
}

// MayHide reports whether a value of the member may hide an item, always or at a time. Unclear values may.
func (m *Mark) MayHide(text string) bool {
	switch status, known := m.Status(text); {
	case strings.TrimSpace(text) == "":
		return false
	case m.Gives != address.FieldStatus:
		return !m.Loose || m.Excuses(text)
	case known:
		return status != "" && status != Published
	}
	return !m.Excuses(text)
}

// Wants says which values the mark may have, for a message.
func (m *Mark) Wants() string {
	var texts []string
	for _, v := range m.Values {
		texts = append(texts, v.Text)
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// Truth returns "true" or "false" for a text that systems read as a boolean, such as True, yes and "off". It returns ""
// for other texts.
func Truth(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "on", "checked":
		return "true"
	case "false", "no", "off", "unchecked":
		return "false"
	}
	return ""
}
