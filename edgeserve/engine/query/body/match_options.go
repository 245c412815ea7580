// This file parses fuzziness and minimum_should_match, which have a syntax of their own.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"math"
)

func parseFuzziness(p *parser, v *strictjson.Value) query.Fuzziness {
	const want = "AUTO, AUTO:low,high, 0, 1 or 2"
	if v.Kind != strictjson.String && v.Kind != strictjson.Number {
		p.wrongValue(v, want)
		return query.Fuzziness{}
	}
	f, err := query.ParseFuzziness(v.Text)
	if err != nil || f.Edits < 0 {
		p.wrongValue(v, want)
	}
	return f
}

// minMatch validates minimum_should_match and returns it as written.
func parseMinMatch(p *parser, v *strictjson.Value) string {
	s := p.text(v)
	if _, err := query.MinMatch(s, math.MaxInt16); p.err == nil && err != nil {
		p.wrongValue(v, `an integer, a percentage or conditions like "2<75%"`)
	}
	return s
}
