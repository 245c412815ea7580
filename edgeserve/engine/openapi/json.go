// This file has objects of JSON whose members keep the order in which people read them.

package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is an object of JSON.
type object []member

type member struct {
	name  string
	value any
}

// appendTo appends the object, indented for people, with a line feed after it.
func (o object) appendTo(dst []byte) []byte { return append(appendValue(dst, o, "\n"), '\n') }

// appendValue appends a value of the document. newline is a line feed with the indentation of the value's first line.
func appendValue(dst []byte, v any, newline string) []byte {
	switch v := v.(type) {
	case object:
		return appendAll(dst, '{', '}', len(v), newline, func(dst []byte, i int, newline string) []byte {
			return appendValue(append(appendScalar(dst, v[i].name), ": "...), v[i].value, newline)
		})
	case []any:
		return appendArray(dst, v, newline)
	case []object:
		return appendArray(dst, v, newline)
	case []string:
		return appendArray(dst, v, newline)
	}
	return appendScalar(dst, v)
}

func appendArray[T any](dst []byte, values []T, newline string) []byte {
	return appendAll(dst, '[', ']', len(values), newline, func(dst []byte, i int, newline string) []byte {
		return appendValue(dst, values[i], newline)
	})
}

// appendAll appends n members or elements, each on its own line, between two brackets.
func appendAll(dst []byte, first, last byte, n int, newline string, appendOne func(dst []byte, i int, newline string) []byte) []byte {
	dst = append(dst, first)
	below := newline + "  "
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOne(append(dst, below...), i, below)
	}
	if n > 0 {
		dst = append(dst, newline...)
	}
	return append(dst, last)
}

func appendScalar(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("openapi: cannot encode the document: " + err.Error()) // it has texts, numbers and objects only
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// with returns the object with another member.
func (o object) with(name string, value any) object {
	return append(slices.Clip(o), member{name, value})
}

// to refers to a component.
func to(kind, name string) object { return object{{"$ref", "#/components/" + kind + "/" + name}} }

// schema refers to a schema.
func schema(name string) object { return to("schemas", name) }
