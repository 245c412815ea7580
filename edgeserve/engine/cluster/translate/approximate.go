// This file says which searches are approximate at a cluster: on several shards searches in which a shard decides by
// what it has itself, and on any index searches that a cluster estimates.

package translate

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
)

// The families of approximate queries and aggregations.
const (
	reasonWords     = "words that a prefix or a misspelt word stands for" // a shard takes the best of its own
	reasonFields    = "words that count as common in several fields"      // by the shard's own counts
	reasonPhrases   = "scores of phrases and spans"                       // a shard with none of the words leaves its items out of the statistics
	reasonSimilar   = "items that are like others"                        // terms are chosen by the shard's own counts
	reasonRandom    = "random scores"                                     // the number of a shard is a part of the seed
	reasonEarly     = "searches that end early"                           // each shard counts for itself
	reasonRescore   = "rescored hits"                                     // each shard rescores a window of its own
	reasonSuggest   = "suggestions"                                       // by the shard's own counts
	reasonTerms     = "terms in another order than by count or key"       // a shard offers the best of its own
	reasonLeast     = "terms with a least count"                          // a shard does not know it, so other counts differ
	reasonRare      = "rare terms"                                        // rare on a shard may be frequent on another
	reasonQuantiles = "percentiles and deviations from the median"        // digests are merged
	reasonSample    = "samples"                                           // each shard has one of its own
	reasonUnusual   = "significant terms"                                 // chosen by each shard
	reasonIntervals = "intervals of dates that the values decide"         // decided by each shard

	// An item with several values in a bucket counts there once for each, with any number of shards.
	reasonCombinations = "combinations by intervals of numbers or dates"
)

// Explanations are approximate on several shards: each has its own statistics, and they name documents of a shard.
const Explanations = "explanations"

// Reasons that a response may show.
const (
	TermsLeft      = "terms of which a shard has too many"      // a bound of their error is not 0
	DistinctValues = "numbers of more than 250 distinct values" // estimated by a cluster, with any number of shards

	// LongTexts are not keywords of an index, with any number of shards. The response says whether it shows a cut sort
	// value.
	LongTexts = "whole texts of more than 10,922 characters"
)

// ExactCount is up to which number a cluster counts distinct values. It compares hashes of 25 bits, so of 250 values two
// have one hash, and count once, in a thousandth of all sets.
const ExactCount = 250

// The numbers of items up to which a digest keeps each value, so that percentiles are exact: half of the values that
// it keeps, which is 20 times its compression, because items may have several values.
const (
	exactQuantiles         = 10 * compression
	exactQuantilesInBucket = 10 * defaultCompression
)

// family is why a part of a body is approximate.
type family struct {
	reason string
	holds  func(p query.Part) bool
}

// families are in the order in which reasons are told.
var families = []family{
	{reasonWords, expands},
	{reasonFields, func(p query.Part) bool {
		kind, _ := fieldsType(p)
		return kind == query.CrossFields
	}},
	{reasonPhrases, phrases},
	{reasonSimilar, is[*query.MoreLikeThis]},
	{reasonRandom, func(p query.Part) bool {
		n, ok := p.(*query.FunctionScore)
		return ok && slices.ContainsFunc(n.Functions, func(f query.ScoreFunction) bool { return f.Kind == "random_score" })
	}},
	{reasonEarly, func(p query.Part) bool {
		b, ok := p.(*query.Body)
		return ok && b.TerminateAfter > 0
	}},
	{reasonRescore, func(p query.Part) bool {
		b, ok := p.(*query.Body)
		return ok && len(b.Rescore) > 0
	}},
	{Explanations, func(p query.Part) bool {
		b, ok := p.(*query.Body)
		return ok && b.Show.Explain
	}},
	{reasonSuggest, is[*query.Suggestion]},
	{reasonTerms, func(p query.Part) bool {
		a := aggOf(p)
		return a != nil && a.Kind == query.AggTerms && !safeOrder(a)
	}},
	{reasonLeast, func(p query.Part) bool {
		a := aggOf(p)
		return a != nil && a.Kind == query.AggTerms && a.Buckets.MinDocCount > 1
	}},
	{reasonRare, aggregates(query.AggRareTerms)},
	{reasonQuantiles, aggregates(query.AggPercentiles, query.AggPercentileRanks, query.AggMedianAbsoluteDeviation)},
	{reasonSample, aggregates(query.AggSampler)},
	{reasonUnusual, aggregates(query.AggSignificantTerms)},
	{reasonIntervals, aggregates(query.AggAutoDates)},
	{reasonCombinations, func(p query.Part) bool {
		c, ok := p.(*query.Composite)
		return ok && slices.ContainsFunc(c.Sources, func(s query.CompositeSource) bool { return s.Kind != query.AggTerms })
	}},
}

