// Package model turns content files into a Site: items that are known to be
// well-formed, each with the JSON text it will be delivered with. It exists so
// that everything a person can write wrong is found here, all of it in one run
// and with its place, and nothing after it needs to check again.
//
// What a file may hold: a .json file one item, an array of items, or a saved
// answer of the interface, {"status":200,"data":…} with an item or an array of
// them; an .ndjson or .jsonl file one item a line. Files are UTF-8, with or
// without a byte order mark.
//
// What an item must be:
//   - JSON as RFC 8259 has it, without a key given twice in one object, without
//     half surrogate pairs, at most MaxItemSize bytes and MaxDepth levels.
//   - ContentID, Name and TemplateName are there. ContentID is
//     [A-Za-z0-9][A-Za-z0-9_-]{0,127}, unique in its environment even when case
//     is ignored. The others are strings, and a warning if empty.
//   - Status is Published unless given. A Status of null is refused: whether an
//     item is public is nothing to guess.
//   - CreatedBy, UpdatedBy and PublishedBy are "" unless given, Data is {}.
//   - Of the three timestamps at least one is there; see timestamps.go.
//   - TemplateID is derived from TemplateName unless given; see template.go.
//   - null for a field that may be missing is the same as leaving it out.
//   - A key that differs from a field's name only by case is refused.
//   - Any other key passes through.
//   - In Data, at any depth, {"Type":"Reference","ReferenceType":"Content","ContentIDs":[…]}
//     refers to items of the same environment; see Options.Broken.
package model

import (
	"slices"
	"strings"

	"contentedge/generator/fields"
	"contentedge/generator/source"
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

// FieldNames are the fields of an item, in the order they are delivered in.
var FieldNames = [fieldCount]string{
	"Status", "CreatedBy", "CreatedAt", "Data", "PublishedBy", "UpdatedAt",
	"Name", "PublishedAt", "UpdatedBy", "TemplateName", "TemplateID", "ContentID",
}

// The limits of an item, each with its reason.
const (
	// MaxItemSize bounds what one answer for one item can weigh, and what a
	// worker of the build holds beside the files.
	MaxItemSize = 16 << 20
	// MaxDepth bounds the recursion of whoever reads an item after us.
	MaxDepth = 500
)

// Text is what an item is delivered as. It lies in the memory of the file it came from.
type Text struct {
	// Raw is the JSON text of each field in the order of FieldNames, without
	// insignificant white space: strings and numbers as they were written,
	// timestamps as UTC with milliseconds, what was missing filled in.
	Raw [fieldCount][]byte
	// Extra is the members that are no field, as ,"key":value one after the
	// other in the order they were written; nil if there is none.
	Extra []byte
}

// Place is where a Keeper put an item's text, in the Keeper's own terms.
type Place struct {
	At   int64
	Size int
}

// Keeper takes the texts of items, which are too large to stay in memory. Each
// belongs to one goroutine. Errors are the machine's, and end the loading.
type Keeper interface {
	// Keep keeps a text, whose memory is used again after the call.
	Keep(t *Text) (Place, error)
	// Flush is called when there are no more texts.
	Flush() error
}

// Labels are the texts that many items share, decoded.
type Labels struct {
	TemplateName, TemplateID                  string
	Status, CreatedBy, UpdatedBy, PublishedBy string
}

// Item is what is known of a content item beside its text. There may be millions.
type Item struct {
	ContentID, Name string // decoded
	*Labels                // for reading: other items have them too
	CreatedAt       int64  // Unix milliseconds, as are the next two
	UpdatedAt       int64
	PublishedAt     int64
	Text            Place

	File *source.File // where it was written
	Line int64

	idAt int64 // offset of ContentID in the file, for a clash that is found later
}

// Env is an environment and its items in source order: by the bytes of the
// file's path, then by position in it.
type Env struct {
	ID       string
	Items    []Item
	Statuses map[string]int // how many items have each status, those left out among them
	Fields   []fields.Field // of the items that are delivered, by path
}

// Site is everything that was loaded, its environments by ID.
type Site struct {
	Envs []Env
}

// env returns the environment of an id, or nil.
func (s *Site) env(id string) *Env {
	i, ok := slices.BinarySearchFunc(s.Envs, id, func(e Env, id string) int { return strings.Compare(e.ID, id) })
	if !ok {
		return nil
	}
	return &s.Envs[i]
}
