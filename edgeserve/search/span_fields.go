// This file finds the field of a span query.

package search

import "contentedge/edgeserve/query"

// spanField is the field of a span query, or the one that it claims.
func spanField(n *query.Span) string {
	switch n.Kind {
	case "span_near", "span_or":
		return spanField(n.Clauses[0])
	case "span_containing", "span_within":
		return spanField(n.Other)
	case "span_first", "span_not":
		return spanField(n.Match)
	case "span_multi":
		return termsField(n.Terms)
	}
	return n.Field
}

// termsField is the field of a query that span_multi takes.
func termsField(n query.Node) string {
	switch n := n.(type) {
	case *query.Prefix:
		return n.Field
	case *query.Wildcard:
		return n.Field
	case *query.Range:
		return n.Field
	case *query.Fuzzy:
		return n.Field
	case *query.Regexp:
		return n.Field
	}
	return ""
}
