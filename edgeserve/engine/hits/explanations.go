// This file writes explanations of scores.

package hits

import (
	"strconv"

	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
)

// Explanations returns a part that writes the explanations of a page, listed by place, and about
// their bytes.
func Explanations(list [][]byte) (part Part, size int) {
	for _, e := range list {
		size += len(e) + len(explanationMember)
	}
	return func(dst []byte, place int) ([]byte, error) {
		return append(append(dst, explanationMember...), list[place]...), nil
	}, size
}

const explanationMember = `,"_explanation":`

// AppendExplanation writes an explanation.
func AppendExplanation(dst []byte, e *scorer.Explanation) []byte {
	dst = append(dst, `{"value":`...)
	if e.Bits == 0 {
		dst = strconv.AppendInt(dst, int64(e.Value), 10)
	} else {
		dst = envelope.AppendFloat(dst, e.Value, e.Bits)
	}
	dst = envelope.JavaEscapes.AppendString(append(dst, `,"description":`...), e.Description)
	dst = append(dst, `,"details":[`...)
	for i := range e.Details {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendExplanation(dst, &e.Details[i])
	}
	return append(dst, "]}"...)
}
