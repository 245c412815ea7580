// This file finds the place of an error in a body, for people who look at its text.

package query

import (
	"strconv"
	"strings"
)

// Locate returns the byte offset in a body that an error means, or -1 if there is none. Without a
// parameter, the error's position counts in the body. With one that names a string, it counts in that
// string. Else the parameter alone gives the place.
func Locate(raw []byte, e *Error) int {
	src := string(raw)
	if e.Parameter == "" {
		if e.Position < 0 || e.Position > len(src) {
			return -1
		}
		return e.Position
	}
	var root value
	if readJSON(src, &root) != nil {
		return -1
	}
	v, name := root.follow(e.Parameter), ""
	if v == nil {
		if v, name = root.named(e.Parameter), e.Parameter; v == nil {
			return -1
		}
	} else {
		name = v.name
	}
	if v.kind == kindString && e.Position >= 0 {
		return int(v.pos) + 1 + rawOffset(src[v.pos+1:], e.Position)
	}
	return keyOf(src, v, name)
}

// keyOf is the offset of a member's name, or of a value without a name.
func keyOf(src string, v *value, name string) int {
	if name != "" {
		quoted := `"` + name + `"`
		at := strings.LastIndex(src[:v.pos], quoted)
		if at >= 0 && strings.Trim(src[at+len(quoted):v.pos], ": \t\r\n") == "" {
			return at
		}
	}
	return int(v.pos)
}

// follow finds a value by the path that an Error has. Names may contain dots, and may be clipped.
func (v *value) follow(path string) *value {
	if path == "" {
		return v
	}
	if v.kind == kindArray {
		index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if !ok || err != nil || i < 0 || i >= len(v.items) {
			return nil
		}
		return v.items[i].follow(strings.TrimPrefix(rest, "."))
	}
	for i := range v.items {
		m := &v.items[i]
		rest, ok := strings.CutPrefix(path, clip(m.name))
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if found := m.follow(strings.TrimPrefix(rest, ".")); found != nil {
			return found
		}
	}
	return nil
}

// named finds the first member of a name, or string that is the name.
func (v *value) named(name string) *value {
	if v.kind == kindString && v.text == name {
		return v
	}
	for i := range v.items {
		m := &v.items[i]
		if m.name == name {
			return m
		}
		if found := m.named(name); found != nil {
			return found
		}
	}
	return nil
}

// rawOffset is the offset in a string's source of a byte of its text. Escapes are longer.
func rawOffset(src string, decoded int) int {
	r := &jsonReader{src: src}
	for n := 0; n < decoded && r.at < len(src) && src[r.at] != '"'; {
		if src[r.at] != '\\' {
			r.at++
			n++
			continue
		}
		n += len(r.escape(nil))
		if r.err != nil {
			return 0
		}
	}
	return r.at
}
