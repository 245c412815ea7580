// This file selects the values of sub-fields. Engines count equal numbers of an item as often as it has them, and read
// more texts as dates and numbers than a release does.

package layout

import (
	"math"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/wire/jsoncursor"
)

// parsers read texts as values of a type, as bits that are equal for equal values.
var parsers = map[string]func(text string) (bits uint64, ok bool){
	"long": func(text string) (uint64, bool) {
		n, ok := analysis.ReadLong(text)
		return uint64(n), ok
	},
	"double": func(text string) (uint64, bool) {
		f, ok := analysis.ReadDouble(text)
		return math.Float64bits(f), ok
	},
	"float": func(text string) (uint64, bool) {
		f, ok := analysis.ReadDouble(text)
		single := float32(f) + 0 // -0 is 0
		return uint64(math.Float32bits(single)), ok && !math.IsInf(float64(single), 0)
	},
	"date": func(text string) (uint64, bool) {
		ms, ok := analysis.ReadDate(text)
		return uint64(ms), ok
	},
	"boolean": func(text string) (uint64, bool) {
		n, ok := analysis.ReadBool(text)
		return uint64(n), ok
	},
}

// Reads reports whether a text is a value of a type of numbers, dates or booleans.
func Reads(typ, text string) bool {
	parse := parsers[typ]
	if parse == nil {
		return false
	}
	_, ok := parse(text)
	return ok
}

// read returns the JSON of the values that a sub-field has, each once if they are parsed and not to be repeated.
func (s *subTarget) read(values [][]byte, repeated bool) [][]byte {
	repeated = repeated && s.sub != Own
	if s.parse == nil || repeated && s.sub != "boolean" && s.sub != "date" { // an index refuses other booleans, and reads more dates
		return values
	}
	var kept [][]byte
	seen := make(map[uint64]struct{}, len(values))
	for _, v := range values {
		text := string(v)
		if v[0] == '"' {
			text = string(jsoncursor.Unquote(v))
		}
		bits, ok := s.parse(text)
		if _, twice := seen[bits]; ok && (repeated || !twice) {
			seen[bits], kept = struct{}{}, append(kept, v)
		}
	}
	return kept
}
