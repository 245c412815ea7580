// This file parses the page that a body asks for.

package query

import (
	"fmt"

	"contentedge/edgeserve/wire/problem"
)

// CheckWindow rejects a window whose end exceeds MaxWindow.
func (b *Body) CheckWindow() error {
	if b.From+b.Size <= MaxWindow {
		return nil
	}
	return &Error{Code: problem.BadFrom, Parameter: "from", Position: -1, Evaluated: true, Message: fmt.Sprintf("from + size must be at most %d, not %d", MaxWindow, b.From+b.Size)}
}

func (p *bodyParser) fromMember(b *Body, m *value) {
	b.From, b.HasFrom = p.window(m, problem.BadFrom, 0)
}

func (p *bodyParser) sizeMember(b *Body, m *value) {
	b.Size, b.HasSize = p.window(m, problem.BadSize, DefaultSize)
}

// window parses from or size. The value -1 selects the default, unset.
func (p *bodyParser) window(v *value, code string, unset int) (n int, given bool) {
	n = p.integer(v, -1)
	switch {
	case n == -1 || p.err != nil:
		return unset, false
	case n > MaxWindow:
		p.fail(v, code, "%s must be at most %d, not %d: from + size has this limit", v.name, MaxWindow, n)
		p.err.Evaluated = true // the body can be parsed
		return unset, false
	}
	return n, true
}
