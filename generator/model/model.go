// Package model turns content files into a Site of valid items, each with the JSON text to deliver.
// It reports every fault in one run, with its place, so that later stages check nothing.
//
// Package documents finds the items in files of each format. Items:
//   - JSON (RFC 8259) without duplicate keys and lone surrogates, at most documents.MaxSize bytes and
//     documents.MaxDepth levels.
//   - ContentID, Name and TemplateName are required. ContentID is [A-Za-z0-9][A-Za-z0-9_-]{0,127}
//     and unique in its environment, ignoring case. The others are strings; empty is a warning.
//   - Status defaults to Published. null is an error, as a guess could publish the item.
//   - CreatedBy, UpdatedBy and PublishedBy default to "", Data to {}, TemplateID to a UUID of
//     TemplateName. At least one of the three timestamps is required; see timestamps.go.
//   - ExpiresAt, which passes through like any other key, is a timestamp: see Rules of package visibility.
//   - null for an optional field is the same as leaving it out. Other keys pass through, but one
//     that differs from a field's name only by case is an error.
//   - In Data, at any depth, {"Type":"Reference","ReferenceType":"Content","ContentIDs":[…]}
//     refers to items of the same environment; see Options.Broken.
//   - There, {"Type":"Reference","ReferenceType":"Media","MediaUrl":"./…"} leads to a file next to the item's file.
//     MediaUrl becomes its address, and the reference gains members about the file; see media.go.
package model

import (
	"slices"
	"strings"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/mapping"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/media"
	"contentedge/generator/visibility"
)

// The positions of the twelve fields in FieldNames and Text.Raw.
const (
	fieldStatus = iota
	fieldCreatedBy
	fieldCreatedAt
	fieldData
	fieldPublishedBy
	fieldUpdatedAt
	fieldName
	fieldPublishedAt
	fieldUpdatedBy
	fieldTemplateName
	fieldTemplateID
	fieldContentID
	fieldCount
)

// FieldNames are the fields of an item in the order of delivery, which is the order of the constants.
var FieldNames [fieldCount]string = address.Fields

// MaxPath bounds the keys that lead to a value, in bytes with the dots between them: they are a name
// in the manifest, in the snapshot and in requests. Lucene's names have this bound too.
const MaxPath = 32 << 10

// Text is the delivered form of an item. It points into the memory of its file.
type Text struct {
	// Raw is each field's JSON in the order of FieldNames, without white space: strings and numbers
	// as written, timestamps as UTC with milliseconds, defaults filled in.
	Raw [fieldCount][]byte
	// Extra is the other members as ,"key":value in the order they were written.
	Extra []byte
}

// Span is where a TextSink stored an item's text.
type Span struct {
	Offset int64
	Size   int
}

// TextSink stores the texts of items, which are too large for memory. A sink belongs to one
// goroutine. Its errors are the system's and end the loading.
type TextSink interface {
	// Put stores a text, whose memory is reused after the call.
	Put(t *Text) (Span, error)
	// Flush is called after the last text.
	Flush() error
}

// Labels are the texts that many items share, decoded.
type Labels struct {
	TemplateName, TemplateID                  string
	Status, CreatedBy, UpdatedBy, PublishedBy string
}

// Item is a content item without its text. There may be millions.
type Item struct {
	ContentID, Name string // decoded
	*Labels                // shared with other items: do not change them
	CreatedAt       int64  // Unix milliseconds, as are the next two
	UpdatedAt       int64
	PublishedAt     int64
	ExpiresAt       int64 // visibility.Never if the item does not expire
	Text            Span

	Listed *[]ListValue // at Options.ListPaths; nil: the item has no value there

	Order *OrderKey // of Options.OrderPath; nil: the item has no value there

	File *source.File // where it was written
	Line int64

	page *documents.PagePath // nil: other items may have the same Data.path

	idAt int64 // offset of ContentID in the file, for a clash that is found later

	references int32 // how many ids its Data refers to
	media      int32 // how many media files it names, missing ones too, and how many broken links its text has
	record     int32 // length of the record of its values

	derived bool // PublishedAt was copied from another timestamp
}

// Visibility returns what decides whether the item is visible.
func (it *Item) Visibility() visibility.Item {
	m := visibility.Item{Status: it.Status, PublishedAt: it.PublishedAt, ExpiresAt: it.ExpiresAt}
	if it.derived {
		m.PublishedAt = visibility.Always
	}
	return m
}

// Env is an environment and its items in source order: by file path, then by position.
type Env struct {
	ID        string
	Items     []Item
	Statuses  map[string]int  // how many items have each status, including the ones that are left out
	Delivered map[string]int  // how many items of each status are delivered
	Hidden    Hidden          // the items that are left out
	Fields    []mapping.Field // of the items that are delivered, by path
	LeftOut   leftout.Rules   // of the paths of items that Fields lack
	Mixed     []MixedPath     // the first paths that have values of several kinds
	Media     []*media.File   // that delivered items name, by address; each address once

	Templates        []release.Template // what the delivered items hold, by name
	TemplatesLeftOut bool               // they are too many, or have too many paths

	carried *Carried // of an environment that was not read; nil for others
	quiet   bool     // only repeats were found, and only its own files decide
	repeats repeats  // of its files

	surveys []*mapping.Survey // of the delivered items, until Templates are known
	targets mapping.Targets   // of their references
}

// Hidden are the items of an environment that are left out.
type Hidden struct {
	Statuses  map[string]int      `json:"statuses,omitempty"` // how many are left out by each status
	Scheduled int                 `json:"scheduled,omitempty"`
	Expired   int                 `json:"expired,omitempty"`
	Interval  visibility.Interval `json:"interval"` // in which the same items are left out
	Withdrawn []string            `json:"-"`        // the ids of the items that are held back on purpose: by time, or by a status that means "not public"
}

// Site is the loaded content, its environments by ID.
type Site struct {
	Envs []Env

	// The sources, if Load had a cache.
	files   []source.File
	results []result
	opts    Options
}

// Interval returns the interval around the time of the load in which the same items are visible.
func (s *Site) Interval() visibility.Interval {
	shared := visibility.Open()
	for i := range s.Envs {
		shared = shared.Meet(s.Envs[i].Hidden.Interval)
	}
	return shared
}

// ItemAt is the id of the item that a line of a file belongs to.
func (e *Env) ItemAt(file string, line int) string {
	id, last := "", int64(0)
	for i := range e.Items {
		if it := &e.Items[i]; it.File.Name == file && it.Line <= int64(line) && it.Line >= last {
			id, last = it.ContentID, it.Line
		}
	}
	return id
}

// Index returns the position of an environment in Envs.
func (s *Site) Index(id string) (i int, ok bool) {
	return slices.BinarySearchFunc(s.Envs, id, func(e Env, id string) int { return strings.Compare(e.ID, id) })
}

func (s *Site) env(id string) *Env {
	i, ok := s.Index(id)
	if !ok {
		return nil
	}
	return &s.Envs[i]
}
