// This file parses the page that a body asks for.

package query

import (
	"contentedge/edgeserve/wire/problem"
	"fmt"
)

// CheckWindow rejects a window whose end exceeds MaxWindow.
func (b *Body) CheckWindow() error {
	if b.From+b.Size <= MaxWindow {
		return nil
	}
	return &Error{Code: problem.BadFrom, Parameter: "from", Position: -1, Evaluated: true, Message: fmt.Sprintf("from + size must be at most %d, not %d", MaxWindow, b.From+b.Size)}
}
