// This file prints queries as compact JSON, for the tests of the parser. Parse turns the JSON
// back into an equal tree. Default values are omitted, so equal queries print equally however
// they were written.

package body

import (
	"fmt"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
)

// object is a JSON object under construction.
type object []byte

func (o object) raw(name, json string) object {
	if len(o) == 0 {
		o = append(o, '{')
	} else {
		o = append(o, ',')
	}
	o = append(append(o, quote(name)...), ':')
	return append(o, json...)
}

func (o object) done() string {
	if len(o) == 0 {
		return "{}"
	}
	return string(append(o, '}'))
}

// text adds a string unless it is empty.
func (o object) text(name, s string) object {
	if s == "" {
		return o
	}
	return o.raw(name, quote(s))
}

// textIf adds a string if applies is set.
func (o object) textIf(name, s string, applies bool) object {
	if !applies {
		return o
	}
	return o.raw(name, quote(s))
}

// trueIf adds true if applies is set.
func (o object) trueIf(name string, applies bool) object {
	if !applies {
		return o
	}
	return o.raw(name, "true")
}

func (o object) optionalBool(name string, b *bool) object {
	if b == nil {
		return o
	}
	return o.raw(name, strconv.FormatBool(*b))
}

// integer adds an integer unless it is the default.
func (o object) integer(name string, n, def int) object {
	if n == def {
		return o
	}
	return o.raw(name, strconv.Itoa(n))
}

// weight adds a boost or tie breaker unless it is the default.
func (o object) weight(name string, f, def float64) object {
	if f == def {
		return o
	}
	return o.raw(name, formatWeight(f))
}

// value adds an optional scalar.
func (o object) value(name string, v *query.Value) object {
	if v == nil {
		return o
	}
	return o.raw(name, printValue(*v))
}

func (o object) fuzziness(f *query.Fuzziness) object {
	if f == nil {
		return o
	}
	return o.raw("fuzziness", quote(printFuzziness(*f)))
}

// nodes adds a list of queries unless it is empty.
func (o object) nodes(name string, list []query.Node) object {
	if len(list) == 0 {
		return o
	}
	return o.raw(name, join(list, printNode))
}

// texts adds a list of strings unless it is nil.
func (o object) texts(name string, list []string) object {
	if list == nil {
		return o
	}
	return o.raw(name, join(list, quote))
}

// fields adds a list of fields unless it is empty.
func (o object) fields(list []query.FieldBoost) object {
	if len(list) == 0 {
		return o
	}
	return o.raw("fields", join(list, func(f query.FieldBoost) string { return quote(printFieldBoost(f)) }))
}

// in returns {"name":o}.
func (o object) in(name string) string { return object(nil).raw(name, o.done()).done() }

// at returns {"name":{"field":o}}.
func (o object) at(name, field string) string {
	return object(nil).raw(field, o.done()).in(name)
}

// join prints list as a JSON array.
func join[T any](list []T, print func(T) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(print(e))
	}
	b.WriteByte(']')
	return b.String()
}

func printNode(n query.Node) string {
	switch n := n.(type) {
	case *query.Bool:
		return printBool(n)
	case *query.Boosting:
		return printBoosting(n)
	case *query.ConstantScore:
		return printConstantScore(n)
	case *query.DisMax:
		return printDisMax(n)
	case *query.DistanceFeature:
		return printDistanceFeature(n)
	case *query.Exists:
		return printExists(n)
	case *query.FunctionScore:
		return printFunctionScore(n)
	case *query.Fuzzy:
		return printFuzzy(n)
	case *query.IDs:
		return printIDs(n)
	case *query.Intervals:
		return printIntervals(n)
	case *query.Match:
		return printMatch(n)
	case *query.MatchAll:
		return printMatchAll(n)
	case *query.MatchBoolPrefix:
		return printMatchBoolPrefix(n)
	case *query.MatchNone:
		return printMatchNone(n)
	case *query.MatchPhrase:
		return printMatchPhrase(n)
	case *query.MatchPhrasePrefix:
		return printMatchPhrasePrefix(n)
	case *query.MoreLikeThis:
		return printMoreLikeThis(n)
	case *query.MultiMatch:
		return printMultiMatch(n)
	case *query.Prefix:
		return printPrefix(n)
	case *query.QueryString:
		return printQueryString(n)
	case *query.Range:
		return printRange(n)
	case *query.Regexp:
		return printRegexp(n)
	case *query.SimpleQueryString:
		return printSimpleQueryString(n)
	case *query.Span:
		return printSpan(n)
	case *query.Term:
		return printTerm(n)
	case *query.Terms:
		return printTerms(n)
	case *query.TermsSet:
		return printTermsSet(n)
	case *query.Wildcard:
		return printWildcard(n)
	}
	panic("no printer for " + n.Type())
}

// formatWeight formats f with the fewest digits that keep the precision of scores, without
// an exponent.
func formatWeight(f float64) string { return strconv.FormatFloat(f, 'f', -1, 32) }

// String returns v as JSON.
func printValue(v query.Value) string {
	if v.Kind == query.String {
		return quote(v.Text)
	}
	return v.Text
}

