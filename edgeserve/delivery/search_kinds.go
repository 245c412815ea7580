// This file names the kinds of searches for the metrics.

package delivery

import "contentedge/edgeserve/query"

// kindList is the kind of search of a list without a file.
const kindList = "list"

// searchKinds are the results of kindOf, and kindList.
var searchKinds = []string{
	kindList, "match_all", "match_none", "bool", "term", "terms", "prefix", "wildcard",
	"range", "exists", "ids", "match", "match_phrase", "match_phrase_prefix", "multi_match", "constant_score",
	"query_string", "simple_query_string",
}

// kindOf names the query at the top of a search.
func kindOf(n query.Node) string {
	switch n.(type) {
	case nil, *query.MatchAll:
		return "match_all"
	case *query.MatchNone:
		return "match_none"
	case *query.Bool:
		return "bool"
	case *query.Term:
		return "term"
	case *query.Terms:
		return "terms"
	case *query.Prefix:
		return "prefix"
	case *query.Wildcard:
		return "wildcard"
	case *query.Range:
		return "range"
	case *query.Exists:
		return "exists"
	case *query.IDs:
		return "ids"
	case *query.Match:
		return "match"
	case *query.MatchPhrase:
		return "match_phrase"
	case *query.MatchPhrasePrefix:
		return "match_phrase_prefix"
	case *query.MultiMatch:
		return "multi_match"
	case *query.ConstantScore:
		return "constant_score"
	case *query.QueryString:
		return "query_string"
	case *query.SimpleQueryString:
		return "simple_query_string"
	}
	return "other"
}
