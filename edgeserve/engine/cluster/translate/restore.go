// This file gives responses the names of the release.

package translate

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/jsonwalk"
	"contentedge/edgeserve/engine/cluster/layout"
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
	r := restorer{Cursor: jsonwalk.Cursor{Text: raw}, q: q, dst: dst}
	if r.Peek() == '{' {
		r.object(true)
	} else {
		r.value()
	}
	return r.dst, nil
}

// restorer copies a response.
type restorer struct {
	jsonwalk.Cursor
	q   *Question
	dst []byte
}

// value copies a value without members of a hit, unless it begins as a hit does.
func (r *restorer) value() {
	switch r.Peek() {
	case '{':
		r.object(false)
	case '[':
		r.dst = append(r.dst, '[')
		start := len(r.dst)
		r.Elements(func() {
			r.comma(start)
			r.value()
		})
		r.dst = append(r.dst, ']')
	default:
		r.dst = append(r.dst, r.Scalar()...)
	}
}

// comma writes a comma, unless the object or array that begins at start has nothing yet.
func (r *restorer) comma(start int) {
	if len(r.dst) > start {
		r.dst = append(r.dst, ',')
	}
}

// object copies an object. A hit is one that begins with a text that says where it is stored.
func (r *restorer) object(hit bool) {
	r.dst = append(r.dst, '{')
	start, first := len(r.dst), true
	r.Members(func(quoted []byte) {
		name := jsonwalk.Unquote(quoted)
		hit = hit || first && slices.Contains(places, name) && r.Peek() == '"'
		first = false
		if hit && slices.Contains(places, name) {
			r.Value()
			return
		}
		before := len(r.dst)
		r.comma(start)
		r.dst = append(append(r.dst, quoted...), ':')
		switch {
		case hit && name == "_source":
			r.dst = append(r.dst, r.Value()...)
		case hit && (name == "fields" || name == "highlight") && r.Peek() == '{':
			if !r.fields(name == "highlight") {
				r.dst = r.dst[:before]
			}
		case hit && (name == "_explanation" || name == "explanation"):
			r.explanation(false)
		default:
			r.value()
		}
	})
	r.dst = append(r.dst, '}')
}

// places are the members of hits that say where an item is stored, or which of its values were not indexed.
var places = []string{"_index", "_type", "_shard", "_node", "_ignored"}

// fields copies an object whose members are fields. It reports whether some are left, or there were none.
func (r *restorer) fields(marked bool) (some bool) {
	shown := r.q.shown
	if marked {
		shown = r.q.marked
	}
	r.dst = append(r.dst, '{')
	start, count := len(r.dst), 0
	r.Members(func(quoted []byte) {
		count++
		name := jsonwalk.Unquote(quoted)
		if layout.IsHidden(first(name)) && !shows(shown, name) {
			r.Value()
			return
		}
		r.comma(start)
		if to := r.q.fields.toRelease(name); to != name {
			quoted, _ = json.Marshal(to) // no string fails
		}
		r.dst = append(append(r.dst, quoted...), ':')
		r.dst = append(r.dst, r.Value()...)
	})
	r.dst = append(r.dst, '}')
	return len(r.dst) > start+1 || count == 0
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
func (r *restorer) explanation(description bool) {
	switch r.Peek() {
	case '{':
		r.dst = append(r.dst, '{')
		start := len(r.dst)
		r.Members(func(quoted []byte) {
			r.comma(start)
			r.dst = append(append(r.dst, quoted...), ':')
			r.explanation(string(quoted) == `"description"`)
		})
		r.dst = append(r.dst, '}')
	case '[':
		r.dst = append(r.dst, '[')
		start := len(r.dst)
		r.Elements(func() {
			r.comma(start)
			r.explanation(false)
		})
		r.dst = append(r.dst, ']')
	default:
		text := r.Scalar()
		if description && strings.Contains(string(text), "·") {
			text = inside.ReplaceAllFunc(text, func(name []byte) []byte {
				quoted, _ := json.Marshal(r.q.fields.toRelease(string(name))) // no string fails
				return quoted[1 : len(quoted)-1]
			})
		}
		r.dst = append(r.dst, text...)
	}
}
