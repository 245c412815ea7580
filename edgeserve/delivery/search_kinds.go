// This file names the kinds of searches for the metrics.

package delivery

import "contentedge/edgeserve/query"

const (
	// kindList is the kind of search of a list without a file.
	kindList = "list"
	// kindAll is also the kind of a search without a query.
	kindAll = "match_all"
)

// searchKinds are the kinds of queries.
var searchKinds = []struct {
	name string
	is   func(query.Node) bool
}{
	{kindAll, isA[*query.MatchAll]}, {"match_none", isA[*query.MatchNone]}, {"bool", isA[*query.Bool]},
	{"term", isA[*query.Term]}, {"terms", isA[*query.Terms]}, {"prefix", isA[*query.Prefix]}, {"wildcard", isA[*query.Wildcard]},
	{"range", isA[*query.Range]}, {"exists", isA[*query.Exists]}, {"ids", isA[*query.IDs]}, {"match", isA[*query.Match]},
	{"match_phrase", isA[*query.MatchPhrase]}, {"match_phrase_prefix", isA[*query.MatchPhrasePrefix]},
	{"multi_match", isA[*query.MultiMatch]}, {"constant_score", isA[*query.ConstantScore]},
	{"query_string", isA[*query.QueryString]}, {"simple_query_string", isA[*query.SimpleQueryString]},
}

func isA[T query.Node](n query.Node) bool {
	_, ok := n.(T)
	return ok
}

// kindOf names the query at the top of a search.
func kindOf(n query.Node) string {
	if n == nil {
		return kindAll
	}
	for _, kind := range searchKinds {
		if kind.is(n) {
			return kind.name
		}
	}
	return "other"
}

// kindNames are the results of kindOf that are counted apart, and kindList.
func kindNames() []string {
	names := []string{kindList}
	for _, kind := range searchKinds {
		names = append(names, kind.name)
	}
	return names
}
