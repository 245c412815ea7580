// This file combines the scores of matches with functions of their values, as function_score does.

package scorer

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

// Function is a function of the documents that Filter matches.
type Function struct {
	Filter   Scorer
	Filtered bool // false: the function counts for all documents
	Weight   float64
	Value    func(d docID) float64 // nil is always 1; NaN means that the function has reported an error
	Most     float64               // values are from 0 to Most; +Inf: unknown, or a value may be an error

	Weighted bool                                             // the query states the weight
	Explain  func(d docID, value float32) explain.Explanation // explains a value; nil means that the description is "function"
}

// FunctionScore says how functions and the score of a match combine.
type FunctionScore struct {
	Functions []Function
	ScoreMode string // multiply, sum, avg, first, max or min
	BoostMode string // multiply, replace, sum, avg, max or min
	MaxBoost  float64
	MinScore  *float64 // lower scores do not match

	Name  string                                           // the text of a query of another type, which Plain explains
	Plain func(d docID, score float32) explain.Explanation // nil for a function_score
}

// functionSteps is the cost of a function for a match: most are an exponential or a logarithm.
const functionSteps = 4

// FunctionScore scores the matches of s.
func (r *Request) FunctionScore(s Scorer, f FunctionScore) Scorer {
	if s == nil || len(f.Functions) == 0 && f.MinScore == nil && !r.Explain {
		return s
	}
	out := &functionScorer{Scorer: s, r: r, FunctionScore: f, combine: boostModes[f.BoostMode], needs: f.BoostMode != "replace" || len(f.Functions) == 0}
	out.most, out.floor = f.most(), -1
	if x, ok := s.(*Explained); ok {
		return explainFunctions(out, x)
	}
	return out
}

type functionScorer struct {
	Scorer
	FunctionScore
	r       *Request
	combine func(score, factor float64) float64
	needs   bool    // the result depends on the score of the query
	most    float64 // an upper bound of the factors; +Inf: unknown, or a function may fail
	floored
	scored docID
	on     bool // last is the score of the document named by scored
	last   float32
	match  []windowBits // for each function with a filter, the matches of the filter in a window
}

// factor accumulates the values of the functions of a document.
type factor struct {
	value, weights float64
	some           bool
}

// functionSlack covers rounding differences between a value and its upper bound.
const functionSlack = 1 + 1e-9

// most returns an upper bound of all factors; +Inf: unknown, or a function may fail.
func (s *FunctionScore) most() float64 {
	product, sum, weights, greatest := 1.0, 0.0, 0.0, 1.0 // without a match or a weight the factor is one
	for i := range s.Functions {
		f := &s.Functions[i]
		value := 1.0
		if f.Value != nil {
			value = f.Most
		}
		weighted := float64(value * f.Weight)
		if f.Filtered {
			product *= max(1, weighted)
		} else {
			product *= weighted
		}
		sum, weights, greatest = sum+weighted, weights+f.Weight, max(greatest, value, weighted)
		if !(f.Weight >= 0 && max(product, sum, weights) <= math.MaxFloat64) {
			return math.Inf(1)
		}
	}
	switch one := len(s.Functions) == 1 && !s.Functions[0].Filtered; {
	case !(s.MaxBoost >= 0):
		return math.Inf(1)
	case s.ScoreMode == "multiply" || one && s.ScoreMode == "first":
		greatest = product
	case s.ScoreMode == "sum":
		greatest = max(1, sum)
	}
	return min(greatest*functionSlack, s.MaxBoost)
}

var boostModes = map[string]func(score, factor float64) float64{
	"multiply": func(s, f float64) float64 { return s * f },
	"replace":  func(_, f float64) float64 { return f },
	"sum":      func(s, f float64) float64 { return s + f },
	"avg":      func(s, f float64) float64 { return (f + s) / 2 },
	"max":      math.Max,
	"min":      math.Min,
}

func (f *functionScorer) next() docID        { return f.atLeast(f.Scorer.next()) }
func (f *functionScorer) seek(d docID) docID { return f.atLeast(f.Scorer.seek(d)) }

// atLeast moves on to a document with the least score.
func (f *functionScorer) atLeast(d docID) docID {
	for f.MinScore != nil && d != noMore && !f.admits(f.score()) {
		d = f.Scorer.next()
	}
	return d
}

func (f *functionScorer) admits(score float32) bool { return score >= float32(*f.MinScore) }

func (f *functionScorer) score() float32 {
	d := f.Scorer.doc()
	if f.on && f.scored == d {
		return f.last
	}
	var x factor
	for i := range f.Functions {
		if fn := &f.Functions[i]; fn.matches(d) {
			f.add(&x, fn, d)
		}
	}
	s := float32(0)
	if f.needs {
		s = f.Scorer.score()
	}
	f.on, f.scored, f.last = true, d, f.result(s, &x)
	return f.last
}

func (fn *Function) matches(d docID) bool {
	switch {
	case !fn.Filtered:
		return true
	case fn.Filter == nil:
		return false
	}
	if p, ok := fn.Filter.(prober); ok {
		return p.probe(d)
	}
	return at(fn.Filter, d)
}

