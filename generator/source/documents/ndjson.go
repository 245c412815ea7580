// This file reads .ndjson and .jsonl files: one document a line.

package documents

import (
	"bytes"
	"fmt"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/jsonscan"
)

type ndjsonReader struct {
	text []byte
	in   *scan // of one line: its text ends with the line
}

func newNDJSONReader() Reader {
	return &ndjsonReader{in: newScan(phrases{
		unfinished: "the line ends in the middle of an item",
		advice:     "in this kind of file each item is on one line",
		firstName:  func(_, col int) string { return fmt.Sprintf("in column %d of this line", col) },
	})}
}

// Load sets the text.
func (r *ndjsonReader) Load(in Input) {
	r.text = in.Text
	r.in.load(in.Text)
}

// JSON returns the text.
func (r *ndjsonReader) JSON() []byte { return r.text }

// Place counts lines and columns.
func (r *ndjsonReader) Place(offset int) (line, col int) { return jsonscan.Place(r.text, offset) }

// Documents reads line by line.
func (r *ndjsonReader) Documents(out Receiver) {
	r.in.out = out
	for at := 0; at < len(r.text) && !out.Stopped(); {
		end := len(r.text)
		if n := bytes.IndexByte(r.text[at:], '\n'); n >= 0 {
			end = at + n
		}
		r.in.text = r.text[:end]
		if start := jsoncursor.SkipSpace(r.in.text, at); start < end {
			r.line(start)
		}
		at = end + 1
	}
}

func (r *ndjsonReader) line(at int) {
	text := r.in.text
	end, ok := r.in.document(at)
	if !ok {
		return
	}
	if rest := jsoncursor.SkipSpace(text, end); rest < len(text) {
		hint := "each item is on a line of its own"
		switch strange := strangeness(text, rest); {
		case strange != "":
			hint = strange
		case bytes.IndexByte(text[end:rest], '\r') >= 0:
			hint = oldLineEnds
		}
		r.in.out.Fault(rest, "there is more after the end of the item", hint)
	}
}
