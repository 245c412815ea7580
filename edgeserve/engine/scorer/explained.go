// This file explains scores. A Request with Explain wraps each of its Scorers in an Explained. The wrapped Scorer
// is the one that a search uses, so an explanation shows the values that the search computes.

package scorer

import (
	"contentedge/edgeserve/engine/explain"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Explained is a Scorer that can explain itself.
type Explained struct {
	Scorer
	text    string  // the query as Lucene prints it, without boost
	boost   float32 // of the query itself, without the boosts of the queries around it
	how     func(e *explainer, d docID, times float32) explain.Explanation
	missing string   // the explanation of a document that does not match
	clauses []clause // of a bool
	need    int      // of a bool: the minimum of optional clauses that the query states
	all     bool     // matches every document
	r       *Request // is charged for the text; nil means that the text is free
}

// explainedBytes and explainedSteps are about the memory and the cost of a query without its text.
const explainedBytes, explainedSteps = 512, 32

// paid charges the request for a query and its text.
func (x *Explained) paid() *Explained {
	if x.r != nil {
		x.r.Work.Charge(explainedSteps + len(x.text)/textPerStep)
		x.r.Work.Hold(explainedBytes + len(x.text))
	}
	return x
}

// payer returns the request that is charged for the texts of queries.
func payer(xs []*Explained) *Request {
	for _, x := range xs {
		if x != nil && x.r != nil {
			return x.r
		}
	}
	return nil
}

// joined joins the texts of queries.
func joined(xs []*Explained, separator string) string {
	var b strings.Builder
	for i, x := range xs {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(x.nested())
	}
	return b.String()
}

// explainer charges for the parts of explanations.
type explainer struct {
	r     *Request
	parts int // so far
}

// explanationBytes is about the memory of a part with the factors of a BM25 score.
const explanationBytes = 1 << 10

// part charges a part with a text. Explanations are made one after the other, so that only the largest one
// counts as memory.
func (e *explainer) part(text string) error {
	if e.parts++; e.parts > e.r.explained {
		e.r.explained = e.parts
		e.r.Work.Hold(explanationBytes)
	}
	return e.r.Work.Charge(explainSteps + len(text)/textPerStep)
}

const (
	// explainSteps is the cost of a part of an explanation without its text.
	explainSteps = 32
	// textPerStep is the number of bytes of a description in a step.
	textPerStep = 16
)

// ExplainScore explains the score of a document. Documents must ascend from call to call. nil is the
// Scorer of a query that can match nothing.
func (r *Request) ExplainScore(s Scorer, d docID) explain.Explanation {
	e := &explainer{r: r}
	if x, ok := s.(*Explained); ok {
		return x.explain(e, d, 1)
	}
	if s == nil || !at(s, d) {
		return explain.NoMatch(noTerm)
	}
	return explain.Because(s.score(), "score")
}

// explain explains the score of a document, multiplied by times.
func (x *Explained) explain(e *explainer, d docID, times float32) explain.Explanation {
	if x == nil {
		return explain.NoMatch(nothing)
	}
	if e.part(x.text) != nil {
		return explain.NoMatch("")
	}
	if x.clauses != nil {
		return x.explainClauses(e, d, times)
	}
	matches := at(x.Scorer, d)
	switch {
	case !matches && x.missing != "":
		return explain.NoMatch(x.missing)
	case !matches:
		return explain.NoMatch(x.text + " doesn't match id " + strconv.FormatUint(uint64(d), 10))
	case x.how != nil:
		return x.how(e, d, times)
	}
	value := x.score() * times
	return explain.Because(value, constantText(x.text, value))
}

// constantText is the text of a query with a constant score.
func constantText(text string, score float32) string {
	if score == 1 {
		return text
	}
	return text + "^" + explain.Float(score)
}

// noTerm is the explanation of a document without a term.
const noTerm = "no matching term"

// nothing is Lucene's text of a query that matches nothing.
const nothing = `MatchNoDocsQuery("")`

// printed is the text of a query with its boost.
func (x *Explained) printed() string {
	switch {
	case x == nil:
		return nothing
	case x.boost == 1:
		return x.text
	}
	return "(" + x.text + ")^" + explain.Float(x.boost)
}

// nested is the text of a query inside another one.
func (x *Explained) nested() string {
	if x != nil && x.clauses != nil && x.boost == 1 {
		return "(" + x.text + ")"
	}
	return x.printed()
}

// WithDescription describes a Scorer with a constant score by the text that Lucene prints for its query.
func (r *Request) WithDescription(s Scorer, text func() string) Scorer {
	if !r.Explain || s == nil {
		return s
	}
	if x, ok := s.(*Explained); ok {
		s = x.Scorer
	}
	return (&Explained{Scorer: s, text: text(), boost: 1, r: r}).paid()
}

// Boosted records the boost of a query for its explanation. The Scorer has multiplied its scores already.
func Boosted(s Scorer, boost float64) Scorer {
	x, ok := s.(*Explained)
	if !ok || boost == 1 {
		return s
	}
	if boost == 0 { // as Lucene rewrites a query whose scores are all 0
		return (&Explained{Scorer: x, text: asConstant(x), boost: 0, r: x.r}).paid()
	}
	other := *x
	other.boost *= float32(boost)
	return &other
}

// asConstant is the text of a query whose scores a constant replaces.
func asConstant(s Scorer) string {
	x, ok := s.(*Explained)
	if !ok {
		return nothing
	}
	if len(x.text) > len(constantPrefix) && x.text[:len(constantPrefix)] == constantPrefix {
		return x.text
	}
	return constantPrefix + x.text + ")"
}

const constantPrefix = "ConstantScore("

// explanations returns an Explained for each Scorer. ok is false if the Scorers do not explain themselves.
func explanations(subs []Scorer) (xs []*Explained, ok bool) {
	isExplained := func(s Scorer) bool { _, ok := s.(*Explained); return ok }
	if !slices.ContainsFunc(subs, isExplained) {
		return nil, false
	}
	for _, s := range subs {
		xs = append(xs, explainedOf(s))
	}
	return xs, true
}

// explainedOf returns s if it explains itself, otherwise an Explained that shows only the score. nil gives nil.
func explainedOf(s Scorer) *Explained {
	x, ok := s.(*Explained)
	if !ok && s != nil {
		x = &Explained{Scorer: s, text: "query", boost: 1}
	}
	return x
}

// explainBest explains the best of several queries.
func explainBest(s Scorer, subs []*Explained, tie float32) Scorer {
	if tie == 1 {
		return newBool(s, clausesOf(should, subs), 0)
	}
	if len(subs) == 1 {
		return subs[0]
	}
	text := "(" + joined(subs, " | ") + ")"
	description := "max of:"
	if tie != 0 {
		text += "~" + explain.Float(tie)
		description = fmt.Sprintf("max plus %s times others of:", explain.Float(tie))
	}
	x := (&Explained{Scorer: s, text: text, boost: 1, missing: "No matching clause", r: payer(subs)}).paid()
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		var parts []explain.Explanation
		for _, sub := range subs {
			if part := sub.explain(e, d, times); part.Matches {
				parts = append(parts, part)
			}
		}
		return explain.Because(s.score()*times, description, parts...)
	}
	return x
}

