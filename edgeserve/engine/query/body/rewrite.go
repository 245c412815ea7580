// This file parses `rewrite`: how the terms that a pattern or a misspelt word finds are scored.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"strconv"
	"strings"
)

var rewriteNames = map[string]query.RewriteKind{
	"constant_score": query.RewriteConstant, "constant_score_boolean": query.RewriteConstant, "scoring_boolean": query.RewriteScoring,
	"top_terms_": query.RewriteTop, "top_terms_boost_": query.RewriteTopBoost, "top_terms_blended_freqs_": query.RewriteTopBlended,
}

const rewriteValues = "constant_score, constant_score_boolean, scoring_boolean, top_terms_N, top_terms_boost_N or top_terms_blended_freqs_N"

func parseRewrite(p *parser, m *strictjson.Value) (r query.Rewrite) {
	if m.Kind == strictjson.Null {
		return r
	}
	name := p.text(m)
	digits := strings.IndexAny(name, "0123456789")
	if digits >= 0 {
		n, err := strconv.ParseInt(name[digits:], 10, 32)
		if err != nil || n < 1 {
			p.wrongValue(m, rewriteValues)
		}
		r.Top, name = int(min(n, lucene.MaxClauses)), name[:digits]
	}
	kind, ok := rewriteNames[name]
	if !ok || (kind >= query.RewriteTop) != (digits >= 0) {
		p.wrongValue(m, rewriteValues)
	}
	r.Kind, r.Clauses = kind, name == "constant_score_boolean"
	return r
}
