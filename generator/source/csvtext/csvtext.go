// Package csvtext reads CSV as records (RFC 4180). It knows no rules and no files.
//
// The first row names the columns. Each further row is a record, with its columns in their order and all values as
// strings, unless Options say otherwise. A value with a comma, a quote or a line end is in quotes; a quote in it is
// written twice. Line ends are LF or CR LF, in quotes too, where CR LF becomes LF. Lines without anything are passed
// over.
//
// Rows with the same key may become one record: see Group.
package csvtext

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
)

const (
	// MaxText bounds a file in bytes: it and its records are in memory.
	MaxText = 32 << 20
	// maxCells bounds the values of a file: 60 bytes each.
	maxCells = 2_000_000
	// maxColumns bounds the columns of a file: tables have hundreds.
	maxColumns = 10_000
	// maxName bounds the name of a column in bytes, which each record repeats.
	maxName = 1 << 10
	// maxFaults is how many faults of a file are reported; reading ends there.
	maxFaults = 20
)

// Type is the type of the values of a column.
type Type string

// The types of columns. An empty value of a number or a boolean is null.
const (
	Text    Type = "text"
	Number  Type = "number"  // of JSON, by its text
	Boolean Type = "boolean" // true or false
)

// Types are all types.
var Types = []Type{Text, Number, Boolean}

// Options say what columns hold, by their names.
type Options struct {
	Types map[string]Type
	Lists map[string]string // what stands between the values of a list; spaces around them do not count
	Group Group
}

// Records returns a record for each row after the first, or for each key of Options.Group. Rows with faults are left out. The text has no
// byte order mark.
func Records(text []byte, options Options) ([]record.Record, []record.Fault) {
	r := &reader{text: text, lines: record.NewLines(text, start), options: options}
	switch {
	case len(text) > MaxText:
		r.fault(0, fmt.Sprintf("this file has %d bytes; CSV may have %d", len(text), MaxText), "divide it, or write the items into an .ndjson file, one a line")
	case !r.isText():
	case r.head():
		r.rows()
	}
	return r.records, r.faults
}

// Columns returns the names of the columns of a text, or of the beginning of a text. It returns nil without a head.
func Columns(text []byte) (names []string) {
	r := &reader{text: text, lines: record.NewLines(text, start)}
	if !r.next() {
		return nil
	}
	for _, c := range r.row[:min(len(r.row), maxColumns)] {
		names = append(names, strings.TrimSpace(string(c.text)))
	}
	return names
}

var start = record.Place{Line: 1, Col: 1}

type reader struct {
	text    []byte
	lines   *record.Lines
	options Options
	at      int // what was read
	columns []column
	groups  *groups // nil if each row is a record
	cells   int
	row     []cell
	b       record.Builder
	records []record.Record
	faults  []record.Fault
}

type column struct {
	name string
	kind Type
	list string // the separator; "" if the values are not lists
}

// cell is a value of a row.
type cell struct {
	at   int
	text []byte
}

func (r *reader) fault(at int, message, hint string) {
	r.faults = append(r.faults, record.Fault{Place: r.lines.Place(at), Message: message, Hint: hint})
}

func (r *reader) isText() bool {
	for _, check := range []func([]byte, record.Place) *record.Fault{record.CheckText, record.CheckLineEnds} {
		if f := check(r.text, start); f != nil {
			r.faults = append(r.faults, *f)
			return false
		}
	}
	if at := bytes.IndexByte(r.text, 0); at >= 0 {
		r.fault(at, "there is a NUL character here", "the file may be damaged, or no CSV")
		return false
	}
	return true
}

