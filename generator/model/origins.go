// This file finds the members that decide who sees an item, in the file of the item.

package model

import (
	"bytes"
	"cmp"
	"context"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/visibility"
)

// Origins reads a file of a tree again and returns, by the ids of some of its items, what gives the fields that decide who
// sees the item. An item that has such a field by its own name has the field as its origin. Errors of the text are those
// that Load reports: the items after them may be absent.
func Origins(ctx context.Context, tree *source.Tree, file *source.File, ids []string) (map[string][]documents.Origin, error) {
	found := &originReceiver{ctx: ctx, found: make(map[string][]documents.Origin, len(ids)), wanted: len(ids)}
	for _, id := range ids {
		found.found[id] = nil
	}
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	reader, answers := file.Format.NewReader(), newAnswers(ctx, tree)
	for text, err := range texts(r) {
		if err != nil {
			return nil, err
		}
		in := file.Input(text, answers.ask)
		in.Origins = true
		reader.Load(in)
		found.reader = reader
		reader.Documents(found)
		if err := cmp.Or(answers.err, ctx.Err()); err != nil {
			return nil, err
		}
		if found.Stopped() {
			break
		}
		found.lines += bytes.Count(text, []byte{'\n'})
	}
	return found.found, nil
}

// texts returns the text of a file as a whole, or in parts if it is too large.
func texts(r *source.Reader) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		if !r.InParts() {
			text, err := r.All()
			if err == nil {
				text, err = documents.Decode(text)
			}
			yield(text, err)
			return
		}
		parts := documents.NewParts(r)
		var text []byte
		for more := true; more; {
			var err error
			text, err = parts.Next(text)
			more = len(text) > 0 && yield(text, err) && err == nil
		}
	}
}

// originReceiver takes the origins of the wanted items.
type originReceiver struct {
	ctx    context.Context
	reader documents.Reader
	lines  int // before the text that is read
	found  map[string][]documents.Origin
	wanted int // items that were not found yet
}

// decisive are the fields that decide who sees an item.
var decisive = []string{address.FieldStatus, address.FieldPublishedAt, visibility.FieldExpiresAt}

// Document implements documents.Receiver.
func (o *originReceiver) Document(d documents.Document) {
	id := ""
	for i := range d.Members {
		if m := &d.Members[i]; jsoncursor.Spells(m.Name, address.FieldContentID) && m.Value[0] == '"' {
			id = string(jsoncursor.Unquote(m.Value))
		}
	}
	if origins, wanted := o.found[id]; !wanted || origins != nil {
		return
	}
	o.wanted--
	o.found[id] = o.originsOf(&d)
}

// originsOf returns the origins of the decisive fields of a document. It is never nil.
func (o *originReceiver) originsOf(d *documents.Document) []documents.Origin {
	origins := d.Origins
	if origins == nil {
		origins = o.fields(d)
	}
	for i := range origins {
		if at := &origins[i]; !at.Settings {
			at.Line += o.lines
		}
		origins[i].Member, origins[i].Value = documents.Cut(origins[i].Member), documents.Cut(origins[i].Value)
	}
	return origins
}

// fields returns the decisive fields that a document has as its own members.
func (o *originReceiver) fields(d *documents.Document) []documents.Origin {
	origins := []documents.Origin{}
	for i := range d.Members {
		m := &d.Members[i]
		for _, field := range decisive {
			if !jsoncursor.Spells(m.Name, field) || string(m.Value) == "null" {
				continue
			}
			line, col := o.reader.Place(m.ValueAt)
			origins = append(origins, documents.Origin{Field: field, Member: field, Value: string(jsonscan.ScalarText(m.Value)), Line: line, Col: col})
		}
	}
	return origins
}

// Stopped implements documents.Receiver.
func (o *originReceiver) Stopped() bool { return o.wanted == 0 || o.ctx.Err() != nil }

// IsField implements documents.Receiver.
func (o *originReceiver) IsField(name []byte) bool { return fieldOf(name) >= 0 }

// Fault, Repeat, Media and Link implement documents.Receiver: Load reports what they take.
func (o *originReceiver) Fault(int, string, string)           {}
func (o *originReceiver) Repeat(int, *documents.Kind, string) {}
func (o *originReceiver) Media(int, string)                   {}
func (o *originReceiver) Link(int, string, documents.Target)  {}
