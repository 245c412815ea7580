// This file counts repeated findings and reports each kind once, with its first place.

package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
)

// The kinds of warnings about items of every format.
var (
	otherID           = &documents.Kind{One: "the ContentID %s is not of the form Content_<uuid>", Many: "%d ContentIDs are not of the form Content_<uuid>", Note: true}
	emptyName         = &documents.Kind{One: "Name is empty", Many: "%d items have an empty Name"}
	emptyTemplateName = &documents.Kind{One: "TemplateName is empty", Many: "%d items have an empty TemplateName"}
	emptyStatus       = &documents.Kind{One: "the Status is empty", Many: "%d items have an empty Status", Hint: `leave it out for "Published"`}
)

// kinds are the kinds of this package, in the order in which they are reported. Kinds of a format come before them.
var kinds = []*documents.Kind{otherID, emptyName, emptyTemplateName, emptyStatus}

type repeated struct {
	kind   *documents.Kind
	count  int
	values []string // different ones, if the message about several names them
	first  Diagnostic
}

// maxValues bounds the values that a message names.
const maxValues = 10

// note adds the words of a value. They are separated as the message separates them.
func (r *repeated) note(words ...string) {
	for _, word := range words {
		if len(r.values) <= maxValues && !slices.Contains(r.values, word) {
			r.values = append(r.values, word)
		}
	}
}

// message returns the message about several findings.
func (r *repeated) message() string {
	list := strings.Join(r.values[:min(len(r.values), maxValues)], documents.ValueSeparator)
	if len(r.values) > maxValues {
		list += documents.ValueSeparator + "…"
	}
	return strings.NewReplacer("%v", strings.ReplaceAll(list, "%", "%%")).Replace(r.kind.Many)
}

// repeats are the repeated findings of a part or of all files: few, mostly none.
type repeats []repeated

func (r *repeats) add(more repeated) {
	for i := range *r {
		if (*r)[i].kind == more.kind {
			(*r)[i].count += more.count
			(*r)[i].note(more.values...)
			return
		}
	}
	more.values = slices.Clone(more.values)
	*r = append(*r, more)
}

func (r repeats) list() []Diagnostic {
	sorted := slices.SortedFunc(slices.Values(r), func(a, b repeated) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.kind), slices.Index(kinds, b.kind)), strings.Compare(a.kind.Many, b.kind.Many))
	})
	var list []Diagnostic
	for _, of := range sorted {
		list = append(list, summarize(of.first, of.count, of.message()))
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
