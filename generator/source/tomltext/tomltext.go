// Package tomltext reads TOML as records. It knows no rules and no files.
//
// Strings, booleans, arrays and tables become the same in JSON. Numbers keep their text; 1_000, +1 and 0x1F, which JSON
// does not have, become 1000, 1 and 31. Dates and times stay strings as written. Refused are inf and nan, and what TOML
// refuses, as a key or a table given twice. Line ends in a string are LF.
package tomltext

import (
	"errors"
	"fmt"

	"contentedge/edgeserve/terminal"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/record"

	"github.com/pelletier/go-toml/v2/unstable"
)

const (
	// MaxText bounds a text in bytes. The parser needs 50 times as much.
	MaxText = 2 << 20
	// maxValues bounds the values of a record: 150 bytes each.
	maxValues = 200_000
)

// Object returns the record of a text that begins in its file at a place: one for each text, empty if the text is. Its
// keys are in the order in which the text has them first. After a fault that is not a warning the record is empty. The
// text has no byte order mark.
func Object(text []byte, first record.Place) (record.Record, []record.Fault) {
	if len(text) > MaxText {
		return record.Record{}, []record.Fault{{Place: first, Message: fmt.Sprintf("this text has %d bytes; TOML may have %d", len(text), MaxText), Hint: "write it as JSON"}}
	}
	if f := record.CheckText(text, first); f != nil {
		return record.Record{}, []record.Fault{*f}
	}
	r := &reader{lines: record.NewLines(text, first), root: &table{kind: header, at: first}}
	r.current = r.root
	r.parser.Reset(text[:len(text):len(text)])
	r.read()
	if r.fault != nil {
		return record.Record{}, []record.Fault{*r.fault}
	}
	var b record.Builder
	r.root.write(&b)
	written, fault := b.Record()
	if fault != nil {
		return record.Record{}, []record.Fault{*fault}
	}
	return written, nil
}

type reader struct {
	parser  unstable.Parser
	lines   *record.Lines
	root    *table
	current *table // the table of the last header
	depth   int    // of current
	values  int
	fault   *record.Fault
}

// failf keeps the first fault.
func (r *reader) failf(at record.Place, hint, format string, values ...any) {
	if r.fault == nil {
		r.fault = &record.Fault{Place: at, Message: fmt.Sprintf(format, values...), Hint: hint}
	}
}

func (r *reader) read() {
	for r.fault == nil && r.parser.NextExpression() {
		switch e := r.parser.Expression(); e.Kind {
		case unstable.Table:
			r.header(e.Key(), false)
		case unstable.ArrayTable:
			r.header(e.Key(), true)
		case unstable.KeyValue:
			r.member(r.current, r.depth, e)
		}
	}
	if err := r.parser.Error(); err != nil {
		r.syntax(err)
	}
}

// syntax reports an error of the parser.
func (r *reader) syntax(err error) {
	at, message := r.lines.Place(0), err.Error()
	var e *unstable.ParserError
	if errors.As(err, &e) {
		message = e.Message
		if e.Highlight != nil && cap(e.Highlight) <= cap(r.parser.Data()) {
			at = r.lines.Place(cap(r.parser.Data()) - cap(e.Highlight))
		}
	}
	hint := ""
	if message == "strings must be quoted" || len(message) > 20 && message[:20] == "unexpected character" {
		hint = "put a text in quotes"
	}
	r.failf(at, hint, "this is not TOML: %s", terminal.Text(message))
}

// key is a part of a key.
type key struct {
	name string
	at   record.Place
}

// path returns the parts of a key below a number of tables.
func (r *reader) path(it unstable.Iterator, depth int) (list []key) {
	for it.Next() {
		n := it.Node()
		at := r.place(n)
		if depth+len(list) >= record.MaxDepth {
			r.failf(at, "", "tables are nested more than %d deep here", record.MaxDepth)
			return nil
		}
		list = append(list, key{string(n.Data), at})
	}
	return list
}

func (r *reader) place(n *unstable.Node) record.Place { return r.lines.Place(int(n.Raw.Offset)) }

// header reads [a.b], or [[a.b]] for an array.
func (r *reader) header(it unstable.Iterator, array bool) {
	path := r.path(it, 0)
	if r.fault != nil {
		return
	}
	t := r.root
	for _, k := range path[:len(path)-1] {
		if t = r.step(t, k, implicit); t == nil {
			return
		}
	}
	last := path[len(path)-1]
	if array {
		r.current = r.element(t, last)
	} else {
		r.current = r.define(t, last)
	}
	r.depth = len(path)
}

// step enters the table of a key, or the last table of its array. It makes a missing table.
func (r *reader) step(t *table, k key, kind tableKind) *table {
	v := t.get(k.name)
	switch {
	case v == nil:
		return t.add(k, &table{kind: kind, at: k.at})
	case v.elements != nil:
		return v.elements[len(v.elements)-1]
	case v.table == nil || v.table.kind == inline:
		r.failf(k.at, "", "%s has a value already, at %s", documents.Quoted(k.name), show(v.at))
		return nil
	}
	return v.table
}

// define enters the table of [k].
func (r *reader) define(t *table, k key) *table {
	v := t.get(k.name)
	if v == nil {
		return t.add(k, &table{kind: header, at: k.at})
	}
	if v.table == nil || v.table.kind != implicit {
		r.failf(k.at, "keep one of the two", "the table %s is given already, at %s", documents.Quoted(k.name), show(v.at))
		return nil
	}
	v.table.kind = header
	return v.table
}

// element adds a table to the array of [[k]].
func (r *reader) element(t *table, k key) *table {
	v := t.get(k.name)
	more := &table{kind: header, at: k.at}
	if v == nil {
		v = &value{at: k.at}
		t.put(k, v)
	} else if v.elements == nil {
		r.failf(k.at, "", "%s is not an array of tables: it is given at %s", documents.Quoted(k.name), show(v.at))
		return nil
	}
	v.elements = append(v.elements, more)
	return more
}

// member reads a.b = value.
func (r *reader) member(t *table, depth int, e *unstable.Node) {
	path := r.path(e.Key(), depth)
	if r.fault != nil {
		return
	}
	for _, k := range path[:len(path)-1] {
		if t = r.step(t, k, dotted); t == nil {
			return
		}
		if t.kind == header || t.kind == implicit {
			r.failf(k.at, "write the key below that header", "the table %s has a header of its own", documents.Quoted(k.name))
			return
		}
	}
	last := path[len(path)-1]
	if v := t.get(last.name); v != nil {
		r.failf(last.at, "keep one of the two", "the key %s is given already, at %s", documents.Quoted(last.name), show(v.at))
		return
	}
	v := r.value(e.Value(), last.at, depth+len(path))
	v.at = last.at
	t.put(last, v)
}

func show(at record.Place) string { return fmt.Sprintf("%d:%d", at.Line, at.Col) }
