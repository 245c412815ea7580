// This file writes the values that a document was sorted by, as Elasticsearch does beside each
// hit.

package search

import (
	"math"
	"strconv"

	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/snapshot"
)

// SortValues writes the sort values of documents. It is not safe for concurrent use.
type SortValues struct {
	keys []sortValue
	buf  []byte
}

// sortValue is a sort key with its values; without any for the score, for the document number
// and for a field that no item has.
type sortValue struct {
	fields.Target
	name string
	asc  bool
}

// NewSortValues returns the values of the keys of a body.
func NewSortValues(r *snapshot.Reader, keys []query.SortKey) *SortValues {
	s := &SortValues{}
	for _, k := range keys {
		t, _ := fields.Resolver{Reader: r}.Resolve(k.Field)
		s.keys = append(s.keys, sortValue{t, k.Field, k.Asc})
	}
	return s
}

// Append writes the values of a document as a JSON array.
func (s *SortValues) Append(dst []byte, doc snapshot.DocID, score float32) []byte {
	dst = append(dst, '[')
	for i := range s.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch k := &s.keys[i]; {
		case k.name == "_score" && k.Values == nil:
			dst = envelope.AppendFloat(dst, float64(score), 32)
		case k.name == "_doc" && k.Values == nil:
			dst = strconv.AppendUint(dst, uint64(doc), 10)
		case k.Values == nil:
			dst = append(dst, "null"...)
		default:
			dst = s.value(dst, k, doc)
		}
	}
	return append(dst, ']')
}

// value writes the least value of a document, or the greatest one if the key descends.
func (s *SortValues) value(dst []byte, k *sortValue, doc snapshot.DocID) []byte {
	column := k.Values.Column()
	ord := column.Least(doc)
	if !k.asc {
		ord = column.Greatest(doc)
	}
	missing := ord == column.Distinct
	switch {
	case !k.Kind.Typed() && missing:
		return append(dst, "null"...)
	case !k.Kind.Typed():
		s.buf = k.Values.Strings().At(ord, s.buf[:0])
		return envelope.JavaEscapes.AppendString(dst, string(s.buf))
	case k.Kind.IsFraction() && missing:
		return envelope.AppendFloat(dst, math.Inf(direction(k.asc)), 64)
	case k.Kind.IsFraction():
		return envelope.AppendFloat(dst, k.Values.Numbers().Float(ord), k.Kind.Bits())
	case missing && k.asc:
		return strconv.AppendInt(dst, math.MaxInt64, 10)
	case missing:
		return strconv.AppendInt(dst, math.MinInt64, 10)
	}
	return strconv.AppendInt(dst, k.Values.Numbers().Int(ord), 10)
}

// direction is the sign of the value that stands for none: it comes last.
func direction(asc bool) int {
	if asc {
		return 1
	}
	return -1
}
