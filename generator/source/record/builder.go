// This file writes records.

package record

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/generator/source/documents"

	"github.com/goccy/go-json/jsontext"
)

// Builder writes one record after the other. The zero Builder is ready. Its caller writes one object, closes what it
// opens, and writes a value after each key. After the first fault of a record the Builder ignores writes until Record
// or Reset.
type Builder struct {
	json  []byte
	marks []mark
	depth int
	fault *Fault
}

// Object begins an object at a place, as the value of a key, as an element, or as the record.
func (b *Builder) Object(at Place) { b.open('{', at) }

// EndObject ends the object that was begun last.
func (b *Builder) EndObject() { b.end('}') }

// Array begins an array.
func (b *Builder) Array(at Place) { b.open('[', at) }

// EndArray ends the array that was begun last.
func (b *Builder) EndArray() { b.end(']') }

// Key writes the key of a member. The caller sees to it that an object has no key twice.
func (b *Builder) Key(name string, at Place) {
	if b.begin(at) {
		b.quote(name)
		b.json = append(b.json, ':')
	}
}

// String writes a string. Each byte that is not UTF-8 becomes U+FFFD.
func (b *Builder) String(text string, at Place) {
	if b.begin(at) {
		b.quote(text)
		b.check(at)
	}
}

// Literal writes a number by its text, or true, false or null. The text must be valid JSON.
func (b *Builder) Literal(text string, at Place) {
	if b.begin(at) {
		b.json = append(b.json, text...)
		b.check(at)
	}
}

// Value writes a value that a record has from one offset of its JSON to another, with its places.
func (b *Builder) Value(from *Record, start, end int) {
	if !b.begin(from.Place(start)) {
		return
	}
	shift := len(b.json) - start
	b.json = append(b.json, from.JSON[start:end]...)
	i, _ := slices.BinarySearchFunc(from.marks, start+1, func(m mark, at int) int { return int(m.offset) - at })
	for ; i < len(from.marks) && int(from.marks[i].offset) < end; i++ {
		m := from.marks[i]
		m.offset = uint32(int(m.offset) + shift)
		b.marks = append(b.marks, m)
	}
	b.check(from.Place(start))
}

// Size is the number of bytes that the record has so far.
func (b *Builder) Size() int { return len(b.json) }

// Fault returns the fault of the record: it is too large or nested too deep. It returns nil without a fault.
func (b *Builder) Fault() *Fault { return b.fault }

// Record returns the record, or its fault. The Builder is empty then and shares no memory with the record.
func (b *Builder) Record() (Record, *Fault) {
	defer b.Reset()
	if b.fault != nil {
		return Record{}, b.fault
	}
	return Record{slices.Clone(b.json), slices.Clone(b.marks)}, nil
}

// Reset drops what was written.
func (b *Builder) Reset() {
	b.json, b.marks, b.depth, b.fault = b.json[:0], b.marks[:0], 0, nil
}

// begin writes the comma before a key or a value, and its mark.
func (b *Builder) begin(at Place) bool {
	if b.fault != nil {
		return false
	}
	if n := len(b.json); n > 0 && !strings.ContainsRune("{[:", rune(b.json[n-1])) {
		b.json = append(b.json, ',')
	}
	b.marks = append(b.marks, mark{uint32(len(b.json)), uint32(at.Line), uint32(at.Col)})
	return true
}

func (b *Builder) open(bracket byte, at Place) {
	if !b.begin(at) {
		return
	}
	b.json = append(b.json, bracket)
	if b.depth++; b.depth > MaxDepth {
		b.fault = &Fault{Place: at, Message: documents.TooDeep}
	}
}

func (b *Builder) end(bracket byte) {
	if b.fault == nil {
		b.json = append(b.json, bracket)
		b.depth--
	}
}

func (b *Builder) quote(text string) {
	b.json, _ = jsontext.AppendQuote(b.json, text) // the error is about bytes that are not UTF-8
}

// check refuses a record that grows too large.
func (b *Builder) check(at Place) {
	if len(b.json) > MaxSize {
		b.fault = &Fault{Place: at, Message: fmt.Sprintf("this record has more than %d bytes as JSON here", MaxSize), Hint: "divide it into several items"}
	}
}
