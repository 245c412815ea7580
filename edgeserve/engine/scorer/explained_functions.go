// This file explains function_score.

package scorer

import (
	"math"
	"strings"
)

// explainFunctions explains a function_score of a query.
func explainFunctions(s *functionScorer, query *Explained) Scorer {
	if s.Plain != nil {
		x := &Explained{Scorer: s, text: s.Name, boost: 1, missing: noTerm}
		x.how = func(_ *explainer, d docID, times float32) Explanation { return s.Plain(d, s.score()*times) }
		return x
	}
	text := "function score (" + query.printed() + ", functions: [" + strings.Repeat("{}", len(s.Functions)) + "])"
	x := (&Explained{Scorer: s, text: text, boost: 1, missing: noTerm, r: payer([]*Explained{query})}).paid()
	x.how = func(e *explainer, d docID, times float32) Explanation {
		first := query.explain(e, d, times)
		if len(s.Functions) == 0 {
			return first
		}
		return s.combined(first, s.factorOf(e, d), s.score())
	}
	return x
}

// factorOf explains what the functions give a document.
func (f *functionScorer) factorOf(e *explainer, d docID) Explanation {
	var parts []Explanation
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
			part = Because(float32(part.Value), "function score, product of:", Because(1, "match filter: "+filter.printed()), part)
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) == 0:
		return Because(1, "No function matched")
	case len(f.Functions) == 1 && !f.Functions[0].Filtered:
		return parts[0]
	}
	return Because(float32(f.value(&all)), "function score, score mode ["+f.ScoreMode+"]", parts...)
}

// explain explains a function of a document.
func (fn *Function) explain(d docID) Explanation {
	one := Because(1, "constant score 1.0 - no function provided")
	if fn.Value != nil {
		value := float32(fn.Value(d))
		if one = Because(value, "function"); fn.Explain != nil {
			one = fn.Explain(d, value)
		}
	}
	if fn.Value != nil && fn.Weight == 1 && !fn.Weighted {
		return one
	}
	return Because(float32(one.Value)*float32(fn.Weight), "product of:", one, Because(float32(fn.Weight), "weight"))
}

var combinedBy = map[string]string{"sum": "sum of", "avg": "avg of", "min": "min of", "max": "max of:"}

// combined explains how the score of the query and the factor give the score.
func (f *functionScorer) combined(query, factor Explanation, score float32) Explanation {
	most := float32(f.MaxBoost)
	least := Because(float32(math.Min(factor.Value, float64(most))), "min of:", factor, Because(most, "maxBoost"))
	switch f.BoostMode {
	case "replace":
		return least
	case "multiply":
		return Because(score, "function score, product of:", query, least)
	}
	return Because(score, combinedBy[f.BoostMode], query, least)
}
