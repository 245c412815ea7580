// This file writes the queries that look for exact terms, patterns and similar words.

package encode

import (
	"strings"

	"contentedge/edgeserve/engine/query"
)

func ids(n *query.IDs) object {
	o := object{}
	texts(o, "values", n.Values)
	return o
}

func (e *encoder) term(n *query.Term) object {
	o := object{"value": e.value(n.Value)}
	flag(o, "case_insensitive", n.CaseInsensitive)
	return o
}

func (e *encoder) terms(n *query.Terms) object {
	o := object{}
	if n.Field == "boost" || n.Field == "_name" {
		e.fail("no terms query can name the field %q, the name of an option", n.Field)
	}
	if n.Lookup != nil {
		e.member(o, n.Field, object{"index": n.Lookup.Index, "id": n.Lookup.ID, "path": n.Lookup.Path})
	} else {
		e.member(o, n.Field, e.values(n.Values))
	}
	return o
}

func (e *encoder) bounds(n *query.Range) object {
	o := object{}
	e.optional(o, "gt", n.Gt)
	e.optional(o, "gte", n.Gte)
	e.optional(o, "lt", n.Lt)
	e.optional(o, "lte", n.Lte)
	if n.Gt != nil && n.Gte != nil || n.Lt != nil && n.Lte != nil {
		e.fail("a range has two bounds at one side")
	}
	text(o, "format", n.Format)
	text(o, "time_zone", n.TimeZone)
	return o
}

func (e *encoder) prefix(n *query.Prefix) object {
	o := object{"value": n.Value}
	flag(o, "case_insensitive", n.CaseInsensitive)
	e.rewrite(o, "rewrite", n.Rewrite)
	return o
}

func (e *encoder) wildcard(n *query.Wildcard) object {
	o := object{"value": n.Pattern}
	if n.CaseInsensitive != nil {
		o["case_insensitive"] = *n.CaseInsensitive
	}
	e.rewrite(o, "rewrite", n.Rewrite)
	return o
}

func (e *encoder) regexp(n *query.Regexp) object {
	o := object{"value": n.Pattern}
	integer(o, "flags_value", n.Flags, query.RegexpFlags)
	flag(o, "case_insensitive", n.CaseInsensitive)
	e.rewrite(o, "rewrite", n.Rewrite)
	return o
}

func (e *encoder) fuzzy(n *query.Fuzzy) object {
	o := object{"value": e.value(n.Value)}
	e.spelling(o, "", n.Spelling)
	e.rewrite(o, "rewrite", n.Rewrite)
	fuzziness(o, &n.Fuzziness, true)
	return o
}

// fuzziness sets fuzziness. auto reports whether a query that does not say it has the fuzziness AUTO.
func fuzziness(o object, f *query.Fuzziness, auto bool) {
	switch {
	case f == nil || auto && *f == query.AutoFuzziness:
	case *f == query.AutoFuzziness:
		o["fuzziness"] = "AUTO"
	case f.Auto:
		o["fuzziness"] = "AUTO:" + string(whole(f.Low)) + "," + string(whole(f.High))
	default:
		o["fuzziness"] = whole(f.Edits)
	}
}

// spelling sets the options of misspelt words, whose names begin with fuzzy in some queries. How they score has
// another name in each query: rewrite writes it.
func (e *encoder) spelling(o object, prefix string, s query.Spelling) {
	integer(o, prefix+"prefix_length", s.PrefixLength, 0)
	integer(o, prefix+"max_expansions", s.MaxExpansions, query.DefaultExpansions)
	flagOff(o, prefix+"transpositions", s.NoTranspositions)
}

// rewriteNames are the names of methods by their kind. The number of terms follows some names.
var rewriteNames = [...]string{
	query.RewriteConstant: "constant_score", query.RewriteScoring: "scoring_boolean",
	query.RewriteTop: "top_terms_", query.RewriteTopBoost: "top_terms_boost_", query.RewriteTopBlended: "top_terms_blended_freqs_",
}

func (e *encoder) rewrite(o object, name string, r query.Rewrite) {
	if r == (query.Rewrite{}) {
		return
	}
	method := rewriteNames[r.Kind]
	if strings.HasSuffix(method, "_") != (r.Top > 0) || r.Clauses && r.Kind != query.RewriteConstant {
		e.fail("no body can hold the rewrite method %+v", r)
	}
	if r.Top > 0 {
		method += string(whole(r.Top))
	}
	if r.Clauses {
		method = "constant_score_boolean"
	}
	o[name] = method
}
