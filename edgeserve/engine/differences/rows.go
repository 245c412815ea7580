// This file is the table of the differences.

package differences

import (
	"slices"
	"strings"
	"unicode/utf16"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
)

// Rows returns all differences, in the order of the page.
func Rows() []Row { return slices.Concat(ofQueries, ofHits, ofAggregations, absent(), wrong) }

var ofQueries = []Row{
	{What: "types", Here: "all values of a path decide, not the first one"},
	{What: "`wildcard` on a path", Here: "matches the whole value without regard to case; on `path.keyword` as written", meets: func(s *search) bool {
		return s.anyUse(wildcard, func(u *use, t *fields.Target) bool { return u.clause && of(fields.Text)(t) })
	}},
	{What: "`wildcard`, `prefix`, regular expressions and fuzzy words on dates, numbers, booleans",
		Here:  "look at the whole text of a value: `{\"wildcard\":{\"CreatedAt\":\"2021-04*\"}}` finds that month",
		meets: func(s *search) bool { return s.anyUse(wildcard, inText) || s.anyUse(letters, inText) }},
	{What: "`match_phrase_prefix` on them, also as `type` of `multi_match` and `query_string`", Here: "looks at the words of that text, at all of a prefix; the score is only the boost",
		meets: func(s *search) bool { return s.anyUse(phrasePrefix, inText) }},
	{What: "quoted text that is not a value of the type", Here: "looks at the words of that text; the score is only the boost", meets: func(s *search) bool {
		return s.anyUse(quoted, func(u *use, t *fields.Target) bool { return inText(u, t) && !fits(u.text, t.Kind) })
	}},
	{What: "`.keyword`", Here: "no `ignore_above`", meets: func(s *search) bool {
		return slices.ContainsFunc(s.names, func(name string) bool { return s.anyTarget(name, s.hasLong) })
	}},
	{What: "integers beyond 64 bits, fractions beyond 32 bits in range", Here: "`exists` finds them; sorts and aggregations do not"},
	{What: "`format` of dates", Here: "a day of the year and an hour before or after noon can be an upper bound; an hour without a month keeps its year; a text that is not a whole date by one format is read by the next"},
	{What: "patterns and ranges of `_id`, `_index`, `_type`", Here: "look at their text", meets: func(s *search) bool {
		metadata := func(_ *use, t *fields.Target) bool { return t.Metadata && t.Kind == fields.Keyword }
		return s.anyUse(wildcard, metadata) || s.anyUse(letters, metadata) || s.anyUse(bounds, metadata)
	}},
}

var ofHits = []Row{
	{What: "hits", Here: "items in the interface's list envelope, and [hits](README.md#hits) in addition, only if asked for"},
	{What: "`totalItems`", Here: "always exact"},
	{What: "a sort by a field that no item has", Here: "sorts by nothing and shows `null`; Elasticsearch refuses it without `unmapped_type`", meets: func(s *search) bool {
		return slices.ContainsFunc(s.body.Order.Keys, func(k query.SortKey) bool {
			return k.Unmapped == "" && k.Field != "_score" && k.Field != "_doc" && !s.anyTarget(k.Field, func(*fields.Target) bool { return true })
		})
	}},
	{What: "`min_score` with a sort by a date or an integer", Here: "is compared with the query's score; without exact totals Elasticsearch looks at another score", meets: func(s *search) bool {
		return s.body.MinScore != nil && s.body.Totals.Limit != query.AllHits && len(s.body.Order.Keys) > 0 && s.anyTarget(s.body.Order.Keys[0].Field, of(fields.Date, fields.Long))
	}},
	{What: "ties", Here: "the default order, then `ContentID`; of phrase suggestions the words, where Elasticsearch lets digits decide that it does not show"},
	{What: "`highlight`", Here: "no limit of analyzed characters; `wildcard` on a path of text marks words, and all words of a value that it matches as a whole; `more_like_this` marks nothing with `plain`",
		meets: func(s *search) bool { return len(s.body.Show.Highlight) > 0 && s.marksOtherwise() }},
	{What: "errors", Here: "what fails in Elasticsearch with a 500 succeeds here or is a 400, for example span queries on whole values; a misspelt word of one letter, milliseconds before 1970 and an empty `_id` in `term` or `match` are not errors, nor is a `highlight_query` that marks nothing. " +
		"A value that does not fit is also an error next to a clause that can match nothing"},
}

var ofAggregations = []Row{
	{What: "`meta` of an aggregation", Here: "is in the response if the body has it; Elasticsearch adds an empty one around each query that its rewriting changes, for example a `range` that holds all dates or none, which depends on the other items"},
	{What: "equal numbers of an item", Here: "count once in aggregations", meets: func(s *search) bool {
		return s.anyAgg(func(a *placedAgg) bool {
			return a.Kind.Bucketing() == query.NoBuckets && s.several(a.Values.Field) && s.anyTarget(a.Values.Field, typed)
		})
	}},
	{What: "`after` of `composite` by a `format`",
		Here: "a JSON number is milliseconds, and `epoch_second` and `epoch_millis` count from 1970 in UTC, so that a walk in a `time_zone` ends; Elasticsearch reads both as clocks of the zone show them",
		meets: func(s *search) bool {
			return s.anySource(func(c *query.Composite, source *query.CompositeSource) bool {
				return c.After != nil && source.Values.Format != ""
			})
		}},
	{What: "values of an item in one bucket of `composite`", Here: "count once", meets: func(s *search) bool {
		return s.anySource(func(_ *query.Composite, source *query.CompositeSource) bool {
			return source.Kind != query.AggTerms && s.several(source.Values.Field)
		})
	}},
	{What: "`min_doc_count` of `significant_terms`, and of `terms` by another order than counts",
		Here: "chooses among all values; Elasticsearch among the first `shard_size`, so it lacks some", meets: func(s *search) bool {
			return s.anyAgg(func(a *placedAgg) bool { return a.Buckets.MinDocCount > 1 }, query.AggSignificantTerms) ||
				s.anyAgg(func(a *placedAgg) bool {
					return a.Buckets.MinDocCount > 1 && len(a.Buckets.Order) > 0 && a.Buckets.Order[0].Path != "_count"
				}, query.AggTerms)
		}},
	{What: "`auto_date_histogram` inside of several buckets",
		Here:  "each estimates its own interval; Elasticsearch corrects all estimates together, so near the limit of a unit it may choose another one",
		meets: func(s *search) bool { return s.anyAgg(isInside, query.AggAutoDates) }},
	{What: "dates of an item in one bucket of `auto_date_histogram`, and samplers inside of such buckets", Here: "count once, and hold `shard_size` items; Elasticsearch adds up the counts and samples of shorter buckets",
		meets: func(s *search) bool {
			return s.anyAgg(func(a *placedAgg) bool { return s.several(a.Values.Field) }, query.AggAutoDates) || s.anyAgg(func(a *placedAgg) bool { return a.auto }, query.AggSampler)
		}},
}

