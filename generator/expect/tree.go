// This file reads JSON with the places of its values.

package expect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"contentedge/generator/model"
)

// node is a JSON value and where it is in the file.
type node struct {
	start, end int // byte offsets
	keyAt      int // of the member's name
	name       string
	value      any    // of a scalar, with json.Number; nil for null
	list       []node // of an array
	members    []node // of an object
	kind       byte   // '{', '[' or 0
}

func (n *node) member(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

type parser struct {
	file    *File
	d       *json.Decoder
	maxFall float64 // of tests without a maxFall of their own
	found   []model.Diagnostic
}

func (p *parser) fault(at int, hint, format string, args ...any) {
	line, col := p.place(at)
	p.found = append(p.found, model.Diagnostic{File: p.file.Name, Line: line, Col: col, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// place is the line and the column, in characters, of an offset.
func (p *parser) place(at int) (line, col int) {
	before := p.file.Text[:min(at, len(p.file.Text))]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// maxDepth bounds the recursion.
const maxDepth = 200

// tree reads the whole file; nil if it is no JSON.
func (p *parser) tree() *node {
	var root node
	var raw json.RawMessage
	at, err := 0, json.Unmarshal(p.file.Text, &raw)
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = max(0, int(s.Offset)-1)
	}
	if err == nil {
		p.d = json.NewDecoder(bytes.NewReader(p.file.Text))
		p.d.UseNumber()
		err = p.value(&root, 0)
	}
	if err != nil {
		p.fault(at, "a file of expectations is one JSON object: {\"tests\":[…]}", "this is not valid JSON: %v", err)
		return nil
	}
	return &root
}

// at is the offset of the next token.
func (p *parser) at() int {
	at := int(p.d.InputOffset())
	for at < len(p.file.Text) && strings.IndexByte(" \t\r\n,:", p.file.Text[at]) >= 0 {
		at++
	}
	return at
}

func (p *parser) value(n *node, depth int) error {
	n.start = p.at()
	t, err := p.d.Token()
	if err != nil {
		return err
	}
	n.value = t
	if open, ok := t.(json.Delim); ok {
		n.value, n.kind = nil, byte(open)
		if depth > maxDepth {
			return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
		}
		for p.d.More() {
			if err := p.item(n, depth); err != nil {
				return err
			}
		}
		if _, err := p.d.Token(); err != nil {
			return err
		}
	}
	n.end = int(p.d.InputOffset())
	return nil
}

func (p *parser) item(n *node, depth int) error {
	var m node
	if n.kind == '{' {
		m.keyAt = p.at()
		key, err := p.d.Token()
		if err != nil {
			return err
		}
		m.name, _ = key.(string)
		if n.member(m.name) != nil {
			p.fault(m.keyAt, "", "the member %q is given twice", m.name)
		}
	}
	if err := p.value(&m, depth+1); err != nil {
		return err
	}
	if n.kind == '{' {
		n.members = append(n.members, m)
	} else {
		n.list = append(n.list, m)
	}
	return nil
}

func compact(raw []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it was parsed
	return b.Bytes()
}
