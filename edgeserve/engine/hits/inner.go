// This file writes inner_hits: the hits inside of a hit.

package hits

import (
	"strconv"

	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
)

// innerBytes is about the length of an inner search without its hits.
const innerBytes = 100

// appendInner writes the member inner_hits with a comma before it. Its hits have sources even in a response with items,
// because they have no place there.
func (w *Writer) appendInner(dst []byte, list []Inner, work *scorer.WorkLimit) (_ []byte, err error) {
	dst = append(dst, `,"inner_hits":{`...)
	for i := range list {
		in := &list[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = envelope.JavaEscapes.AppendString(dst, in.Name)
		dst = append(dst, `:{"hits":{`...)
		if in.AtLeast && !w.body.Totals.AsInt {
			dst = AppendLimit(dst, in.Total)
		} else {
			dst = AppendTotal(dst, in.Total, w.body.Totals.AsInt)
		}
		dst = AppendScore(append(dst, `"max_score":`...), in.Best)
		inner := w.innerWriter(in)
		if dst, err = inner.AppendAll(append(dst, `,"hits":`...), &in.Page, work); err != nil {
			return nil, err
		}
		dst = append(dst, "}}"...)
	}
	return append(dst, '}'), nil
}

// AppendTotal writes an exact total with a comma after it, as a number or with its relation.
func AppendTotal(dst []byte, n int, asInt bool) []byte {
	if asInt {
		return append(strconv.AppendInt(append(dst, `"total":`...), int64(n), 10), ',')
	}
	dst = strconv.AppendInt(append(dst, `"total":{"value":`...), int64(n), 10)
	return append(dst, `,"relation":"eq"},`...)
}

// AppendLimit writes a total that is the limit of counting, with a comma after it: more items match.
func AppendLimit(dst []byte, n int) []byte {
	dst = strconv.AppendInt(append(dst, `"total":{"value":`...), int64(n), 10)
	return append(dst, `,"relation":"gte"},`...)
}

func (w *Writer) innerWriter(in *Inner) *Writer {
	inner := NewWriter(w.index, in.Body)
	inner.bare = w.bare
	return inner
}

// innerSize is about the number of bytes that appendInner writes.
func (w *Writer) innerSize(list []Inner) (n int) {
	for i := range list {
		n += innerBytes + len(list[i].Name) + w.innerWriter(&list[i]).Size(&list[i].Page)
	}
	return n
}
