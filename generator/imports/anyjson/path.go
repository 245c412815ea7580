// This file reads paths to values, as .fields.title, .results[0] or .tags[].name.

package anyjson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

// maxSteps bounds a path: no value is nested deeper.
const maxSteps = documents.MaxDepth

// route leads from a value to one inside.
type route []step

// step is a member by its name, an element by its number, or all elements of an array or members of an object.
type step struct {
	name    string
	element int // of an array, if the step is neither named nor all
	named   bool
	all     bool
}

// parsePath reads .a.b, .a[0].b, .a[].b or .["a key"]; a single dot is the value itself.
func parsePath(text string) (route, error) {
	if !strings.HasPrefix(text, ".") {
		return nil, fmt.Errorf("the path %s must begin with a dot, for example .title", documents.Quoted(text))
	}
	p := route{}
	rest := strings.TrimPrefix(text, ".")
	for rest != "" {
		var s step
		var ok bool
		if s, rest, ok = nextStep(rest, len(p) == 0); !ok || len(p) == maxSteps {
			return nil, fmt.Errorf("the path %s cannot be read: write it as .a.b, .a[0], .a[].b or .[\"a key\"]", documents.Quoted(text))
		}
		p = append(p, s)
	}
	return p, nil
}

func nextStep(text string, first bool) (s step, rest string, ok bool) {
	if strings.HasPrefix(text, "[") {
		return bracket(text[1:])
	}
	if !first {
		if text[0] != '.' {
			return step{}, "", false
		}
		if text = text[1:]; strings.HasPrefix(text, "[") {
			return bracket(text[1:])
		}
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	return step{name: text[:end], named: true}, text[end:], end > 0
}

func bracket(text string) (s step, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil || !strings.HasPrefix(text[len(quoted):], "]") {
			return step{}, "", false
		}
		name, err := strconv.Unquote(quoted)
		return step{name: name, named: true}, text[len(quoted)+1:], err == nil
	}
	number, rest, found := strings.Cut(text, "]")
	if found && number == "" {
		return step{all: true}, rest, true
	}
	n, err := strconv.Atoi(number)
	return step{element: n}, rest, found && err == nil && n >= 0
}

// of returns the value that the path leads to, or a list of the values that a path with [] leads to. It returns nil
// without a value.
func (p route) of(v *jsontree.Value) *jsontree.Value {
	for i, s := range p {
		switch {
		case s.all:
			return p[i+1:].each(v)
		case s.named:
			v = v.Get(s.name)
		default:
			v = v.At(s.element)
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// each returns the list of what the path leads to from each element of an array, or from each member of an object.
func (p route) each(v *jsontree.Value) *jsontree.Value {
	if !v.IsArray() && !v.IsObject() {
		return nil
	}
	inside := slices.Clone(v.List())
	for _, m := range v.Members {
		inside = append(inside, m.Value)
	}
	list := jsontree.Array()
	list.Offset = v.Offset
	found := len(inside) == 0
	for _, item := range inside {
		to := p.of(item)
		switch {
		case to == nil:
			continue
		case slices.ContainsFunc(p, func(s step) bool { return s.all }):
			list.Items = append(list.Items, to.Items...)
		default:
			list.Items = append(list.Items, to)
		}
		found = true
	}
	if !found {
		return nil
	}
	return list
}

// String returns the path as it is written.
func (p route) String() string {
	text := ""
	for _, s := range p {
		switch {
		case s.all:
			text += "[]"
		case !s.named:
			text += fmt.Sprintf("[%d]", s.element)
		case strings.ContainsAny(s.name, ".[\"") || s.name == "":
			text += ".[" + strconv.Quote(s.name) + "]"
		default:
			text += "." + s.name
		}
	}
	if !strings.HasPrefix(text, ".") {
		text = "." + text
	}
	return text
}

// column returns the way to a column of CSV.
func column(name string) route { return route{{name: name, named: true}} }
