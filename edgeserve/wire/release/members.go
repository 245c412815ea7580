// This file reads JSON of newer versions: it leaves out the members that this version does not know, and refuses every
// second spelling of the members that it knows. Its result is compared with the canonical form.

package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// member is a member of an object, as it was sent.
type member struct {
	name        string // in lower case: JSON parsers match names without regard to case
	text, value []byte // text is the name with its value
}

// membersOf lists the members of an object without spaces.
func membersOf(object []byte) (all []member, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("not a JSON object"), err)
	}
	seen := map[string]bool{}
	for d.More() {
		start := d.InputOffset()
		if object[start] == ',' {
			start++
		}
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		m := member{strings.ToLower(name.(string)), object[start:d.InputOffset()], value}
		if seen[m.name] {
			return nil, fmt.Errorf("the member %q is repeated", name)
		}
		seen[m.name] = true
		all = append(all, m)
	}
	return all, nil
}

// elementsOf lists the elements of an array.
func elementsOf(array []byte) (all []json.RawMessage, err error) {
	err = json.Unmarshal(array, &all)
	return all, err
}

// knownMembers returns a value without the members that a type lacks. These may hold anything in which no member is
// repeated.
func knownMembers(value []byte, t reflect.Type) ([]byte, error) {
	switch {
	case t.Kind() == reflect.Struct && value[0] == '{':
		return knownOfStruct(value, t)
	case t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]() && value[0] == '[':
		elements, err := elementsOf(value)
		if err != nil {
			return nil, err
		}
		parts := make([][]byte, len(elements))
		for i, e := range elements {
			if parts[i], err = knownMembers(e, t.Elem()); err != nil {
				return nil, err
			}
		}
		return enclose('[', parts, ']'), nil
	}
	return value, nil
}

func knownOfStruct(value []byte, t reflect.Type) ([]byte, error) {
	all, err := membersOf(value)
	if err != nil {
		return nil, err
	}
	var parts [][]byte
	for _, m := range all {
		field, ok := fieldOf(t, m.name)
		if !ok {
			if err := checkUnique(json.NewDecoder(bytes.NewReader(m.value))); err != nil {
				return nil, err
			}
			continue
		}
		known, err := knownMembers(m.value, field)
		if err != nil {
			return nil, err
		}
		name := m.text[:len(m.text)-len(m.value)]
		parts = append(parts, append(name[:len(name):len(name)], known...))
	}
	return enclose('{', parts, '}'), nil
}

// fieldOf is the type of a struct's member by its name in lower case.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); strings.ToLower(tag) == name {
			return f.Type, true
		}
	}
	return nil, false
}

func enclose(left byte, parts [][]byte, right byte) []byte {
	return append(append([]byte{left}, bytes.Join(parts, []byte(","))...), right)
}

// checkUnique refuses an object in a value whose members are repeated. Decode, which has read the value before,
// bounds its depth.
func checkUnique(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	for seen := map[string]bool{}; d.More(); {
		if delim == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if seen[name.(string)] {
				return fmt.Errorf("the member %q is repeated", name)
			}
			seen[name.(string)] = true
		}
		if err := checkUnique(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// checkCompact accepts a text that is one JSON value without spaces, and a line feed.
func checkCompact(line []byte) error {
	if len(line) == 0 || line[len(line)-1] != '\n' {
		return io.ErrUnexpectedEOF
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, line[:len(line)-1]); err != nil {
		return err
	}
	if !bytes.Equal(compact.Bytes(), line[:len(line)-1]) {
		return errors.New("not in canonical form: there are spaces")
	}
	return nil
}
