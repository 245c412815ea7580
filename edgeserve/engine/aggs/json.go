// This file writes the JSON of aggregations: strings and numbers.

package aggs

import (
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/wire/envelope"
)

func appendJSONString(dst []byte, s string) []byte {
	return envelope.JavaEscapes.AppendString(dst, strings.ToValidUTF8(s, "\ufffd"))
}

// appendJSONBytes writes text as appendJSONString does.
func appendJSONBytes(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		return appendJSONString(dst, string(text))
	}
	return envelope.JavaEscapes.AppendBytes(dst, text)
}

func appendDouble(dst []byte, f float64) []byte { return envelope.AppendFloat(dst, f, 64) }
