// Package explain holds explanations of scores: trees of numbers, each with a description in the words of
// Elasticsearch and Lucene. It computes no score. Package scorer gives it the values that Scorers have computed, and
// package compile gives it the texts of queries.
//
//	explain.go   the tree, and its JSON
//	bm25.go      the score of a term, a phrase or a span
//	functions.go the functions of function_score, and the second score of a rescore
package explain

import (
	"strconv"

	"contentedge/edgeserve/wire/envelope"
)

// Explanation is a number, its description and the explanations of the numbers that it was computed from.
type Explanation struct {
	Value       float64
	Bits        int // precision of the number: 32 or 64; 0 for it is an integer
	Description string
	Details     []Explanation
	Matches     bool
}

// Because explains a number of 32 bits of an item that matches.
func Because(value float32, description string, details ...Explanation) Explanation {
	return Explanation{Value: float64(value), Bits: 32, Description: description, Details: details, Matches: true}
}

// Number is an integer that needs no details.
func Number(n int64, description string) Explanation {
	return Explanation{Value: float64(n), Description: description, Matches: true}
}

// NoMatch explains why an item does not match.
func NoMatch(description string, details ...Explanation) Explanation {
	return Explanation{Bits: 32, Description: description, Details: details}
}

// Append writes an explanation as JSON.
func (e *Explanation) Append(dst []byte) []byte {
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
		dst = e.Details[i].Append(dst)
	}
	return append(dst, "]}"...)
}

// Float prints a number of 32 bits as Java does.
func Float(f float32) string { return string(envelope.AppendFloat(nil, float64(f), 32)) }

// Double prints a number of 64 bits as Java does.
func Double(f float64) string { return string(envelope.AppendFloat(nil, f, 64)) }