// String returns f in the syntax of the option.
func printFuzziness(f query.Fuzziness) string {
	switch {
	case f == query.AutoFuzziness:
		return "AUTO"
	case f.Auto:
		return fmt.Sprintf("AUTO:%d,%d", f.Low, f.High)
	}
	return strconv.Itoa(f.Edits)
}

// String returns f in the syntax of a fields list.
func printFieldBoost(f query.FieldBoost) string {
	if !f.Boosted {
		return f.Field
	}
	return f.Field + "^" + formatWeight(f.Boost)
}

func printMatchAll(n *query.MatchAll) string {
	return object(nil).weight("boost", n.Boost, 1).in(n.Type())
}

func printMatchNone(n *query.MatchNone) string { return object(nil).in(n.Type()) }

func printBool(n *query.Bool) string {
	return object(nil).nodes("must", n.Must).nodes("filter", n.Filter).
		nodes("should", n.Should).nodes("must_not", n.MustNot).
		text("minimum_should_match", n.MinShouldMatch).weight("boost", n.Boost, 1).in(n.Type())
}

func printTerm(n *query.Term) string {
	return object(nil).value("value", &n.Value).trueIf("case_insensitive", n.CaseInsensitive).
		weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printTerms(n *query.Terms) string {
	values := join(n.Values, printValue)
	if l := n.Lookup; l != nil {
		values = object(nil).raw("index", quote(l.Index)).raw("id", quote(l.ID)).raw("path", quote(l.Path)).done()
	}
	return object(nil).raw(n.Field, values).weight("boost", n.Boost, 1).in(n.Type())
}

func printPrefix(n *query.Prefix) string {
	return object(nil).raw("value", quote(n.Value)).trueIf("case_insensitive", n.CaseInsensitive).
		rewrite("rewrite", n.Rewrite).weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printWildcard(n *query.Wildcard) string {
	return object(nil).raw("value", quote(n.Pattern)).optionalBool("case_insensitive", n.CaseInsensitive).
		rewrite("rewrite", n.Rewrite).weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printRange(n *query.Range) string {
	return object(nil).value("gt", n.Gt).value("gte", n.Gte).value("lt", n.Lt).value("lte", n.Lte).
		text("format", n.Format).text("time_zone", n.TimeZone).
		weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printExists(n *query.Exists) string {
	return object(nil).text("field", n.Field).weight("boost", n.Boost, 1).in(n.Type())
}

func printIDs(n *query.IDs) string {
	return object(nil).raw("values", join(n.Values, quote)).weight("boost", n.Boost, 1).in(n.Type())
}

func printMatch(n *query.Match) string {
	return object(nil).value("query", &n.Text).textIf("operator", "and", n.And).
		text("minimum_should_match", n.MinShouldMatch).fuzziness(n.Fuzziness).
		spelling(n.Spelling, "fuzzy_").
		trueIf("lenient", n.Lenient).textIf("zero_terms_query", "all", n.ZeroTermsAll).
		weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printMatchPhrase(n *query.MatchPhrase) string {
	return object(nil).value("query", &n.Text).integer("slop", n.Slop, 0).
		textIf("zero_terms_query", "all", n.ZeroTermsAll).weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printMatchPhrasePrefix(n *query.MatchPhrasePrefix) string {
	return object(nil).value("query", &n.Text).integer("slop", n.Slop, 0).
		integer("max_expansions", n.MaxExpansions, query.DefaultExpansions).
		textIf("zero_terms_query", "all", n.ZeroTermsAll).weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printMultiMatch(n *query.MultiMatch) string {
	return object(nil).value("query", &n.Text).fields(n.Fields).textIf("operator", "and", n.And).
		textIf("type", n.Kind.String(), n.Kind != query.BestFields).integer("slop", n.Slop, 0).
		text("minimum_should_match", n.MinShouldMatch).weight("tie_breaker", n.TieBreaker, n.Kind.TieBreaker()).fuzziness(n.Fuzziness).
		spelling(n.Spelling, "fuzzy_").
		optionalBool("lenient", n.Lenient).textIf("zero_terms_query", "all", n.ZeroTermsAll).
		weight("boost", n.Boost, 1).in(n.Type())
}

func printConstantScore(n *query.ConstantScore) string {
	return object(nil).raw("filter", printNode(n.Filter)).weight("boost", n.Boost, 1).in(n.Type())
}

func printQueryString(n *query.QueryString) string {
	text := n.Text
	if n.Err == nil {
		text = n.Expr.String()
	}
	o := object(nil).raw("query", quote(text)).text("default_field", n.DefaultField).fields(n.Fields).
		textIf("default_operator", "and", n.And).integer("phrase_slop", n.PhraseSlop, 0).optionalBool("lenient", n.Lenient)
	if n.Fuzziness != query.AutoFuzziness {
		o = o.fuzziness(&n.Fuzziness)
	}
	return o.stringOptions(&n.StringOptions, query.BestFields).weight("boost", n.Boost, 1).in(n.Type())
}

func printSimpleQueryString(n *query.SimpleQueryString) string {
	return object(nil).raw("query", quote(n.Text)).fields(n.Fields).textIf("default_operator", "and", n.And).
		optionalBool("lenient", n.Lenient).stringOptions(&n.StringOptions, query.MostFields).
		weight("boost", n.Boost, 1).in(n.Type())
}
