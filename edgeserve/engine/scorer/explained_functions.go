// This file explains function_score.

package scorer

import (
	"contentedge/edgeserve/engine/explain"
	"strings"
)

// explainFunctions explains a function_score of a query.
func explainFunctions(s *functionScorer, query *Explained) Scorer {
	if s.Plain != nil {
		x := &Explained{Scorer: s, text: s.Name, boost: 1, missing: noTerm}
		x.how = func(_ *explainer, d docID, times float32) explain.Explanation { return s.Plain(d, s.score()*times) }
		return x
	}
	text := "function score (" + query.printed() + ", functions: [" + strings.Repeat("{}", len(s.Functions)) + "])"
	x := (&Explained{Scorer: s, text: text, boost: 1, missing: noTerm, r: payer([]*Explained{query})}).paid()
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		first := query.explain(e, d, times)
		if len(s.Functions) == 0 {
			return first
		}
		return explain.Combined(s.BoostMode, float32(s.MaxBoost), first, s.factorOf(e, d), s.score())
	}
	return x
}

// factorOf explains the value that the functions of a document make together.
func (f *functionScorer) factorOf(e *explainer, d docID) explain.Explanation {
	var parts []explain.Explanation
	var all factor
	for i := range f.Functions {
		fn := &f.Functions[i]
		if !fn.matches(d) || e.r.Work.Charge(explainSteps) != nil {
			continue
		}
		f.add(&all, fn, d)
		part := fn.explain(d)
		if fn.Filtered {
			filter, _ := fn.Filter.(*Explained)
			part = explain.Because(float32(part.Value), "function score, product of:", explain.Because(1, "match filter: "+filter.printed()), part)
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) == 0:
		return explain.Because(1, "No function matched")
	case len(f.Functions) == 1 && !f.Functions[0].Filtered:
		return parts[0]
	}
	return explain.Because(float32(f.value(&all)), "function score, score mode ["+f.ScoreMode+"]", parts...)
}

// explain explains a function of a document.
func (fn *Function) explain(d docID) explain.Explanation {
	one := explain.NoFunction()
	if fn.Value != nil {
		value := float32(fn.Value(d))
		if one = explain.Because(value, "function"); fn.Explain != nil {
			one = fn.Explain(d, value)
		}
	}
	if fn.Value != nil && fn.Weight == 1 && !fn.Weighted {
		return one
	}
	return explain.Because(float32(one.Value)*float32(fn.Weight), "product of:", one, explain.Because(float32(fn.Weight), "weight"))
}
