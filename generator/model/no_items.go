// This file recognises JSON that is no content: data and settings of a site, whose objects are no items.

package model

import (
	"slices"
	"strings"

	"contentedge/generator/source/jsonscan"
)

// missing begin the errors that each object has which was never meant to be an item.
var missing = []string{"ContentID is missing", "CreatedAt is missing", "Name is missing", "TemplateName is missing"}

// holdsNoItems reports whether the errors of a text only say that no object in it is an item, and the
// first has no field at all.
func (p *parser) holdsNoItems(text []byte) bool {
	isItem := func(i Item) bool { return i.ContentID != "" }
	isOther := func(d Diagnostic) bool {
		return !slices.ContainsFunc(missing, func(begin string) bool { return strings.HasPrefix(d.Message, begin) }) && !strings.Contains(d.Message, " is no field, but ")
	}
	return !slices.ContainsFunc(p.items, isItem) && !slices.ContainsFunc(p.out.report.kept, isOther) && fieldless(text)
}

// fieldless reports whether the first object of a text, perhaps in an array, has members, and none of
// them is a field, or an id or a template in another case. A name or a status is a member of much data.
func fieldless(text []byte) bool {
	at := jsonscan.SkipSpace(text, 0)
	if at < len(text) && text[at] == '[' {
		at = jsonscan.SkipSpace(text, at+1)
	}
	if at >= len(text) || text[at] != '{' {
		return false
	}
	members, fields := 0, 0
	jsonscan.Children(text, at, func(name []byte, at int) int {
		if members++; fieldOf([]byte(strings.Trim(string(name), `"`))) >= 0 || isIdentity(strings.Trim(string(name), `"`)) {
			fields++
		}
		return jsonscan.ValueEnd(text, at)
	})
	return members > 0 && fields == 0
}

func isIdentity(name string) bool {
	return equalFold(name, FieldNames[fieldContentID]) || equalFold(name, FieldNames[fieldTemplateName])
}

func (p *parser) noItems() Diagnostic {
	return Diagnostic{File: p.file.Name, Message: "this file has no items: its objects have no ContentID, Name, TemplateName and date",
		Hint: `if it is no content, begin its name with "_" or move it away; generator import json makes items of it`}
}