func (f *functionScorer) add(x *factor, fn *Function, d docID) {
	if x.some && f.ScoreMode == "first" {
		return
	}
	v := fn.Weight
	if fn.Value != nil {
		v *= fn.Value(d)
	}
	if !x.some {
		*x = factor{value: v, weights: fn.Weight, some: true}
		return
	}
	x.weights += fn.Weight
	switch f.ScoreMode {
	case "multiply":
		x.value *= v
	case "sum", "avg":
		x.value += v
	case "max":
		x.value = math.Max(x.value, v)
	case "min":
		x.value = math.Min(x.value, v)
	}
}

func (f *functionScorer) result(score float32, x *factor) float32 {
	if len(f.Functions) == 0 {
		return score
	}
	out := float32(f.combine(float64(score), min(f.value(x), f.MaxBoost)))
	if out >= 0 {
		return out
	}
	if f.r.Work != nil {
		f.r.Work.Fail(&query.Error{Code: problem.BadQuery, Position: -1, Parameter: "function_score",
			Message: "function_score made a score that is negative or no number: its functions have to give numbers from 0"})
	}
	return 0
}

// value returns the factor of a document.
func (f *functionScorer) value(x *factor) float64 {
	switch {
	case !x.some:
		return 1
	case (f.ScoreMode == "avg" || f.ScoreMode == "sum") && x.weights == 0:
		return 1
	case f.ScoreMode == "avg":
		return x.value / x.weights
	}
	return x.value
}

func (f *functionScorer) fill(w *window, base, end docID, scoring bool) docID {
	scoring = scoring || f.MinScore != nil
	d := f.Scorer.fill(w, base, end, scoring && f.needs)
	w.dropOthers()
	if !scoring || w.count() == 0 {
		return d
	}
	f.filter(w, base, end)
	floor := f.floor
	if f.MinScore != nil {
		floor = -1
	}
	w.each(func(i uint32) {
		s := float32(0)
		if f.needs {
			s = w.scores[i]
		}
		if f.atMost(s) <= floor {
			w.scores[i] = 0
			return
		}
		var x factor
		for k := range f.Functions {
			if fn := &f.Functions[k]; !fn.Filtered || f.match[k][i>>6]>>(i&63)&1 == 1 {
				f.add(&x, fn, base+i)
			}
		}
		if w.scores[i] = f.result(s, &x); f.MinScore != nil && !f.admits(w.scores[i]) {
			w.bits[i>>6] &^= 1 << (i & 63)
		}
	})
	return d
}

// filter finds the matches of each function's filter in a window.
func (f *functionScorer) filter(w *window, base, end docID) {
	for k := range f.Functions {
		if fn := &f.Functions[k]; fn.Filtered {
			if f.match == nil {
				f.match = make([]windowBits, len(f.Functions))
			}
			f.match[k] = fn.within(w, base, end)
		}
	}
}

// within returns the matches of a window that a function's filter matches too.
func (fn *Function) within(w *window, base, end docID) (match windowBits) {
	if fn.Filter == nil {
		return match
	}
	if _, ok := fn.Filter.(prober); !ok && w.count() >= windowLen/64 {
		other := w.restrictedScratch()
		fn.Filter.fill(other, base, end, false)
		for i, word := range w.bits {
			match[i] = word & other.bits[i]
		}
		return match
	}
	w.each(func(i uint32) {
		if fn.matches(base + i) {
			match[i>>6] |= 1 << (i & 63)
		}
	})
	return match
}

func (f *functionScorer) bound(base, end docID) float32 {
	s := float32(0)
	if f.needs {
		s = f.Scorer.bound(base, end)
	}
	return f.atMost(s)
}

// atMost returns an upper bound of the score that the functions make of s; +Inf: unknown, or a function may fail.
func (f *functionScorer) atMost(s float32) float32 {
	switch {
	case len(f.Functions) == 0:
		return s
	case f.most > math.MaxFloat64:
		return float32(math.Inf(1))
	}
	return float32(f.combine(float64(s), f.most))
}

// term returns the Scorer of a term if functions change the scores of just one term, otherwise nil.
func (f *functionScorer) term() *termScorer {
	if f == nil || f.MinScore != nil || slices.ContainsFunc(f.Functions, func(fn Function) bool { return fn.Filtered }) {
		return nil
	}
	term, _ := f.Scorer.(*termScorer)
	return term
}

// addChunk adds the documents of a term whose scores reach the page.
func (f *functionScorer) addChunk(s *termScorer, t *topRanks, docs []docID) {
	tfs, least := s.p.Frequencies(), t.least()
	for k, d := range docs {
		score := s.scoreOf(d, int(tfs[k]))
		if f.atMost(score) <= least {
			continue
		}
		var x factor
		for i := range f.Functions {
			f.add(&x, &f.Functions[i], d)
		}
		if score = f.result(score, &x); score > least {
			t.add(rankOf(scoreKey(score), d))
			least = t.least()
		}
	}
}

func (f *functionScorer) estimateCost(items int) int {
	n := estimateCost(f.Scorer, items)
	for i := range f.Functions {
		if fn := &f.Functions[i]; fn.Filtered && fn.Filter != nil {
			n += costBeside(f.Scorer, fn.Filter, items)
		}
		n += functionSteps * min(f.Scorer.cost(), items)
	}
	return n
}
