// This file finds the place of an error in the text of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

// Locate returns the byte offset of an error in a body, or -1 if it is unknown. If the error has no Parameter, its
// Position is that offset. If the Parameter names a string, the Position is an offset in that string. Otherwise the
// place is the place of the Parameter.
func Locate(raw []byte, e *query.Error) int {
	if e.Parameter != "" {
		return strictjson.Locate(string(raw), e.Parameter, e.Position)
	}
	if e.Position > len(raw) {
		return -1
	}
	return max(-1, e.Position)
}
