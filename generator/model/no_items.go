// This file recognises JSON that is not content: data and settings of a site, whose objects are not items.

package model

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
)

// missing begin the errors that each object has which was never meant to be an item.
var missing = []string{"ContentID is missing", "CreatedAt is missing", "Name is missing", "TemplateName is missing"}

// holdsNoItems reports whether the errors of a text only say that no object in it is an item, and the
// first has no field at all.
func (p *parser) holdsNoItems(text []byte) bool {
	isItem := func(i Item) bool { return i.ContentID != "" }
	isOther := func(d Diagnostic) bool {
		return !slices.ContainsFunc(missing, func(begin string) bool { return strings.HasPrefix(d.Message, begin) }) && !strings.Contains(d.Message, " is not a field, but ")
	}
	return !slices.ContainsFunc(p.items, isItem) && !slices.ContainsFunc(p.out.report.kept, isOther) && holdsObject(text) && documents.Itemless(text, true)
}

// holdsObject reports whether a text begins with an object that has members, perhaps in an array.
func holdsObject(text []byte) bool {
	at := jsoncursor.SkipSpace(text, 0)
	if at < len(text) && text[at] == '[' {
		at = jsoncursor.SkipSpace(text, at+1)
	}
	if at >= len(text) || text[at] != '{' {
		return false
	}
	at = jsoncursor.SkipSpace(text, at+1)
	return at < len(text) && text[at] != '}'
}

func (p *parser) noItems() Diagnostic {
	return Diagnostic{File: p.file.Name, Message: "this file has no items: its objects have no ContentID, Name, TemplateName and date",
		Hint: `if it is not content, list it under ignore in _environment.yaml; generator import json turns it into items`}
}
