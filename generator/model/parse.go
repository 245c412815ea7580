// This file turns the documents of a file into items.

package model

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"contentedge/generator/mapping"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/exports"
)

const checkEvery = 1024 // items between two looks at the context

// part is the result of parsing a file or a part of one.
type part struct {
	items      []Item
	references []reference
	media      []named
	report     report
	repeats    repeats
	facts      []fact    // that the text depends on
	lost       bool      // the text has an error outside of all items that are known
	lines      int       // line ends in its text
	size       int       // bytes of its text
	more       *partMore // nil if the part is not kept
}

// parser reads one part after the other. It belongs to one goroutine.
type parser struct {
	ctx     context.Context
	answers *answers
	sink    TextSink // may be nil
	opts    *Options
	written int64 // bytes given to the sink
	err     error // of the sink

	readers map[*documents.Format]documents.Reader // made when a file needs one

	file   *source.File
	reader documents.Reader // of the file
	text   []byte           // the reader's, as JSON
	base   mapping.Place    // where the text begins
	out    part

	input       []byte // the memory of parts of large files
	scratch     []byte
	items       []Item             // of the current part
	references  []reference        // of the items
	media       []named            // of the items
	mediaBefore int32              // how many of media belong to earlier items than the current one
	added       []mapping.Added    // to the current item
	edited      []byte             // its Data with these
	known       bool               // the id of the current item is known
	names       map[string]string  // one copy of each frequent string
	labels      map[Labels]*Labels // one copy of each combination of labels
	templates   map[string][]byte  // derived template ids by name

	records  []byte // of the values of the items in the current part
	recorder *mapping.Recorder

	orderPaths *mapping.Paths             // to find Options.OrderPath and ListPaths; nil until one is needed
	surveys    map[string]*mapping.Survey // of the values of each environment
	counted    map[string]*pathCount      // of the surveys
}

func newParser(ctx context.Context, tree *source.Tree, opts *Options, sink TextSink) *parser {
	return &parser{ctx: ctx, answers: newAnswers(ctx, tree), opts: opts, readers: make(map[*documents.Format]documents.Reader), sink: sink, names: make(map[string]string), labels: make(map[Labels]*Labels), templates: make(map[string][]byte), recorder: mapping.NewRecorder(), surveys: make(map[string]*mapping.Survey), counted: make(map[string]*pathCount)}
}

// parse reads a part of a file. The result does not point into the text.
func (p *parser) parse(file *source.File, text []byte) part {
	p.reader = p.readers[file.Format]
	if p.reader == nil {
		p.reader = file.Format.NewReader()
		p.readers[file.Format] = p.reader
	}
	p.reader.Load(file.Input(text, p.answers.ask))
	p.file, p.text, p.out, p.items = file, p.reader.JSON(), part{}, p.items[:0]
	p.references, p.records, p.known = p.references[:0], p.records[:0], false
	p.media, p.mediaBefore, p.added = p.media[:0], 0, p.added[:0]
	p.reader.Documents(p)
	p.recognise(text)
	p.out.items = slices.Clone(p.items) // without spare capacity, as there are many parts
	p.out.references, p.out.media = slices.Clone(p.references), slices.Clone(p.media)
	p.out.facts, p.err = p.answers.take(), cmp.Or(p.err, p.answers.err)
	p.out.size = len(text)
	p.out.lines = bytes.Count(text, []byte{'\n'})
	return p.out
}

// recognise replaces the errors of a text by one if it is an export of another system, or no content.
func (p *parser) recognise(text []byte) {
	if p.out.report.errors == 0 || p.file.Format == nil {
		return
	}
	if e := exports.Of(text[:min(len(text), exports.Peek)]); e != nil {
		p.out.report = report{}
		p.out.report.add(Diagnostic{File: p.file.Name, Message: e.Message(), Hint: p.file.ImportHint(e)})
		return
	}
	if p.holdsNoItems(text) {
		p.out.report = report{}
		p.out.report.add(p.noItems())
	}
}

// Fault reports an error.
func (p *parser) Fault(at int, message, hint string) {
	d := Diagnostic{File: p.file.Name, Message: message, Hint: hint}
	if p.out.report.errors < maxErrors {
		d.Line, d.Col = p.reader.Place(at)
	}
	p.out.report.add(d)
	p.out.lost = p.out.lost || !p.known
}

// Repeat reports a finding of a kind.
func (p *parser) Repeat(at int, kind *documents.Kind, value string) {
	p.out.lost = p.out.lost || kind.Error
	var words []string
	if strings.Contains(kind.Many, "%v") {
		words = strings.Split(value, documents.ValueSeparator)
	}
	for i := range p.out.repeats {
		if p.out.repeats[i].kind == kind {
			p.out.repeats[i].count++
			p.out.repeats[i].note(words...)
			return
		}
	}
	d := Diagnostic{File: p.file.Name, Message: strings.NewReplacer("%s", documents.Quoted(value), "%v", value).Replace(kind.One), Hint: kind.Hint, Warning: !kind.Error, Note: kind.Note}
	d.Line, d.Col = p.reader.Place(at)
	p.out.repeats = append(p.out.repeats, repeated{kind: kind, count: 1, first: d.bounded()})
	p.out.repeats[len(p.out.repeats)-1].note(words...)
}

// IsField reports whether items have a field of that name.
func (p *parser) IsField(name []byte) bool { return fieldOf(name) >= 0 }

// Stopped reports whether the sink failed or the context ended.
func (p *parser) Stopped() bool {
	return p.err != nil || p.answers.err != nil || len(p.items)%checkEvery == 0 && p.ctx.Err() != nil
}
