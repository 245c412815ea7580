// Package documents cuts the text of content files into documents: JSON objects with their places.
// Each format of files is a row of Formats, with its Reader in a file of its own. A format that is
// not JSON has a Reader that writes its text as JSON and remembers where each value came from.
package documents

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contentedge/generator/source/jsonscan"
)

const (
	// MaxSize bounds a document in bytes: a response for one item, and what a worker holds in memory.
	MaxSize = 16 << 20
	// MaxDepth bounds the recursion of later readers of a document.
	MaxDepth = 500
)

// Format is a format of content files.
type Format struct {
	Extensions  []string      // of its files: lower-case, with their dots
	Lines       bool          // each line is a document: a file may be of any size, and is read in parts
	NewReader   func() Reader // for one goroutine
	MaxSize     int64         // of a file in bytes, if there are no Lines; 0: the largest that fits into memory
	MayBeEmpty  bool          // an empty file may be a document
	Compression *Compression  // may be nil
}

// Formats are all formats, in the order in which messages name them.
var Formats = []*Format{
	{Extensions: []string{".json"}, NewReader: newJSONReader},
	{Extensions: []string{".ndjson", ".jsonl"}, Lines: true, NewReader: newNDJSONReader},
}

// Input is a text to read, and what is known of its file.
type Input struct {
	Text     []byte    // what Decode returned, or a part of it from Parts
	Env      string    // the environment of the file
	Path     string    // of the file below its environment, with slashes
	Modified time.Time // when the file was modified; zero if that is not known

	// Ask answers a Question. Equal Questions have equal answers until the next build. It is not nil.
	Ask func(Question) string

	// Origins asks for Document.Origins.
	Origins bool
}

// Question asks for a fact that a file does not hold itself, such as a date in the history. A build
// reads a file again when an answer differs, even if the file is the same.
type Question struct {
	Kind string // of facts: a name that one package answers
	Env  string // the environment of the file that asks
	Path string // of that file below its environment; "" if every file gets the same answer
	Key  string // what is asked about; its form depends on the kind
}

// Reader finds the documents of a text. It may be loaded again and again. All offsets refer to the text as JSON.
type Reader interface {
	// Load sets the text.
	Load(in Input)
	// Documents gives the documents and the faults of the text to out, in their order. After a fault it continues where
	// the next document may begin.
	Documents(out Receiver)
	// JSON returns the text as JSON.
	JSON() []byte
	// Place returns the line and the column of an offset in the text that was loaded, from 1.
	Place(offset int) (line, col int)
}

// Document is an object in the text of a Reader.
type Document struct {
	Start, End int               // offsets
	Line       int               // of Start in the text that was loaded, from 1
	Members    []jsonscan.Member // valid during the call of Receiver.Document
	Path       *PagePath         // of an item that has one; nil: other items may have the same Data.path
	Origins    []Origin          // of the fields that decide who sees the item; nil if the fields of the document are the members of the file
}

// Origin is what gives a field of an item: a member of its file, or of _environment.yaml.
type Origin struct {
	Field         string // the member of the item
	Member, Value string // as written
	Settings      bool   // the member is in _environment.yaml
	Line, Col     int    // of the value, from 1
}

// PagePath is the path of an item among the items of its language. No other item of its environment may have it.
type PagePath struct{ Path, Language string }

// Receiver takes what a Reader finds.
type Receiver interface {
	// Document takes a document, which is an object of valid JSON.
	Document(d Document)
	// Media takes the URL of a media file that the next document names at an offset, as package media resolved it. The
	// file comes into the release. If it is missing, the reference is broken.
	Media(at int, url string)
	// Link takes the URL of a link, which the next document has at an offset, that leads to no item, or to one that is
	// left out: the reference is broken.
	Link(at int, url string, to Target)
	// Fault takes an error of the text with a hint, which may be empty.
	Fault(at int, message, hint string)
	// Repeat takes a finding of a kind that a text may have many times.
	Repeat(at int, kind *Kind, value string)
	// IsField reports whether documents have a member of that name. An object without such members may
	// hold documents.
	IsField(name []byte) bool
	// Stopped reports whether reading has to end.
	Stopped() bool
}

// ValueSeparator separates the words of a value of a finding.
const ValueSeparator = ", "

// Kind is a kind of findings. All findings of a kind are one line with the place of the first.
type Kind struct {
	One  string // the message about one finding; %s is its value, quoted, and %v as it is
	Many string // the message about several; %d is how many, and %v the first different values
	Hint string // what to do about it, may be empty
	// Error: the build fails. The document with the finding is not given to the Receiver.
	Error bool
	// Note marks a warning about something that is not wrong by itself: strict builds succeed all the same.
	Note bool
}

// FormatOf returns the format of a file with that name, which may be compressed, or nil if no Reader reads it.
func FormatOf(name string) *Format {
	extension := strings.ToLower(filepath.Ext(name))
	for _, f := range Formats {
		if slices.Contains(f.Extensions, extension) {
			return f
		}
	}
	inner := strings.ToLower(filepath.Ext(name[:len(name)-len(extension)]))
	return compressed[inner+extension]
}

// Extensions lists the extensions of all formats, with "and" or "or" before the last.
func Extensions(joint string) string {
	var all []string
	for _, f := range Formats {
		all = append(all, f.Extensions...)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " " + joint + " " + all[last]
}
