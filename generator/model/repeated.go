// This file counts repeated warnings and reports each kind once, with its first place.

package model

import (
	"fmt"
	"strings"

	"contentedge/generator/source/documents"
)

type kind int

// The kinds, in the order in which they are reported.
const (
	otherID kind = iota
	emptyName
	emptyTemplateName
	emptyStatus
	kinds
)

// kindTexts are the messages for one place, with %s for the value, and for several.
var kindTexts = [kinds]struct{ one, many, hint string }{
	otherID:           {"the ContentID %s is not of the form Content_<uuid>", "%d ContentIDs are not of the form Content_<uuid>", ""},
	emptyName:         {"Name is empty", "%d items have an empty Name", ""},
	emptyTemplateName: {"TemplateName is empty", "%d items have an empty TemplateName", ""},
	emptyStatus:       {"the Status is empty", "%d items have an empty Status", `leave it out for "Published"`},
}

type repeated struct {
	kind  kind
	count int
	first Diagnostic
}

// repeats are the repeated warnings of a part or of all files: few, mostly none.
type repeats []repeated

func (r *repeats) add(more repeated) {
	for i := range *r {
		if (*r)[i].kind == more.kind {
			(*r)[i].count += more.count
			return
		}
	}
	*r = append(*r, more)
}

func (r repeats) list() []Diagnostic {
	var list []Diagnostic
	for k := range kinds {
		for _, of := range r {
			if of.kind == k {
				list = append(list, summarize(of.first, of.count, kindTexts[k].many))
			}
		}
	}
	return list
}

// summarize returns first for a count of 1, otherwise first with the message many, whose %d is the count.
func summarize(first Diagnostic, count int, many string) Diagnostic {
	if count > 1 {
		first.Message, first.Count = fmt.Sprintf(many, count), count
	}
	return first
}

func (p *parser) warn(k kind, at int, value string) {
	for i := range p.out.repeats {
		if p.out.repeats[i].kind == k {
			p.out.repeats[i].count++
			return
		}
	}
	d := Diagnostic{File: p.file.Name, Message: strings.Replace(kindTexts[k].one, "%s", documents.Quoted(value), 1), Hint: kindTexts[k].hint, Warning: true, Note: k == otherID}
	d.Line, d.Col = p.reader.Place(at)
	p.out.repeats = append(p.out.repeats, repeated{k, 1, d})
}
