// This file finds the place of an error in the text of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

// Locate returns the byte offset in a body that an error means, or -1 if there is none. Without a
// parameter, the error's position counts in the body. With one that names a string, it counts in that
// string. Else the parameter alone gives the place.
func Locate(raw []byte, e *query.Error) int {
	if e.Parameter != "" {
		return strictjson.Locate(string(raw), e.Parameter, e.Position)
	}
	if e.Position > len(raw) {
		return -1
	}
	return max(-1, e.Position)
}
