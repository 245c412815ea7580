// This file gives responses the names of the release.

package translate

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/wire/jsoncursor"
)

// ErrNoJSON is the error of a response that is not JSON.
var ErrNoJSON = errors.New("the response is not JSON")

// Restore appends the JSON of a response, of a hit, or of an object with members of a hit. Fields have the names of the
// release, and fields that a pattern of the body reaches only in the index are left out. So are the members that say
// where a hit is: _index, _type, _shard, _node, _ignored. The rest stays as it is written: members in their order,
// numbers, and sources, which package layout reads.
func (q *Question) Restore(dst, raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return dst, ErrNoJSON
	}
	r := restorer{text: raw, q: q, dst: dst}
	if at := jsoncursor.SkipSpace(raw, 0); raw[at] == '{' {
		r.object(at, true)
	} else {
		r.value(at)
	}
	return r.dst, nil
}

// restorer copies a response.
type restorer struct {
	text []byte
	q    *Question
	dst  []byte
}

// value copies the value at an offset without members of a hit, unless it begins as a hit does. It returns the value's
// end, as the other methods do.
func (r *restorer) value(at int) int {
	switch r.text[at] {
	case '{':
		return r.object(at, false)
	case '[':
		return r.array(at, r.value)
	}
	return r.whole(at)
}

func (r *restorer) array(at int, element func(at int) int) int {
	r.dst = append(r.dst, '[')
	start := len(r.dst)
	end := jsoncursor.Children(r.text, at, func(_ []byte, at int) int {
		r.comma(start)
		return element(at)
	})
	r.dst = append(r.dst, ']')
	return end
}

// whole copies a value as it is written.
func (r *restorer) whole(at int) int {
	end := jsoncursor.ValueEnd(r.text, at)
	r.dst = append(r.dst, r.text[at:end]...)
	return end
}

// comma writes a comma, unless the object or array that begins at start has nothing yet.
func (r *restorer) comma(start int) {
	if len(r.dst) > start {
		r.dst = append(r.dst, ',')
	}
}

// object copies an object. A hit is one that begins with a text that says where it is stored.
func (r *restorer) object(at int, hit bool) int {
	r.dst = append(r.dst, '{')
	start, first := len(r.dst), true
	end := jsoncursor.Children(r.text, at, func(quoted []byte, at int) int {
		name := string(jsoncursor.Unquote(quoted))
		hit = hit || first && slices.Contains(places, name) && r.text[at] == '"'
		first = false
		if hit && slices.Contains(places, name) {
			return jsoncursor.ValueEnd(r.text, at)
		}
		before := len(r.dst)
		r.comma(start)
		r.dst = append(append(r.dst, quoted...), ':')
		switch {
		case hit && name == "_source":
			return r.whole(at)
		case hit && (name == "fields" || name == "highlight") && r.text[at] == '{':
			end, some := r.fields(at, name == "highlight")
			if !some {
				r.dst = r.dst[:before]
			}
			return end
		case hit && (name == "_explanation" || name == "explanation"):
			return r.explanation(at, false)
		}
		return r.value(at)
	})
	r.dst = append(r.dst, '}')
	return end
}

// places are the members of hits that say where an item is stored, or which of its values were not indexed.
var places = []string{"_index", "_type", "_shard", "_node", "_ignored"}

// fields copies an object whose members are fields. It reports whether some are left, or there were none.
func (r *restorer) fields(at int, marked bool) (end int, some bool) {
	shown := r.q.shown
	if marked {
		shown = r.q.marked
	}
	r.dst = append(r.dst, '{')
	start, count := len(r.dst), 0
	end = jsoncursor.Children(r.text, at, func(quoted []byte, at int) int {
		count++
		name := string(jsoncursor.Unquote(quoted))
		if layout.IsHidden(first(name)) && !shows(shown, name) {
			return jsoncursor.ValueEnd(r.text, at)
		}
		r.comma(start)
		if to := r.q.fields.toRelease(name); to != name {
			quoted, _ = json.Marshal(to) // no string fails
		}
		r.dst = append(append(r.dst, quoted...), ':')
		return r.whole(at)
	})
	r.dst = append(r.dst, '}')
	return end, len(r.dst) > start+1 || count == 0
}

// shows reports whether a list of names and patterns has a field.
func shows(list []string, field string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return s == field || isPattern(s) && layout.IsHidden(first(s)) && matches(s, field)
	})
}

// inside matches the name of a field that only the index has, in a text.
var inside = regexp.MustCompile(`[^\s:()\[\]"\\]*·[^\s:()\[\]"\\]*`)

// explanation copies an explanation, in whose descriptions fields have the names of the release.
func (r *restorer) explanation(at int, description bool) int {
	switch r.text[at] {
	case '{':
		r.dst = append(r.dst, '{')
		start := len(r.dst)
		end := jsoncursor.Children(r.text, at, func(quoted []byte, at int) int {
			r.comma(start)
			r.dst = append(append(r.dst, quoted...), ':')
			return r.explanation(at, string(quoted) == `"description"`)
		})
		r.dst = append(r.dst, '}')
		return end
	case '[':
		return r.array(at, func(at int) int { return r.explanation(at, false) })
	}
	end := jsoncursor.ScalarEnd(r.text, at)
	text := r.text[at:end]
	if description && strings.Contains(string(text), "·") {
		text = inside.ReplaceAllFunc(text, func(name []byte) []byte {
			quoted, _ := json.Marshal(r.q.fields.toRelease(string(name))) // no string fails
			return quoted[1 : len(quoted)-1]
		})
	}
	r.dst = append(r.dst, text...)
	return end
}
