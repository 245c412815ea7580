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

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// indented writes the object for people.
func (o object) indented() []byte {
	compact, err := encode(o)
	if err != nil {
		panic("openapi: cannot encode the document: " + err.Error()) // it has texts, numbers and objects only
	}
	var b bytes.Buffer
	_ = json.Indent(&b, compact, "", "  ") // encode has just written it
	b.WriteByte('\n')
	return b.Bytes()
}

// with returns the object with another member.
func (o object) with(name string, value any) object {
	return append(slices.Clip(o), member{name, value})
}

// to refers to a component.
func to(kind, name string) object { return object{{"$ref", "#/components/" + kind + "/" + name}} }

// schema refers to a schema.
func schema(name string) object { return to("schemas", name) }
