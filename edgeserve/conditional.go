// This file decides If-None-Match, apart from the server so that the rule of RFC 9110
// can be tested as a table.

package edgeserve

import "bytes"

// matchesTag reports whether an If-None-Match value names tag, by weak comparison,
// or is `*`. What follows a malformed entry is ignored.
func matchesTag(value []byte, tag string) bool {
	if string(trimOWS(value)) == "*" {
		return true
	}
	for {
		value = bytes.TrimLeft(value, " \t,")
		value = bytes.TrimPrefix(value, []byte("W/"))
		if len(value) < 2 || value[0] != '"' {
			return false
		}
		end := bytes.IndexByte(value[1:], '"')
		if end < 0 {
			return false
		}
		if string(value[:end+2]) == tag {
			return true
		}
		value = value[end+2:]
	}
}
