// This file has what lists of the items that refer to an item have in common, in builds and in responses.

package include

import (
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
)

// MaxUsedIn is how many of the items that refer to an item its list shows: the first in the default order. The list's
// total counts all referring items. A page that shows where an item is used needs no more, and the list has less than 1
// MiB.
const MaxUsedIn = 1000

// NewReferrerFilter returns a filter that keeps what such a list shows of an item.
func NewReferrerFilter() *envelope.SourceFilter {
	return envelope.NewSourceFilter([]string{address.FieldContentID, address.FieldName, address.FieldTemplateName}, nil)
}

// RefersTo reports whether an item refers to an id. It returns the steps of finding out.
func RefersTo(item []byte, id string) (refers bool, steps int) {
	envelope.References(item, func(_, other []byte) bool {
		refers = refers || string(other) == id
		return !refers
	})
	return refers, 1 + len(item)/bytesPerStep
}
