// Package markdown takes Markdown files apart: front matter, body, first heading; and turns bodies into
// HTML within bounds. It knows no rules and no files.
package markdown

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"contentedge/generator/source/record"
	"contentedge/generator/source/tomltext"
	"contentedge/generator/source/yamltext"
)

const (
	// MaxFrontMatter bounds front matter in bytes.
	MaxFrontMatter = 1 << 20
	// MaxBody bounds a body in bytes, as the parser of Markdown is slow for some texts.
	MaxBody = 1 << 20
	// MaxFile bounds a file in bytes: its body may be larger than MaxBody if nobody wants its HTML.
	MaxFile = record.MaxSize
)

// Text is a Markdown file.
type Text struct {
	FrontMatter record.Record // an empty object if there is none
	Body        []byte        // as written; its bytes are those of the file
	BodyAt      record.Place  // where Body begins in the file
}

// Split takes a file apart. The text has no byte order mark. Front matter begins with the first byte:
// a line of "---" (YAML) or "+++" (TOML), and ends with the same line; or an object of JSON, which ends with its line.
// A line of "---" before a blank line is a horizontal rule, unless a key is the first text behind it, and
// another line of "---" follows. With a fault that is no warning there is no Text.
func Split(text []byte) (Text, []record.Fault) {
	if f := record.CheckText(text, start); f != nil {
		return Text{}, []record.Fault{*f}
	}
	first, _, _ := cutLine(text)
	switch {
	case isFence(first, "---") && !isRule(text):
		return fenced(text, "---", "YAML", yamltext.Object)
	case isFence(first, "+++"):
		return fenced(text, "+++", "TOML", tomltext.Object)
	case beginsJSON(text):
		return jsonFrontMatter(text)
	}
	return withoutFrontMatter(text)
}

var start = record.Place{Line: 1, Col: 1}

func withoutFrontMatter(text []byte) (Text, []record.Fault) {
	var b record.Builder
	b.Object(start)
	b.EndObject()
	empty, _ := b.Record()
	return Text{FrontMatter: empty, Body: text, BodyAt: start}, lateFrontMatter(text)
}

// lateFrontMatter warns of blank lines before what would be front matter without them.
func lateFrontMatter(text []byte) []record.Fault {
	rest, at := text, start
	for {
		line, behind, more := cutLine(rest)
		if len(bytes.TrimSpace(line)) > 0 || !more {
			break
		}
		rest, at.Line = behind, at.Line+1
	}
	first, inside, _ := cutLine(rest)
	next, _, _ := cutLine(inside)
	if at == start || !isFence(first, "+++") && !(isFence(first, "---") && looksLikeKey(next)) {
		return nil
	}
	return []record.Fault{{Place: at, Message: "this seems to be front matter, but blank lines stand before it, so that it is read as text", Hint: "remove the blank lines", Warning: true}}
}

// cutLine returns a text's first line, without its end, and the rest.
func cutLine(text []byte) (line, rest []byte, more bool) {
	line, rest, more = bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest, more
}

func isFence(line []byte, fence string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(fence))
	return ok && len(bytes.TrimSpace(rest)) == 0
}

// isRule reports whether the line of "---" that begins a text is a horizontal rule.
func isRule(text []byte) bool {
	_, rest, more := cutLine(text)
	next, _, _ := cutLine(rest)
	if !more || len(bytes.TrimSpace(next)) > 0 {
		return !more
	}
	key, closed := false, false
	for seen := false; len(rest) > 0 && !closed; {
		var line []byte
		line, rest, _ = cutLine(rest)
		if !seen && len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			seen, key = true, looksLikeKey(line)
		}
		closed = isFence(line, "---")
	}
	return !key || !closed
}

// looksLikeKey reports whether a line may begin a mapping of YAML.
func looksLikeKey(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte{':'})
	return ok && (len(value) == 0 || value[0] == ' ') && len(name) > 0 && bytes.IndexByte(name, ' ') < 0
}

// fenced reads front matter between two lines.
func fenced(text []byte, fence, language string, read func([]byte, record.Place) (record.Record, []record.Fault)) (Text, []record.Fault) {
	_, inside, _ := cutLine(text)
	for at, line := 0, 2; at < len(inside) && at <= MaxFrontMatter; line++ {
		end := len(inside)
		if n := bytes.IndexByte(inside[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		content, _, _ := cutLine(inside[at:end])
		if isFence(content, fence) {
			front, faults := read(inside[:at], record.Place{Line: 2, Col: 1})
			return Text{FrontMatter: front, Body: inside[end:], BodyAt: behind(inside[at:end], line)}, faults
		}
		at = end
	}
	if len(inside) > MaxFrontMatter {
		return Text{}, fault(start, fmt.Sprintf("the front matter has no end: no line of %s within %d bytes", fence, MaxFrontMatter), endHint(fence))
	}
	return Text{}, fault(start, fmt.Sprintf("the front matter in %s has no end: a line of %s is missing behind it", language, fence), endHint(fence))
}

// behind returns the place behind a line.
func behind(text []byte, line int) record.Place {
	if bytes.HasSuffix(text, []byte{'\n'}) {
		return record.Place{Line: line + 1, Col: 1}
	}
	return record.Place{Line: line, Col: 1 + utf8.RuneCount(text)}
}

func endHint(fence string) string {
	if fence == "---" {
		return "for a horizontal rule, leave a blank line behind it, or write ***"
	}
	return ""
}

func fault(at record.Place, message, hint string) []record.Fault {
	return []record.Fault{{Place: at, Message: message, Hint: hint}}
}
