// This file cuts a file into items. After an error it goes on where the next item may begin.

package model

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"contentedge/generator/mapping"
	"contentedge/generator/source"
)

const checkEvery = 1024 // items between two looks at the context

// part is what came out of a file, or of some whole lines of one.
type part struct {
	items      []Item
	references []reference
	report     report
	repeats    repeats
	lost       bool      // there is text that is wrong and of no known item
	lines      int       // line ends in its text
	size       int       // bytes of its text
	more       *partMore // if it is to be kept
}

// parser reads one part after the other. It belongs to one goroutine.
type parser struct {
	ctx     context.Context
	scan    *scanner
	sink    TextSink // may be nil
	opts    *Options
	gathers bool  // references
	written int64 // bytes given to the sink
	err     error // of the sink

	file *source.File
	text []byte
	base mapping.Place // where the text begins
	out  part

	counted, line int // line ends before the offset counted

	input      []byte // the memory of parts of large files
	scratch    []byte
	items      []Item             // of the part at hand
	references []reference        // and what they refer to
	known      bool               // the id of the item at hand is known
	names      map[string]string  // one copy of each frequent string
	labels     map[Labels]*Labels // and of each set of them
	templates  map[string][]byte  // derived template ids by name

	records  []byte // of the values of the items of the part at hand
	recorder *mapping.Recorder

	orderPaths *mapping.Paths             // to find Options.OrderPath; nil until one is needed
	surveys    map[string]*mapping.Survey // of the values of each environment
}

func newParser(ctx context.Context, opts *Options, sink TextSink) *parser {
	return &parser{ctx: ctx, opts: opts, gathers: opts.Broken != BrokenPasses || opts.Kept != nil, scan: newScanner(), sink: sink, names: make(map[string]string), labels: make(map[Labels]*Labels), templates: make(map[string][]byte), recorder: mapping.NewRecorder(), surveys: make(map[string]*mapping.Survey)}
}

// parse reads a part of a file and keeps nothing of its text.
func (p *parser) parse(file *source.File, text []byte) part {
	p.file, p.text, p.out, p.items = file, text, part{}, p.items[:0]
	p.references, p.records, p.known = p.references[:0], p.records[:0], false
	p.counted, p.line = 0, 0
	switch {
	case file.Kind == source.Lines:
		p.eachLine()
	case !blank(text):
		p.document()
	}
	p.out.items = slices.Clone(p.items) // of the right size: there are many parts
	p.out.references = slices.Clone(p.references)
	p.out.size = len(text)
	p.out.lines = p.line + bytes.Count(text[p.counted:], []byte{'\n'})
	return p.out
}

func (p *parser) eachLine() {
	whole := p.text
	for at := 0; at < len(whole); {
		end := len(whole)
		if n := bytes.IndexByte(whole[at:], '\n'); n >= 0 {
			end = at + n
		}
		p.text = whole[:end]
		if start := skipSpace(p.text, at); start < end {
			p.oneLine(start)
		}
		p.text = whole
		at = end + 1
		if p.stopped() {
			return
		}
	}
}

func blank(text []byte) bool { return skipSpace(text, 0) == len(text) }

func (p *parser) oneLine(at int) {
	end, ok := p.element(at)
	if !ok {
		return
	}
	if rest := skipSpace(p.text, end); rest < len(p.text) {
		hint := "each item stands on a line of its own"
		switch strange := strangeness(p.text, rest); {
		case strange != "":
			hint = strange
		case bytes.IndexByte(p.text[end:rest], '\r') >= 0:
			hint = oldLineEnds
		}
		p.fail(rest, "there is more after the end of the item", hint)
	}
}

func (p *parser) document() {
	at := skipSpace(p.text, 0)
	end, ok := 0, false
	switch p.text[at] {
	case '[':
		end, ok = p.array(at)
	case '{':
		end, ok = p.whole(at)
	default:
		end, ok = p.element(at)
	}
	if !ok {
		return
	}
	if rest := skipSpace(p.text, end); rest < len(p.text) {
		hint := "several items go into an array, or one a line into an .ndjson file"
		if strange := strangeness(p.text, rest); strange != "" {
			hint = strange
		}
		p.fail(rest, "there is more after the end of the value", hint)
	}
}

func (p *parser) array(at int) (int, bool) {
	at = skipSpace(p.text, at+1)
	if at < len(p.text) && p.text[at] == ']' {
		return at + 1, true
	}
	for at < len(p.text) {
		end, ok := p.element(at)
		if !ok || p.stopped() {
			return 0, false
		}
		if at = skipSpace(p.text, end); at == len(p.text) {
			break
		}
		switch p.text[at] {
		case ']':
			return at + 1, true
		case ',':
			at = skipSpace(p.text, at+1)
		default:
			p.fail(at, "a comma or the end of the array is missing here", p.advice(at))
			return 0, false
		}
	}
	p.unfinished(len(p.text))
	return 0, false
}

// element reads an item and returns its end; false if the text cannot be read on.
func (p *parser) element(at int) (int, bool) {
	if p.text[at] != '{' {
		return p.noItem(at)
	}
	members, end, err := p.scan.object(p.text, at)
	if err != nil {
		p.explain(at, err)
		end, err = p.scan.skip(p.text, at, lenient...)
		return end, err == nil
	}
	p.item(at, end, members)
	return end, true
}

func (p *parser) noItem(at int) (int, bool) {
	end, err := p.scan.skip(p.text, at)
	if err != nil {
		p.explain(at, err)
		return 0, false
	}
	p.fail(at, "an item must be an object, not "+kindName(p.text[at]), "")
	return end, true
}

func (p *parser) whole(at int) (int, bool) {
	members, end, err := p.scan.object(p.text, at)
	if err != nil {
		p.explain(at, err)
		return 0, false
	}
	data, status := savedResponse(members)
	switch {
	case data == nil:
		p.item(at, end, members)
	case status != nil && string(status.value) != "200":
		p.fail(status.valueAt, fmt.Sprintf("this is a saved response with the status %s, not content", quoted(string(status.value))), "save it again")
	case data.value[0] == '[':
		p.array(data.valueAt)
	default:
		p.element(data.valueAt)
	}
	return end, true
}

// savedResponse returns the members of a saved response; data is nil for an item or without data.
func savedResponse(members []member) (data, status *member) {
	for i := range members {
		m := &members[i]
		switch name := unquote(m.name); {
		case fieldOf(name) >= 0:
			return nil, nil
		case string(name) == "data":
			data = m
		case string(name) == "status":
			status = m
		}
	}
	return data, status
}

func (p *parser) stopped() bool {
	return p.err != nil || len(p.items)%checkEvery == 0 && p.ctx.Err() != nil
}

// lineOf returns the line of an offset; offsets must not go back.
func (p *parser) lineOf(at int) int {
	if at > p.counted {
		p.line += bytes.Count(p.text[p.counted:at], []byte{'\n'})
		p.counted = at
	}
	return p.line + 1
}

func (p *parser) fail(at int, message, hint string) {
	d := Diagnostic{File: p.file.Name, Message: message, Hint: hint}
	if p.out.report.errors < maxErrors {
		d.Line, d.Col = place(p.text, at)
	}
	p.out.report.add(d)
	p.out.lost = p.out.lost || !p.known
}

func (p *parser) failDepth(at int) {
	p.fail(at, fmt.Sprintf("brackets are nested more than %d deep here", MaxDepth), "")
}

func kindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
