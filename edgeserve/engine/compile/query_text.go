// This file prints a query as Lucene does, for _validate. The texts may change: people read them, programs do not.

package compile

import (
	"cmp"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// maxQueryText is the length at which the text of a query is cut, in bytes.
const maxQueryText = 16 << 10

// printedPerStep is the number of bytes of a text that are printed in a step.
const printedPerStep = 16

// QueryText prints the query of a body.
func QueryText(work *scorer.WorkLimit, r *snapshot.Reader, body *query.Body) (text string, err error) {
	defer snapshot.Recover(&err)
	c := open(work, r)
	defer c.request.Close()
	p := queryPrinter{c: c}
	if p.print(body.Query); p.out.Len() > maxQueryText {
		return strings.ToValidUTF8(p.out.String()[:maxQueryText], "") + "…", c.work.Failed()
	}
	return p.out.String(), cmp.Or(c.wrong, c.work.Failed())
}

type queryPrinter struct {
	c   *Compiler
	out strings.Builder
}

// print prints a query.
func (p *queryPrinter) print(n query.Node) {
	if p.out.Len() > maxQueryText || p.c.work.Charge(RewriteSteps) != nil {
		return
	}
	if n != nil {
		n = p.c.rewriteNode(n)
	}
	before := p.out.Len()
	boost := 1.0
	if n != nil && !matchesNone(n) {
		boost = boostOf(n)
	}
	if boost != 1 {
		p.out.WriteByte('(')
	}
	switch n := n.(type) {
	case nil, *query.MatchAll:
		p.out.WriteString("*:*")
	case *query.MatchNone:
		p.out.WriteString(`MatchNoDocsQuery("User requested "match_none" query.")`)
	case *query.Bool:
		p.bool(n)
	case *query.ConstantScore:
		p.out.WriteString("ConstantScore(")
		p.print(n.Filter)
		p.out.WriteByte(')')
	default:
		p.leaf(n)
	}
	if boost != 1 {
		p.out.WriteString(")^" + explain.Double(boost))
	}
	p.c.work.Charge((p.out.Len() - before) / printedPerStep)
}

// bool prints clauses, each after the sign of its kind: + for must, # for filter, - for must_not.
func (p *queryPrinter) bool(n *query.Bool) {
	start := p.out.Len()
	for _, part := range []struct {
		sign  string
		nodes []query.Node
	}{{"+", n.Must}, {"-", n.MustNot}, {"", n.Should}, {"#", n.Filter}} {
		for _, sub := range part.nodes {
			if p.out.Len() > start {
				p.out.WriteByte(' ')
			}
			p.out.WriteString(part.sign)
			p.inside(sub)
		}
	}
	if n.MinShouldMatch != "" {
		p.out.WriteString("~" + n.MinShouldMatch)
	}
}

// inside prints a clause, in parentheses if it consists of several clauses.
func (p *queryPrinter) inside(n query.Node) {
	_, several := n.(*query.Bool)
	if m, ok := n.(*query.Match); ok {
		several = len(p.wordsOf(m)) > 1
	}
	if several {
		p.out.WriteByte('(')
	}
	if p.print(n); several {
		p.out.WriteByte(')')
	}
}

// wordsOf returns the words of a text, or the whole text if the field is not analyzed.
func (p *queryPrinter) wordsOf(n *query.Match) []string {
	if t, ok := p.c.resolver.Resolve(n.Field); ok && t.Kind != fields.Text {
		return []string{n.Text.Text}
	}
	p.c.work.Charge(len(n.Text.Text))
	return analysis.Terms(n.Text.Text)
}

// leaf prints a query without queries inside. Of many types it prints only the name.
func (p *queryPrinter) leaf(n query.Node) {
	switch n := n.(type) {
	case *query.Term:
		text := n.Value.Text
		if t, ok := p.c.resolver.Resolve(n.Field); ok && t.Kind == fields.Boolean {
			text = map[string]string{"true": "T", "false": "F"}[text]
		}
		p.words(n.Field, []string{text})
	case *query.Prefix:
		p.words(n.Field, []string{n.Value + "*"})
	case *query.Match:
		p.words(n.Field, p.wordsOf(n))
	case *query.Exists:
		for i, t := range p.c.resolver.Existing(n.Field) {
			if i > 0 {
				p.out.WriteByte(' ')
			}
			p.out.WriteString(constantOf(existsText(&t)))
		}
	case *query.Range:
		p.out.WriteString(n.Field + ":" + p.rangeText(n))
	default:
		p.out.WriteString(n.Type())
	}
}

func (p *queryPrinter) rangeText(n *query.Range) string {
	lo, hi := rangeBounds(n)
	t, ok := p.c.resolver.Resolve(n.Field)
	dates, err := p.c.field.dateReader(n.Format, n.TimeZone)
	if !ok || err != nil {
		return rangeText(lo, hi)
	}
	return p.c.field.valuesText(&t, lo, hi, dates)
}

// words prints the words that a query looks for in a field, as many as fit.
func (p *queryPrinter) words(field string, words []string) {
	for i, w := range words {
		if p.out.Len() > maxQueryText {
			return
		}
		if i > 0 {
			p.out.WriteByte(' ')
		}
		p.out.WriteString(field + ":" + w)
	}
}
