// This file writes the JSON of aggregations: strings and numbers.

package aggs

import (
	"strings"

	"contentedge/edgeserve/envelope"
)

func appendJSONString(dst []byte, s string) []byte {
	return envelope.JavaEscapes.AppendString(dst, strings.ToValidUTF8(s, "\ufffd"))
}

func appendDouble(dst []byte, f float64) []byte { return envelope.AppendFloat(dst, f, 64) }