// absent are what Elasticsearch has, and searches here refuse.
func absent() []Row {
	queries, aggregations := body.AbsentQueries(), body.AbsentAggregations()
	refuses := func(names []string) func(*search) bool {
		return func(s *search) bool { return s.refused != nil && slices.Contains(names, s.refused.Absent) }
	}
	return []Row{
		{What: "queries that are not there", Here: list(queries), meets: refuses(queries)},
		{What: "aggregations that are not there", Here: list(aggregations), meets: refuses(aggregations)},
		{What: "suggesters that are not there", Here: "`completion`", meets: refuses([]string{"completion"})},
		{What: "not there", Here: "scripts except in pipelines, other analyzers; several indices in a search"},
		{What: "refused", Here: "empty names of fields, an empty `format` of numbers, `type` of `ids`, a negative `terminate_after`, `percentile_ranks` with `hdr` of a negative value; also where Elasticsearch ignores them"},
	}
}

func list(names []string) string { return "`" + strings.Join(names, "` `") + "`" }

// wrong are the differences where the response here is the right one.
var wrong = []Row{
	{What: "`rare_terms` inside of buckets", Here: "the aggregations inside count their own bucket; Elasticsearch mixes the buckets up", Right: true,
		meets: func(s *search) bool { return s.anyAgg(mixedUp, query.AggRareTerms) }},
	{What: "`adjacency_matrix`, or `missing` of a path that no item has, inside of buckets", Here: "the same holds for the aggregations inside", Right: true, meets: func(s *search) bool {
		return s.anyAgg(mixedUp, query.AggAdjacency) || s.anyAgg(func(a *placedAgg) bool {
			return mixedUp(a) && !s.anyTarget(a.Values.Field, func(*fields.Target) bool { return true })
		}, query.AggMissing)
	}},
	{What: "scores of `cross_fields`", Here: "are never below 0; Elasticsearch subtracts for a field whose items are fewer than the items that have the word elsewhere", Right: true,
		meets: func(s *search) bool {
			return s.anyUse(crossFields, func(_ *use, t *fields.Target) bool { return true })
		}},
	{What: "`percentiles`, `percentile_ranks`, `median_absolute_deviation`, `cardinality`", Here: "are exact; Elasticsearch estimates them", Right: true,
		meets: func(s *search) bool {
			return s.anyAgg(func(*placedAgg) bool { return true }, query.AggPercentiles, query.AggPercentileRanks, query.AggMedianAbsoluteDeviation, query.AggCardinality)
		}},
}

func isInside(a *placedAgg) bool { return a.inside }

// mixedUp reports whether an aggregation is inside of buckets and has aggregations inside.
func mixedUp(a *placedAgg) bool { return a.inside && len(a.Subs) > 0 }

func (s *search) anySource(holds func(c *query.Composite, source *query.CompositeSource) bool) bool {
	return s.anyAgg(func(a *placedAgg) bool {
		c, ok := a.Options.(*query.Composite)
		return ok && slices.ContainsFunc(c.Sources, func(source query.CompositeSource) bool { return holds(c, &source) })
	}, query.AggComposite)
}

// marksOtherwise reports whether a query marks other words than in Elasticsearch.
func (s *search) marksOtherwise() (found bool) {
	plain := slices.ContainsFunc(s.body.Show.Highlight, func(f query.HighlightField) bool { return f.Plain })
	query.Walk(s.body, func(p query.Part) {
		_, like := p.(*query.MoreLikeThis)
		found = found || like && plain
	})
	return found || s.anyUse(wildcard, func(u *use, t *fields.Target) bool { return u.clause && of(fields.Text)(t) })
}

// maxKeyword is the length of the texts that Elasticsearch's own mappings have in .keyword, in UTF-16 units.
const maxKeyword = 256

// hasLong reports whether a target is the .keyword of a text of which some value is longer than maxKeyword.
func (f *Finder) hasLong(t *fields.Target) bool {
	if t.Metadata || t.Kind != fields.Keyword || t.Field.Type != snapshot.Text || t.Values == nil || t.Values.Strings() == nil {
		return false
	}
	long, known := f.long[t.Field]
	if !known {
		for it := t.Values.Strings().Iter(0); !long && it.Next(); {
			value := it.Value()
			long = len(value) > maxKeyword && len(utf16.Encode([]rune(string(value)))) > maxKeyword
		}
		f.long[t.Field] = long
	}
	return long
}