// head reads the names of the columns. It returns false if the rows after the head cannot be read.
func (r *reader) head() bool {
	if !r.next() {
		return false
	}
	if len(r.row) > maxColumns {
		r.fault(0, fmt.Sprintf("the file has %d columns; it may have %d", len(r.row), maxColumns), "")
		return false
	}
	known := map[string]int{}
	for _, c := range r.row {
		if len(r.faults) >= maxFaults {
			return false
		}
		name := strings.TrimSpace(string(c.text))
		first, twice := known[name]
		switch {
		case name == "":
			r.fault(c.at, "this column has no name", "the first row names the columns")
		case len(name) > maxName:
			r.fault(c.at, fmt.Sprintf("the name of this column has %d bytes; a name may have %d", len(name), maxName), "")
		case twice:
			r.fault(c.at, fmt.Sprintf("two columns have the name %s", documents.Quoted(name)), fmt.Sprintf("the other is column %d; rename one column", first+1))
		}
		known[name] = len(r.columns)
		r.columns = append(r.columns, column{name, r.options.Types[name], r.options.Lists[name]})
	}
	if len(r.row) == 1 && bytes.ContainsAny(r.row[0].text, ";\t") {
		r.fault(r.row[0].at, "the columns are not separated by commas", "save the file with commas between the columns")
	}
	for _, name := range slices.Sorted(maps.Keys(r.options.Types)) {
		r.needs(known, name, "types")
	}
	for _, name := range slices.Sorted(maps.Keys(r.options.Lists)) {
		r.needs(known, name, "lists")
	}
	r.group(known)
	return len(r.faults) == 0
}

// needs reports a column that an option names and the file has not.
func (r *reader) needs(known map[string]int, name, option string) {
	if _, ok := known[name]; !ok {
		r.fault(0, fmt.Sprintf("the file has no column %s, which %s names", documents.Quoted(name), option), "")
	}
}

func (r *reader) rows() {
	for len(r.faults) < maxFaults && r.next() {
		if r.cells += len(r.row); r.cells > maxCells {
			r.fault(r.row[0].at, fmt.Sprintf("the file has more than %d values here", maxCells), "divide it, or write the items into an .ndjson file, one a line")
			return
		}
		if len(r.row) != len(r.columns) {
			at := r.row[min(len(r.row), len(r.columns)+1)-1].at
			r.fault(at, fmt.Sprintf("this row has %d values, but there are %d columns", len(r.row), len(r.columns)), "put a value with a comma in quotes")
			continue
		}
		if r.groups != nil {
			r.groups.add(r)
			continue
		}
		r.record(r.row[0].at, func() {
			for i, c := range r.row {
				r.member(i, c)
			}
		})
	}
	if r.groups != nil {
		r.groups.records(r)
	}
}

// member writes the value of a column.
func (r *reader) member(column int, c cell) {
	place := r.lines.Place(c.at)
	r.b.Key(r.columns[column].name, place)
	r.value(r.columns[column], c, place)
}

// record writes a record that begins at an offset.
func (r *reader) record(at int, write func()) {
	before := len(r.faults)
	r.b.Object(r.lines.Place(at))
	write()
	r.b.EndObject()
	written, fault := r.b.Record()
	switch {
	case fault != nil:
		r.faults = append(r.faults, *fault)
	case len(r.faults) == before:
		r.records = append(r.records, written)
	}
}

func (r *reader) value(c column, v cell, place record.Place) {
	if c.list == "" {
		r.scalar(c, v.at, string(v.text), place)
		return
	}
	r.b.Array(place)
	for part := range Split(string(v.text), c.list) {
		if r.b.Fault() != nil {
			return
		}
		r.scalar(c, v.at, part, place)
	}
	r.b.EndArray()
}

// Split yields the values of a list in a text, without the spaces around them. Several separators of white space count as
// one.
func Split(text, separator string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if strings.TrimSpace(text) == "" {
			return
		}
		blank := strings.TrimSpace(separator) == ""
		for part := range strings.SplitSeq(text, separator) {
			if part = strings.TrimSpace(part); (part != "" || !blank) && !yield(part) {
				return
			}
		}
	}
}

func (r *reader) scalar(c column, at int, text string, place record.Place) {
	plain := strings.TrimSpace(text)
	switch {
	case c.kind == "" || c.kind == Text:
		r.b.String(text, place)
	case plain == "":
		r.b.Literal("null", place)
	case c.kind == Number && jsonscan.IsNumber(plain), c.kind == Boolean && (plain == "true" || plain == "false"):
		r.b.Literal(plain, place)
	case c.kind == Number:
		r.fault(at, fmt.Sprintf("%s is not a number as in JSON", documents.Quoted(text)), "write it as 1234.5, or take the column out of types")
	default:
		r.fault(at, fmt.Sprintf("%s is neither true nor false", documents.Quoted(text)), "")
	}
}
