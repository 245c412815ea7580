// This file makes lists and numbers of texts, as the rules say.

package anyjson

import (
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/jsonscan"
)

// typed returns the value of a field with the type that the rules give it.
func (im *importer) typed(name string, v *jsontree.Value, place string) *jsontree.Value {
	if !v.IsString() {
		return v
	}
	separator, isList := im.rules.lists[name]
	if !isList {
		return im.number(name, v, place)
	}
	list := jsontree.Array()
	if strings.TrimSpace(v.Str()) == "" {
		return list
	}
	for part := range strings.SplitSeq(v.Str(), separator) {
		list.Items = append(list.Items, im.number(name, jsontree.String(strings.TrimSpace(part)), place))
	}
	return list
}

// number returns the number that a text is, if the rules say so. An empty text becomes null.
func (im *importer) number(name string, v *jsontree.Value, place string) *jsontree.Value {
	if !im.rules.numbers[name] {
		return v
	}
	switch text := strings.TrimSpace(v.Str()); {
	case text == "":
		return jsontree.Raw("null")
	case jsonscan.IsNumber(text):
		return jsontree.Raw(text)
	}
	im.j.Warn("values that the rules call numbers are not, and stay: "+name, place)
	return v
}
