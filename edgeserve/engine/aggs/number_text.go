// This file writes the numbers of aggregations as texts: by a format of the body, or by the kind of the field.

package aggs

import (
	"math"
	"strconv"
	"time"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
)

// numberText writes a number as a JSON string. Nil: numbers have no text.
type numberText func(dst []byte, f float64) []byte

// numberText returns how an aggregation writes numbers of its field.
func (s *valuesSource) numberText(agg *query.Agg, path string) (numberText, error) {
	switch {
	case s.kind == fields.Date && (s.v != nil || agg.Values.Format == "" && agg.Values.ValueType != ""):
		write, err := DateFormat(agg.Values.Format, time.UTC)
		if err != nil {
			return nil, badAgg(path, agg, "format", "%s", err)
		}
		return func(dst []byte, f float64) []byte { return write(dst, query.LongOf(f)) }, nil
	case agg.Values.Format == "" && s.kind == fields.Boolean && s.v != nil:
		return func(dst []byte, f float64) []byte { return strconv.AppendQuote(dst, strconv.FormatBool(f != 0)) }, nil
	}
	return patternText(agg, path)
}

// patternText returns how an aggregation writes numbers by its format, if it has one.
func patternText(agg *query.Agg, path string) (numberText, error) {
	if agg.Values.Format == "" {
		return nil, nil
	}
	return numberFormat(agg, path)
}

// single writes the result of an aggregation of one number. NaN is written as null.
func (t numberText) single(dst []byte, f float64) []byte {
	if math.IsNaN(f) {
		return append(dst, `{"value":null}`...)
	}
	dst = appendDouble(append(dst, `{"value":`...), f)
	if t != nil {
		dst = t(append(dst, `,"value_as_string":`...), f)
	}
	return append(dst, '}')
}
