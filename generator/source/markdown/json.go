// This file reads front matter in JSON.

package markdown

import (
	"bytes"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
)

// beginsJSON reports whether a text begins with an object. {{< is a shortcode, {: an attribute.
func beginsJSON(text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	at := jsoncursor.SkipSpace(text, 1)
	return at < len(text) && (text[at] == '"' || text[at] == '}')
}

func jsonFrontMatter(text []byte) (Text, []record.Fault) {
	within := text[:min(len(text), MaxFrontMatter)]
	front, end, faults := readObject(within, 0, start)
	if faults != nil {
		return Text{}, faults
	}
	line, body, _ := cutLine(text[end:])
	if len(bytes.TrimSpace(line)) > 0 {
		return Text{}, fault(record.NewLines(within, start).Place(end), "there is more on the line of the end of the front matter", "the text begins on the next line")
	}
	head := text[:len(text)-len(body)]
	last := bytes.LastIndexByte(head[:len(head)-1], '\n') + 1
	return Text{FrontMatter: front, Body: body, BodyAt: placeAfter(head[last:], 1+bytes.Count(head[:last], []byte{'\n'}))}, nil
}

// jsonObject reads front matter in JSON between two lines.
func jsonObject(text []byte, first record.Place) (record.Record, []record.Fault) {
	at := jsoncursor.SkipSpace(text, 0)
	if at == len(text) {
		return noKeys(first), nil
	}
	front, end, faults := readObject(text, at, first)
	if faults != nil {
		return record.Record{}, faults
	}
	if end = jsoncursor.SkipSpace(text, end); end < len(text) {
		return record.Record{}, fault(record.NewLines(text, first).Place(end), "there is more after the object that the front matter is", "write one object between the lines of ---")
	}
	return front, nil
}

// readObject reads the object at an offset of a text that begins at a place, and returns the object's end.
func readObject(text []byte, at int, first record.Place) (record.Record, int, []record.Fault) {
	lines := record.NewLines(text, first)
	scanner := jsonscan.New()
	_, end, err := scanner.Object(text, at)
	if err != nil {
		at, message, hint := documents.Explain(scanner, text, at, err)
		return record.Record{}, 0, fault(lines.Place(at), "the front matter is no JSON: "+message, hint)
	}
	var b record.Builder
	copyJSON(&b, text, at, lines)
	front, problem := b.Record()
	if problem != nil {
		return record.Record{}, 0, []record.Fault{*problem}
	}
	return front, end, nil
}

// copyJSON writes the value at an offset of valid JSON, and returns its end.
func copyJSON(b *record.Builder, text []byte, at int, lines *record.Lines) int {
	place := lines.Place(at)
	switch text[at] {
	case '{':
		b.Object(place)
	case '[':
		b.Array(place)
	default:
		end := jsoncursor.ScalarEnd(text, at)
		b.Literal(string(text[at:end]), place)
		return end
	}
	if b.Fault() != nil {
		return jsoncursor.ValueEnd(text, at)
	}
	end := jsoncursor.Children(text, at, func(name []byte, at int) int {
		if name != nil {
			b.Key(string(jsoncursor.Unquote(name)), lines.Place(cap(text)-cap(name))) // name is a part of text
		}
		return copyJSON(b, text, at, lines)
	})
	if text[at] == '{' {
		b.EndObject()
	} else {
		b.EndArray()
	}
	return end
}