// Approximate returns why the response to a body is approximate on an index of so many shards and items, a reason for
// each family of queries and aggregations; nil if it is exact. TermsLeft, DistinctValues and LongTexts are reasons that
// the response may add. Sums of fractions count as exact, although several shards add them in another order: CLUSTER.md
// says so.
func Approximate(body *query.Body, fields Fields, shards, items int) (reasons []string) {
	found := make([]bool, len(families))
	note := func(p query.Part) {
		for i, f := range families {
			found[i] = found[i] || (shards > 1 || f.reason == reasonCombinations) && f.holds(p)
		}
	}
	if shards > 1 || len(body.Aggs) > 0 {
		query.Walk(body, note)
	}
	if shards <= 1 && estimates(body.Aggs, items, false) {
		reasons = append(reasons, reasonQuantiles)
	}
	for i, f := range families {
		if found[i] {
			reasons = append(reasons, f.reason)
		}
	}
	if fields.readsLong(body) {
		reasons = append(reasons, LongTexts)
	}
	return reasons
}

// estimates reports whether a digest of one of the aggregations may have more values than it keeps.
func estimates(list []query.Agg, items int, inBuckets bool) bool {
	return slices.ContainsFunc(list, func(a query.Agg) bool {
		exact := items
		switch a.Kind {
		case query.AggPercentiles, query.AggPercentileRanks:
			if o, ok := a.Options.(*query.Percentiles); ok && o.HDR {
				break // a release has this histogram
			}
			if exact = exactQuantiles; inBuckets {
				exact = exactQuantilesInBucket
			}
		case query.AggMedianAbsoluteDeviation:
			exact = exactQuantiles // its default compression is the default of compression
		}
		return items > exact || estimates(a.Subs, items, true)
	})
}

// Reasons returns all reasons why results are approximate, for pages and for comparisons.
func Reasons() (all []string) {
	for _, f := range families {
		all = append(all, f.reason)
	}
	return append(all, TermsLeft, DistinctValues, LongTexts)
}

// is reports whether a part has a type.
func is[T query.Part](p query.Part) bool {
	_, ok := p.(T)
	return ok
}

// aggregates returns a function that reports whether a part is an aggregation of one of the types.
func aggregates(kinds ...query.AggKind) func(query.Part) bool {
	return func(p query.Part) bool {
		a := aggOf(p)
		return a != nil && slices.Contains(kinds, a.Kind)
	}
}

// aggOf returns the aggregation that a part is, or nil. The sources of a composite are exact: their buckets are ordered
// by key, and no shard leaves out one that comes first.
func aggOf(p query.Part) *query.Agg {
	a, _ := p.(*query.Agg)
	return a
}

// safeOrder reports whether a shard that offers its first terms offers the terms that come first in all shards.
func safeOrder(a *query.Agg) bool {
	if len(a.Buckets.Order) == 0 {
		return true
	}
	first := a.Buckets.Order[0]
	return first.Path == "_key" || first.Path == "_count" && !first.Asc
}

// fieldsType returns how a query of several fields combines them.
func fieldsType(p query.Part) (kind query.FieldsType, ok bool) {
	switch n := p.(type) {
	case *query.MultiMatch:
		return n.Kind, true
	case *query.QueryString:
		return n.Kind, true
	}
	return 0, false
}

// expands reports whether a query scores the terms that a prefix, a pattern or a misspelt word stands for, or takes
// only some such terms.
func expands(p query.Part) bool {
	if kind, ok := fieldsType(p); ok && kind == query.PhrasePrefix {
		return true
	}
	switch n := p.(type) {
	case *query.Fuzzy, *query.MatchPhrasePrefix:
		return true
	case *query.Match:
		return n.Fuzziness != nil
	case *query.MatchBoolPrefix:
		return n.Fuzziness != nil
	case *query.MultiMatch:
		return n.Fuzziness != nil
	case *query.Prefix:
		return !n.Rewrite.IsConstant()
	case *query.Wildcard:
		return !n.Rewrite.IsConstant()
	case *query.Regexp:
		return !n.Rewrite.IsConstant()
	case *query.QueryString:
		return !n.Rewrite.IsConstant() || misspelt(n.Expr)
	case *query.SimpleQueryString:
		return misspelt(n.Expr)
	case *query.Span:
		return n.Kind == "span_multi"
	}
	return false
}

// phrases reports whether a query scores phrases or spans.
func phrases(p query.Part) bool {
	if kind, ok := fieldsType(p); ok && (kind == query.Phrase || kind == query.PhrasePrefix) {
		return true
	}
	switch n := p.(type) {
	case *query.MatchPhrase, *query.MatchPhrasePrefix, *query.Span:
		return true
	case *query.QueryString:
		return quoted(n.Expr)
	case *query.SimpleQueryString:
		return quoted(n.Expr)
	}
	return false
}

// quoted reports whether a query string has quoted text.
func quoted(g *lucene.Group) bool { return hasLeaf(g, lucene.LeafQuoted) }

// misspelt reports whether a query string has a word that may be misspelt.
func misspelt(g *lucene.Group) bool { return hasLeaf(g, lucene.LeafFuzzy) }

func hasLeaf(g *lucene.Group, kind lucene.LeafKind) bool {
	return g != nil && slices.ContainsFunc(g.Clauses, func(c lucene.Clause) bool {
		return c.Group != nil && hasLeaf(c.Group, kind) || c.Leaf != nil && c.Leaf.Kind == kind
	})
}
