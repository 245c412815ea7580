// This file writes the values that a document was sorted by.

package hits

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

// Append writes the value of a document. score is the score of the hit.
func (k *SortKey) Append(dst []byte, d snapshot.DocID, score float32) []byte {
	switch k.Form {
	case SortScore:
		return envelope.AppendFloat(dst, float64(score), 32)
	case SortDocument:
		return strconv.AppendUint(dst, uint64(d), 10)
	case sortText:
		return k.appendText(dst, d)
	case sortLong:
		return strconv.AppendInt(dst, bitsLong(k.bits(d)), 10)
	}
	size := 64
	if k.Form == sortFloat {
		size = 32
	}
	return envelope.AppendFloat(dst, bitsDouble(k.bits(d)), size)
}

func (k *SortKey) appendText(dst []byte, d snapshot.DocID) []byte {
	if k.target.Values != nil {
		if ord := k.ordinal(d); ord != k.target.Values.Column().Distinct {
			k.shown = k.target.Values.Strings().At(ord, k.shown[:0])
			return envelope.JavaEscapes.AppendBytes(dst, k.shown)
		}
	}
	if k.place == 0 || k.place == math.MaxUint32 {
		return append(dst, "null"...)
	}
	return envelope.JavaEscapes.AppendBytes(dst, k.text)
}
