// Package markdown takes Markdown files apart: front matter, body, first heading; and turns bodies into
// HTML within bounds. It knows no rules and no files.
package markdown

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"contentedge/generator/source/record"
)

const (
	// MaxFrontMatter bounds front matter in bytes.
	MaxFrontMatter = 1 << 20
	// MaxBody bounds a body in bytes, as the parser of Markdown is slow for some texts.
	MaxBody = 1 << 20
	// MaxFile bounds a file in bytes: its body may be larger than MaxBody if its HTML is not used.
	MaxFile = record.MaxSize
)

// Text is a Markdown file.
type Text struct {
	FrontMatter record.Record // an empty object without front matter
	Body        []byte        // as written, a part of the bytes of the file
	BodyAt      record.Place  // where Body begins in the file
}

// Split takes a file apart. The text has no byte order mark. Front matter begins with the first byte: a line of "---"
// (YAML) or "+++" (TOML), which languages lists, and ends with a line of the same marks; or an object of JSON, which
// ends with its line. A line of "---" before a blank line is a horizontal rule, unless a key is the first text after
// it, and another line of "---" follows. A text that only resembles front matter is a fault. After a fault that is not
// a warning the Text is empty.
func Split(text []byte) (Text, []record.Fault) {
	for _, check := range []func([]byte, record.Place) *record.Fault{record.CheckText, checkOnlyCR, lookalike} {
		if f := check(text, start); f != nil {
			return Text{}, []record.Fault{*f}
		}
	}
	found, faults := read(text)
	if slices.ContainsFunc(faults, func(f record.Fault) bool { return !f.Warning }) {
		return Text{}, faults
	}
	if f := concealedKey(&found.FrontMatter); f != nil {
		return Text{}, append(faults, *f)
	}
	if len(found.Body) < len(text) {
		if f := secondBlock(found.Body, found.BodyAt); f != nil {
			return Text{}, append(faults, *f)
		}
	}
	return found, faults
}

func read(text []byte) (Text, []record.Fault) {
	if l := languageOf(text); l != nil {
		return fenced(text, l)
	}
	if beginsJSON(text) {
		return jsonFrontMatter(text)
	}
	return Text{FrontMatter: noKeys(start), Body: text, BodyAt: start}, nil
}

var start = record.Place{Line: 1, Col: 1}

func noKeys(at record.Place) record.Record {
	var b record.Builder
	b.Object(at)
	b.EndObject()
	empty, _ := b.Record()
	return empty
}

// cutLine returns a text's first line, without its end, and the rest.
func cutLine(text []byte) (line, rest []byte, more bool) {
	line, rest, more = bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest, more
}

// fenced reads front matter between two lines.
func fenced(text []byte, l *language) (Text, []record.Fault) {
	_, inside, _ := cutLine(text)
	at, end, closed := closing(inside, l.fence)
	switch {
	case at > MaxFrontMatter:
		return Text{}, fault(start, fmt.Sprintf("the front matter has no end: no line of %s within %d bytes", l.fence, MaxFrontMatter), endHint(l.fence))
	case !closed:
		return Text{}, fault(start, fmt.Sprintf("the front matter in %s has no end: a line of %s is missing after it", l.name, l.fence), endHint(l.fence))
	}
	front, faults := l.read(inside[:at], record.Place{Line: 2, Col: 1})
	return Text{FrontMatter: front, Body: inside[end:], BodyAt: placeAfter(inside[at:end], 2+bytes.Count(inside[:at], []byte{'\n'}))}, faults
}

// placeAfter returns the place after a line.
func placeAfter(text []byte, line int) record.Place {
	if bytes.HasSuffix(text, []byte{'\n'}) {
		return record.Place{Line: line + 1, Col: 1}
	}
	return record.Place{Line: line, Col: 1 + utf8.RuneCount(text)}
}

func endHint(fence string) string {
	if fence == "---" {
		return "for a horizontal rule, leave a blank line after it, or write ***"
	}
	return ""
}

func fault(at record.Place, message, hint string) []record.Fault {
	return []record.Fault{{Place: at, Message: message, Hint: hint}}
}
