// This file prints queries about scores and spans.

package body

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/query"
)

// number adds a number unless it is the default.
func (o object) number(name string, f, def float64) object {
	if f == def {
		return o
	}
	return o.raw(name, strconv.FormatFloat(f, 'g', -1, 64))
}

func (o object) optionalNumber(name string, f *float64) object {
	if f == nil {
		return o
	}
	return o.raw(name, strconv.FormatFloat(*f, 'g', -1, 64))
}

func printFunctionScore(n *query.FunctionScore) string {
	var o object
	if n.Query != nil {
		o = o.raw("query", printNode(n.Query))
	}
	if n.Functions != nil {
		o = o.raw("functions", join(n.Functions, printScoreFunction))
	}
	return o.textIf("score_mode", n.ScoreMode, n.ScoreMode != "multiply").textIf("boost_mode", n.BoostMode, n.BoostMode != "multiply").
		number("max_boost", n.MaxBoost, math.MaxFloat32).optionalNumber("min_score", n.MinScore).weight("boost", n.Boost, 1).in(n.Type())
}

func printScoreFunction(f query.ScoreFunction) string {
	var o, inner object
	if f.Filter != nil {
		o = o.raw("filter", printNode(f.Filter))
	}
	if f.Kind == "" || f.Weight != 1 {
		o = o.raw("weight", formatWeight(f.Weight))
	}
	switch f.Kind {
	case "":
		return o.done()
	case "field_value_factor":
		inner = inner.text("field", f.Field).number("factor", f.Factor, 1).textIf("modifier", f.Modifier, f.Modifier != "none").optionalNumber("missing", f.Missing)
	case "random_score":
		inner = inner.text("field", f.Field).value("seed", f.Seed)
	default:
		d := object(nil).value("origin", f.Decay.Origin).value("scale", f.Decay.Scale).value("offset", f.Decay.Offset).number("decay", f.Decay.Decay, 0.5)
		inner = inner.raw(f.Field, d.done()).textIf("multi_value_mode", f.Values, f.Values != "min")
	}
	return o.raw(f.Kind, inner.done()).done()
}

func printDistanceFeature(n *query.DistanceFeature) string {
	return object(nil).text("field", n.Field).value("origin", &n.Origin).raw("pivot", quote(strconv.FormatInt(n.Pivot, 10)+"ms")).weight("boost", n.Boost, 1).in(n.Type())
}

func printMoreLikeThis(n *query.MoreLikeThis) string {
	o := object(nil).texts("fields", n.Fields).raw("like", join(n.Like, printExample))
	if n.Unlike != nil {
		o = o.raw("unlike", join(n.Unlike, printExample))
	}
	o = o.integer("min_term_freq", n.MinTermFreq, 2).integer("max_query_terms", n.MaxTerms, 25).integer("min_doc_freq", n.MinDocFreq, 5).
		integer("max_doc_freq", n.MaxDocFreq, math.MaxInt32).integer("min_word_length", n.MinWordLength, 0).integer("max_word_length", n.MaxWordLength, 0).
		texts("stop_words", n.StopWords).textIf("minimum_should_match", n.MinShouldMatch, n.MinShouldMatch != "30%").
		weight("boost_terms", n.BoostTerms, 0).trueIf("include", n.Include)
	if n.SkipUnsupported {
		o = o.raw("fail_on_unsupported_field", "false")
	}
	return o.weight("boost", n.Boost, 1).in(n.Type())
}

// String prints a document as a list of leaves, each under its path.
func printExample(e query.Example) string {
	if e.Text != nil {
		return quote(*e.Text)
	}
	o := object(nil).text("_id", e.ID)
	if e.Leaves != nil {
		o = o.raw("doc", object(nil).raw("", join(e.Leaves, func(l query.TextLeaf) string { return object(nil).raw(l.Path, quote(l.Text)).done() })).done())
	}
	return o.texts("fields", e.Fields).done()
}

func printIntervals(n *query.Intervals) string {
	o := object(nil).raw(n.Rule.Kind, printIntervalRuleOptions(n.Rule)).weight("boost", n.Boost, 1)
	return object(nil).raw(n.Field, o.done()).in("intervals")
}

func printIntervalRule(r *query.IntervalRule) string {
	return object(nil).raw(r.Kind, printIntervalRuleOptions(r)).done()
}

func printIntervalRuleOptions(r *query.IntervalRule) string {
	o := object(nil)
	switch r.Kind {
	case "all_of", "any_of":
		o = o.raw("intervals", join(r.Rules, printIntervalRule))
	default:
		o = o.raw(intervalRules[r.Kind].rows[0].name, quote(r.Text)).text("use_field", r.UseField)
	}
	if r.Kind == "fuzzy" {
		o = o.raw("fuzziness", quote(printFuzziness(r.Fuzziness))).integer("prefix_length", r.PrefixLength, 0)
		if r.NoTranspositions {
			o = o.raw("transpositions", "false")
		}
	}
	o = o.integer("max_gaps", r.MaxGaps, -1)
	if r.Ordered {
		o = o.raw("ordered", "true")
	}
	if r.Filter != nil {
		o = o.raw("filter", object(nil).raw(r.Filter.Kind, printIntervalRule(r.Filter.Rule)).done())
	}
	return o.done()
}

func printSpan(s *query.Span) string {
	o := object(nil)
	switch s.Kind {
	case "span_term":
		return o.raw("value", quote(s.Value)).weight("boost", s.Boost, 1).at(s.Kind, s.Field)
	case "span_gap":
		return o.raw(s.Field, strconv.Itoa(s.End)).in(s.Kind)
	case "span_multi":
		o = o.raw("match", printNode(s.Terms))
	case "field_masking_span":
		o = o.raw("query", printSpan(s.Match)).text("field", s.Field)
	case "span_first":
		o = o.raw("match", printSpan(s.Match)).raw("end", strconv.Itoa(s.End))
	case "span_not":
		o = o.raw("include", printSpan(s.Match)).raw("exclude", printSpan(s.Other)).integer("pre", s.Pre, 0).integer("post", s.Post, 0)
	case "span_containing", "span_within":
		o = o.raw("big", printSpan(s.Other)).raw("little", printSpan(s.Match))
	default:
		o = o.raw("clauses", join(s.Clauses, printSpan)).integer("slop", s.Slop, 0)
		if !s.Ordered {
			o = o.raw("in_order", "false")
		}
	}
	return o.weight("boost", s.Boost, 1).in(s.Kind)
}
