// This file reads .json files: a document, an array of documents, or a saved response of the
// interface, {"status":200,"data":…} with a document or an array.

package documents

import (
	"fmt"

	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/jsonscan"
)

type jsonReader struct {
	in *scan
}

func newJSONReader() Reader {
	return &jsonReader{newScan(phrases{
		unfinished: "the file ends in the middle of a value",
		advice:     "the file may be cut off, or a bracket or a quote is not closed",
		firstName:  func(line, col int) string { return fmt.Sprintf("at %d:%d", line, col) },
	})}
}

// Load sets the text.
func (r *jsonReader) Load(in Input) { r.in.load(in.Text) }

// JSON returns the text.
func (r *jsonReader) JSON() []byte { return r.in.text }

// Place counts lines and columns.
func (r *jsonReader) Place(offset int) (line, col int) { return jsonscan.Place(r.in.text, offset) }

// Documents reads the value that the text is.
func (r *jsonReader) Documents(out Receiver) {
	r.in.out = out
	text := r.in.text
	at := jsoncursor.SkipSpace(text, 0)
	if at == len(text) {
		return
	}
	end, ok := 0, false
	switch text[at] {
	case '[':
		end, ok = r.array(at)
	case '{':
		end, ok = r.object(at)
	default:
		end, ok = r.in.document(at)
	}
	if !ok {
		return
	}
	if rest := jsoncursor.SkipSpace(text, end); rest < len(text) {
		hint := "several items go into an array, or one a line into an .ndjson file"
		if strange := strangeness(text, rest); strange != "" {
			hint = strange
		}
		out.Fault(rest, "there is more after the end of the value", hint)
	}
}

func (r *jsonReader) array(at int) (end int, ok bool) {
	text := r.in.text
	at = jsoncursor.SkipSpace(text, at+1)
	if at < len(text) && text[at] == ']' {
		return at + 1, true
	}
	for at < len(text) {
		end, ok := r.in.document(at)
		if !ok || r.in.out.Stopped() {
			return 0, false
		}
		if at = jsoncursor.SkipSpace(text, end); at == len(text) {
			break
		}
		switch text[at] {
		case ']':
			return at + 1, true
		case ',':
			at = jsoncursor.SkipSpace(text, at+1)
		default:
			r.in.out.Fault(at, "a comma or the end of the array is missing here", advice(text, at))
			return 0, false
		}
	}
	r.in.unfinished()
	return 0, false
}

// object reads an object that is the whole text: a document or a saved response.
func (r *jsonReader) object(at int) (end int, ok bool) {
	members, end, err := r.in.scanner.Object(r.in.text, at)
	if err != nil {
		r.in.explain(at, err)
		return 0, false
	}
	data, status := r.savedResponse(members)
	switch {
	case data == nil:
		r.in.found(at, end, members)
	case status != nil && string(status.Value) != "200":
		r.in.out.Fault(status.ValueAt, fmt.Sprintf("this is a saved response with the status %s, not content", Quoted(string(status.Value))), "save it again")
	case data.Value[0] == '[':
		r.array(data.ValueAt)
	default:
		r.in.document(data.ValueAt)
	}
	return end, true
}

// savedResponse returns the members of a saved response; data is nil for a document, and for an
// object without data.
func (r *jsonReader) savedResponse(members []jsonscan.Member) (data, status *jsonscan.Member) {
	for i := range members {
		m := &members[i]
		switch name := jsoncursor.Unquote(m.Name); {
		case r.in.out.IsField(name):
			return nil, nil
		case string(name) == envelope.DataMember:
			data = m
		case string(name) == envelope.StatusMember:
			status = m
		}
	}
	return data, status
}
