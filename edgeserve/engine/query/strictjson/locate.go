// This file finds the place in a text that an error message refers to.

package strictjson

import (
	"strconv"
	"strings"
)

// Locate returns the byte offset in a JSON text of the value at a path, or -1. If the value is a string and
// inString is not -1, it is the offset of that byte of the decoded string. Otherwise it is the offset of the
// member's name. If no value has the path, Locate finds the first member of that name, or the first such string.
func Locate(src, path string, inString int) int {
	var root Value
	if Read(src, &root) != nil {
		return -1
	}
	name := path
	v := root.follow(path)
	if v != nil {
		name = v.Name
	} else if v = root.named(path); v == nil {
		return -1
	}
	if v.Kind == String && inString >= 0 {
		return int(v.Pos) + 1 + rawOffset(src[v.Pos+1:], inString)
	}
	return keyOf(src, v, name)
}

// keyOf returns the offset of the name of a member, or of a value that has no name.
func keyOf(src string, v *Value, name string) int {
	if name != "" {
		quoted := `"` + name + `"`
		at := strings.LastIndex(src[:v.Pos], quoted)
		if at >= 0 && strings.Trim(src[at+len(quoted):v.Pos], ": \t\r\n") == "" {
			return at
		}
	}
	return int(v.Pos)
}

// follow finds a value by a path from Path. The names in it may contain dots, and Path has shortened long names.
func (v *Value) follow(path string) *Value {
	if path == "" {
		return v
	}
	if v.Kind == Array {
		index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if !ok || err != nil || i < 0 || i >= len(v.Items) {
			return nil
		}
		return v.Items[i].follow(strings.TrimPrefix(rest, "."))
	}
	for i := range v.Items {
		m := &v.Items[i]
		rest, ok := strings.CutPrefix(path, Clip(m.Name))
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if found := m.follow(strings.TrimPrefix(rest, ".")); found != nil {
			return found
		}
	}
	return nil
}

// named finds the first member with a name, or the first string that equals the name.
func (v *Value) named(name string) *Value {
	if v.Kind == String && v.Text == name {
		return v
	}
	for i := range v.Items {
		m := &v.Items[i]
		if m.Name == name {
			return m
		}
		if found := m.named(name); found != nil {
			return found
		}
	}
	return nil
}

// rawOffset returns the offset in a string's source of a byte of the decoded string. Escapes are longer than
// the characters that they stand for.
func rawOffset(src string, decoded int) int {
	r := &reader{src: src}
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
