// This file writes the path of a value in an item, and finds the places of offsets again.

package model

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

type level struct {
	object, named bool
	name          []byte // of the member, with its quotes
	n             int    // position of the element
}

func levels(text []byte, start, offset int) []level {
	var way []level
	for at := start; at < min(offset, len(text)); at++ {
		c, last := text[at], len(way)-1
		switch {
		case c == '"':
			end := jsoncursor.ScalarEnd(text, at)
			if last >= 0 && way[last].object && !way[last].named {
				way[last].name, way[last].named = text[at:end], true
			}
			at = end - 1
		case c == '{' || c == '[':
			way = append(way, level{object: c == '{'})
		case last < 0: // the text is no JSON
		case c == '}' || c == ']':
			way = way[:last]
		case c == ',':
			way[last].n++
			way[last].named = false
		}
	}
	return way
}

// dataPath writes the levels inside of an item as a path: Data.related.items[2].
func dataPath(way []level) string {
	for len(way) > 0 && !jsoncursor.Spells(way[0].name, FieldNames[fieldData]) {
		way = way[1:] // levels around the item
	}
	var b strings.Builder
	for i, l := range way {
		name := string(jsoncursor.StringAt(l.name, 0))
		switch {
		case !l.object:
			b.WriteString("[" + strconv.Itoa(l.n) + "]")
		case !plain(name):
			b.WriteString("[" + documents.Quoted(name) + "]")
		default:
			b.WriteString("."[:min(i, 1)] + name)
		}
	}
	return shortened(b.String())
}

// plain reports whether a path can have a name unquoted.
func plain(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

// shortened replaces the middle of a path that is too long for a line.
func shortened(path string) string {
	const longest, part = 160, 78
	if utf8.RuneCountInString(path) <= longest {
		return path
	}
	runes := []rune(path)
	return string(runes[:part]) + "…" + string(runes[len(runes)-part:])
}

// view is an offset of a file, with as much of the text around it as is needed.
type view struct {
	reader documents.Reader // of the text
	text   []byte           // as JSON
	start  int              // where the document or the line begins
	offset int
	lines  int // of the file before the text
}

func (v view) place() (line, col int) {
	line, col = v.reader.Place(v.offset)
	return v.lines + line, col
}

func (v view) reference() (from, id string) {
	way := levels(v.text, v.start, v.offset)
	return dataPath(way[:max(len(way)-2, 0)]), string(jsoncursor.StringAt(v.text, v.offset))
}

// path returns the path of the value that contains an offset.
func (v view) path() string { return dataPath(levels(v.text, v.start, v.offset)) }

// eachPlace reads a file again and calls do for each offset; they ascend.
func (l *loader) eachPlace(file *source.File, offsets []int64, do func(i int, v view)) error {
	if file.Format.Lines {
		return l.eachPlaceInLines(file, offsets, do)
	}
	text, err := file.Read()
	if err == nil {
		text, err = documents.Decode(text)
	}
	if err != nil {
		return err
	}
	reader := file.Format.NewReader()
	answers := newAnswers(l.ctx, l.tree)
	reader.Load(file.Input(text, answers.ask))
	if answers.err != nil {
		return answers.err
	}
	for i, offset := range offsets {
		do(i, view{reader: reader, text: reader.JSON(), offset: int(offset)})
	}
	return nil
}

// eachPlaceInLines is eachPlace for a file of lines, which may be large.
func (l *loader) eachPlaceInLines(file *source.File, offsets []int64, do func(i int, v view)) error {
	r, err := file.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	parts, reader, answers, lines, size := documents.NewParts(r), file.Format.NewReader(), newAnswers(l.ctx, l.tree), 0, int64(0)
	var buf []byte
	for i := 0; i < len(offsets); {
		if buf, err = parts.Next(buf); err != nil {
			return err
		}
		if len(buf) == 0 {
			return io.ErrUnexpectedEOF
		}
		if reader.Load(file.Input(buf, answers.ask)); answers.err != nil {
			return answers.err
		}
		for ; i < len(offsets) && offsets[i]-size < int64(len(buf)); i++ {
			at := int(offsets[i] - size)
			do(i, view{reader, buf, bytes.LastIndexByte(buf[:at], '\n') + 1, at, lines})
		}
		lines += bytes.Count(buf, []byte{'\n'})
		size += int64(len(buf))
	}
	return nil
}