// explainDemoted explains a boosting query, whose boost is applied last.
func explainDemoted(s Scorer, positive, other *Explained, factor, boost float32) Scorer {
	text := fmt.Sprintf("FunctionScoreQuery(%s, scored by boost(queryboost(score(%s))^%s))", positive.printed(), other.printed(), explain.Float(factor))
	x := (&Explained{Scorer: s, text: text, boost: 1, missing: noTerm, r: payer([]*Explained{positive, other})}).paid()
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		value, outer := s.score()*times, boost*times
		first := positive.explain(e, d, 1)
		if other.tested(d).Matches {
			first = explain.Because(float32(first.Value)*factor, "product of:", first, explain.Because(factor, "Matched boosting query score("+other.printed()+")"))
			first.Bits = 64
		}
		if outer != 1 {
			return explain.Because(value, "weight("+text+"), product of:", explain.Because(outer, "boost"), first)
		}
		whole := explain.Because(value, "weight("+text+"), result of:", first)
		whole.Bits = first.Bits
		return whole
	}
	return x
}

// explainCovering explains a terms_set.
func explainCovering(s *covering, subs []*Explained) Scorer {
	x := (&Explained{Scorer: s, text: "(" + joined(subs, " ") + ")", boost: 1, missing: noTerm, r: payer(subs)}).paid()
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		var parts []explain.Explanation
		n := 0
		for _, sub := range subs {
			part := sub.explain(e, d, times)
			if part.Matches {
				n++
			}
			parts = append(parts, part)
		}
		return explain.Because(s.score()*times, fmt.Sprintf("%d matches for %d required matches, sum of:", n, s.least(d)), parts...)
	}
	return x
}
