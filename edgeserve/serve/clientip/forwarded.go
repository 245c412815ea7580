// This file reads the field Forwarded of RFC 7239.

package clientip

import (
	"bytes"
	"net/netip"

	"contentedge/edgeserve/wire/httpfield"
)

// lastOfForwarded is lastOfList for elements in which quoted texts may have commas. It reads from the
// right, so that nothing that a client has written, as a quote without an end, hides what a proxy appends.
func lastOfForwarded(list []byte) (rest, element []byte, more bool) {
	quoted := false
	for i := len(list) - 1; i >= 0; i-- {
		switch {
		case list[i] == '"' && !escaped(list[:i]):
			quoted = !quoted
		case list[i] == ',' && !quoted:
			return list[:i], list[i+1:], true
		}
	}
	return nil, list, false
}

// escaped reports whether the byte after b is escaped: an odd number of backslashes ends b.
func escaped(b []byte) bool { return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1 }

// parseForwarded reads the address of the one `for` of an element.
func parseForwarded(element []byte) (netip.Addr, bool) {
	var node []byte
	for rest := element; len(rest) > 0; {
		var name, value []byte
		ok := true
		if name, value, rest, ok = cutPair(rest); !ok {
			return netip.Addr{}, false
		}
		if httpfield.FoldEqual(name, "for") {
			if node != nil {
				return netip.Addr{}, false
			}
			node = value
		}
	}
	if len(node) == 0 {
		return netip.Addr{}, false
	}
	return parseNode(node)
}

// cutPair cuts `name=value` and its semicolon off an element. A value may be quoted. Pairs may be empty.
func cutPair(b []byte) (name, value, rest []byte, ok bool) {
	b = httpfield.TrimSpace(b)
	if len(b) == 0 || b[0] == ';' {
		return nil, nil, b[min(1, len(b)):], true
	}
	name, value, ok = bytes.Cut(b, []byte("="))
	if !ok || !httpfield.IsToken(name) {
		return nil, nil, nil, false
	}
	if len(value) == 0 || value[0] != '"' {
		value, rest, _ = bytes.Cut(value, []byte(";"))
		return name, httpfield.TrimSpace(value), rest, true
	}
	end := 1
	for end < len(value) && (value[end] != '"' || escaped(value[1:end])) {
		end++
	}
	if end == len(value) {
		return nil, nil, nil, false
	}
	value, rest = value[1:end], httpfield.TrimSpace(value[end+1:])
	if len(rest) > 0 && rest[0] != ';' {
		return nil, nil, nil, false
	}
	return name, value, rest[min(1, len(rest)):], true
}
