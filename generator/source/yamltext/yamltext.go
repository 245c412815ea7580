// Package yamltext reads YAML as records. It knows no rules and no files.
//
// A value without quotes is a string, unless it is written as in JSON: true, false, null (also ~ and nothing), or a
// number of JSON, which keeps its text. Numbers of other forms, as 010, 0x1F, 1_000 or .5, and words as True and NULL
// stay strings, with a warning. Dates, times, yes, no and on are strings. Refused are .nan and .inf, tags but !!str,
// !!map, !!seq and !, and aliases that contain themselves or multiply without bounds. So are keys that are not strings,
// or are given twice.
//
// Anchors, aliases, merge keys (<<) and block scalars are read. Line ends in a string are LF.
package yamltext

import (
	"errors"
	"fmt"

	"contentedge/generator/source/record"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// MaxText bounds a file in bytes: it and its records are in memory.
	MaxText = 64 << 20
	// maxRecord bounds the text of a record in bytes. The scanner needs 30 times as much.
	maxRecord = 4 << 20
	// maxFaults is how many faults of a text are reported; reading ends there.
	maxFaults = 20
	// maxWarnings bounds the warnings that are counted: people see the first.
	maxWarnings = 10_000
)

// Records returns the records of a YAML file: one for each document that is a mapping, and one for each
// entry of a document that is a sequence of mappings. Empty documents are passed over. Records with
// faults are left out. The text has no byte order mark. list reports whether there may be several: some
// document is a sequence, or there is more than one.
func Records(text []byte) (records []record.Record, list bool, faults []record.Fault) {
	r := newReader(text, record.Place{Line: 1, Col: 1})
	r.read()
	return r.records, r.list || len(r.records) > 1, r.findings()
}

// findings are the faults, then the warnings, which never end the reading.
func (r *reader) findings() []record.Fault { return append(r.faults, r.warnings...) }

// Object returns the record of a text that is one mapping, or empty, and that begins in its file at a place. After a
// fault that is not a warning the record is empty.
func Object(text []byte, first record.Place) (record.Record, []record.Fault) {
	r := newReader(text, first)
	r.single = true
	r.read()
	switch {
	case r.failed:
		return record.Record{}, r.findings()
	case len(r.records) == 0:
		r.b.Object(first)
		r.b.EndObject()
		empty, _ := r.b.Record()
		return empty, r.findings()
	}
	return r.records[0], r.findings()
}

// reader reads a text chunk by chunk: a document, or an entry of a document that is a sequence.
type reader struct {
	text    []byte
	first   record.Place // of the text
	single  bool         // the text is one record
	b       record.Builder
	records []record.Record
	faults  []record.Fault
	failed  bool // there is a fault

	warnings []record.Fault
	list     bool // some document is a sequence of records
	anchors  anchors
}

func newReader(text []byte, first record.Place) *reader {
	return &reader{text: text, first: first}
}

func (r *reader) fault(at record.Place, message, hint string) {
	r.failed = true
	r.faults = append(r.faults, record.Fault{Place: r.first.Plus(at), Message: message, Hint: hint})
}

func (r *reader) warn(at record.Place, message, hint string) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, record.Fault{Place: r.first.Plus(at), Message: message, Hint: hint, Warning: true})
	}
}

func (r *reader) stopped() bool { return len(r.faults) >= maxFaults }

var start = record.Place{Line: 1, Col: 1}

func (r *reader) read() {
	if len(r.text) > MaxText {
		r.fault(start, fmt.Sprintf("this text has %d bytes; YAML may have %d", len(r.text), MaxText), "divide the file, or write the items into an .ndjson file, one a line")
		return
	}
	for _, check := range []func([]byte, record.Place) *record.Fault{record.CheckText, record.CheckLineEnds} {
		if f := check(r.text, r.first); f != nil {
			r.failed, r.faults = true, append(r.faults, *f)
			return
		}
	}
	for c := range r.chunks() {
		if r.stopped() || r.single && r.failed {
			return
		}
		r.chunk(c)
	}
}

// chunk reads a chunk. Its errors do not keep the next one from being read.
func (r *reader) chunk(c chunk) {
	if c.begins {
		r.anchors = anchors{} // are of one document
	}
	tokens, ok := r.scan(c)
	if !ok || len(tokens) == 0 {
		return
	}
	if r.single && len(r.records) > 0 {
		r.fault(placeOf(tokens[0]), "a second YAML document begins here", "this text is one document; remove the line of --- or ... before it")
		return
	}
	file, err := parse(tokens)
	if err != nil {
		r.syntax(tokens[0], err)
		return
	}
	for _, d := range file.Docs {
		switch body := d.Body.(type) {
		case nil:
		case *ast.SequenceNode:
			if r.single {
				r.record(body)
				continue
			}
			r.list = true
			for _, value := range body.Values {
				r.record(value)
			}
		default:
			r.record(body)
		}
	}
}

const panicked = "the parser cannot read this"

// parse calls the parser, which other people wrote. If the parser panics, parse refuses the text, and the build
// continues with its other errors.
func parse(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, errors.New(panicked)
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// record writes a node as a record.
func (r *reader) record(node ast.Node) {
	w := &writer{reader: r}
	failed := r.failed
	r.failed = false
	if r.anchors.resolve(r, node) {
		w.top(node)
	}
	written, fault := r.b.Record()
	if fault != nil {
		r.failed, r.faults = true, append(r.faults, *fault)
	}
	if !r.failed {
		r.records = append(r.records, written)
	}
	r.failed = r.failed || failed
}
