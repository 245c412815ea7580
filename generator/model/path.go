// This file navigates JSON that was parsed before. Invalid JSON gives an offset in the text.

package model

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/generator/source"
)

// children calls do with each member or element of the value at an offset, and returns its end. do
// gets the quoted name (nil: an element) and its value's offset, and returns the value's end.
func children(text []byte, at int, do func(name []byte, at int) int) int {
	object := text[at] == '{'
	at = skipSpace(text, at+1)
	for at < len(text) && text[at] != '}' && text[at] != ']' {
		var name []byte
		if object {
			end := scalarEnd(text, at)
			name = text[at:end]
			at = skipSpace(text, skipSpace(text, end)+1)
		}
		if at >= len(text) {
			break
		}
		at = skipSpace(text, do(name, at))
		if at < len(text) && text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	return min(at+1, len(text))
}

func valueEnd(text []byte, at int) int {
	if text[at] != '{' && text[at] != '[' {
		return scalarEnd(text, at)
	}
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}

// scalarEnd returns an offset after at: the end of the string, number or word there.
func scalarEnd(text []byte, at int) int {
	if text[at] == '"' {
		return min(stringEnd(text, at)+1, len(text))
	}
	for at++; at < len(text) && !strings.ContainsRune(",:]} \n\r\t", rune(text[at])); at++ {
	}
	return at
}

// stringAt returns the string at an offset, decoded; nothing if there is none.
func stringAt(text []byte, at int) []byte {
	if at >= len(text) || text[at] != '"' {
		return nil
	}
	quoted := text[at:scalarEnd(text, at)]
	if len(quoted) < 2 {
		return nil
	}
	return unquote(quoted)
}

func spells(text []byte, want string) bool {
	switch {
	case len(text) < len(want)+2 || text[0] != '"':
		return false
	case bytes.IndexByte(text, '\\') < 0:
		return string(text[1:len(text)-1]) == want
	}
	return string(unquote(text)) == want
}

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
			end := scalarEnd(text, at)
			if last >= 0 && way[last].object && !way[last].named {
				way[last].name, way[last].named = text[at:end], true
			}
			at = end - 1
		case c == '{' || c == '[':
			way = append(way, level{object: c == '{'})
		case last < 0: // no JSON
		case c == '}' || c == ']':
			way = way[:last]
		case c == ',':
			way[last].n++
			way[last].named = false
		}
	}
	return way
}

// dataPath writes the part of a way inside an item: Data.related.items[2].
func dataPath(way []level) string {
	for len(way) > 0 && !spells(way[0].name, FieldNames[fieldData]) {
		way = way[1:] // around the item
	}
	var b strings.Builder
	for i, l := range way {
		name := string(stringAt(l.name, 0))
		switch {
		case !l.object:
			b.WriteString("[" + strconv.Itoa(l.n) + "]")
		case !plain(name):
			b.WriteString("[" + quoted(name) + "]")
		default:
			b.WriteString("."[:min(i, 1)] + name)
		}
	}
	return shortened(b.String())
}

// plain reports whether a name can stand in a path unquoted.
func plain(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

// shortened takes out the middle of a path too long for a line.
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
	text   []byte
	start  int // where the document or the line begins
	offset int
	lines  int // of the file before the text
}

func (v view) place() (line, col int) {
	line, col = place(v.text, v.offset)
	return v.lines + line, col
}

func (v view) reference() (from, id string) {
	way := levels(v.text, v.start, v.offset)
	return dataPath(way[:max(len(way)-2, 0)]), string(stringAt(v.text, v.offset))
}

// eachPlace reads a file again and calls do for each offset; they ascend.
func eachPlace(file *source.File, offsets []int64, do func(i int, v view)) error {
	if file.Kind == source.Lines {
		return eachPlaceInLines(file, offsets, do)
	}
	text, err := file.Read()
	if err == nil {
		text, err = decode(text)
	}
	if err != nil {
		return err
	}
	for i, offset := range offsets {
		do(i, view{text: text, offset: int(offset)})
	}
	return nil
}

// eachPlaceInLines is eachPlace for a file of lines, which may be large.
func eachPlaceInLines(file *source.File, offsets []int64, do func(i int, v view)) error {
	r, err := file.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	parts, lines, size := lineParts{r: r}, 0, int64(0)
	var buf []byte
	for i := 0; i < len(offsets); {
		if buf, err = parts.next(buf); err != nil {
			return err
		}
		if len(buf) == 0 {
			return io.ErrUnexpectedEOF
		}
		for ; i < len(offsets) && offsets[i]-size < int64(len(buf)); i++ {
			at := int(offsets[i] - size)
			do(i, view{buf, bytes.LastIndexByte(buf[:at], '\n') + 1, at, lines})
		}
		lines += bytes.Count(buf, []byte{'\n'})
		size += int64(len(buf))
	}
	return nil
}

// place returns an offset's line and column, from 1, in characters; an invalid byte is one.
func place(text []byte, offset int) (line, col int) {
	before := text[:min(offset, len(text))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
