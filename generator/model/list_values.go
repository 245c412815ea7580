// This file finds the values of items at the paths of Data that lists are written for.

package model

import (
	"slices"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
)

// ListValue is a whole value of an item at one of Options.ListPaths.
type ListValue struct{ Path, Text string }

// ListValues are the different values of an item at a path of Options.ListPaths.
func (it *Item) ListValues(path string) (texts []string) {
	if it.Listed == nil {
		return nil
	}
	for _, v := range *it.Listed {
		if v.Path == path && !slices.Contains(texts, v.Text) {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

// listValues reads the values of an item at the paths, or returns nil.
func (p *parser) listValues(d *draft) *[]ListValue {
	if len(p.opts.ListPaths) == 0 {
		return nil
	}
	var values []ListValue
	p.walkData(d, func(l *mapping.Leaf) {
		i := slices.Index(p.opts.ListPaths, l.Path.Name)
		if i < 0 {
			return
		}
		text := l.Text
		if l.Kind == mapping.String && !l.Plain {
			text = jsoncursor.AppendUnquoted(nil, l.Text)
		}
		values = append(values, ListValue{p.opts.ListPaths[i], string(text)})
	})
	if values == nil {
		return nil
	}
	return &values
}
