// This file computes weighted_avg aggregations.

package aggs

import (
	"math"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// weightedAvg reads two columns, document by document.
type weightedAvg struct {
	a             *aggregator
	agg           *query.Agg
	path          string
	in            scope
	value, weight *valuesSource
	of, by        *reader // made for the first set
	text          numberText
	sum, weights  compensated
}

func (a *aggregator) newWeightedAvg(agg *query.Agg, path string, in scope) (evaluator, error) {
	w := &weightedAvg{a: a, agg: agg, path: path, in: in}
	o := agg.Options.(*query.WeightedAvg)
	var err error
	if w.value, err = a.operand("value", o.Value, agg, path); err != nil {
		return nil, err
	}
	if w.weight, err = a.operand("weight", o.Weight, agg, path); err != nil {
		return nil, err
	}
	w.text, err = patternText(agg, path)
	return w, err
}

func (a *aggregator) operand(name string, o query.Operand, agg *query.Agg, path string) (*valuesSource, error) {
	part := &query.Agg{Kind: query.AggKind(name), Values: query.AggValues{Field: o.Field, Missing: o.Missing, ValueType: agg.Values.ValueType, Format: agg.Values.Format}}
	return a.valuesSource(part, path+"."+string(agg.Kind))
}

func (w *weightedAvg) evaluate(dst []byte, set *scorer.Bitset) []byte {
	return w.stream(dst, w.a.whole(set), 0)
}

func (w *weightedAvg) stream(dst []byte, bs buckets, i int) []byte {
	return w.text.single(dst, w.number("", bs, i))
}

// number returns NaN if the sum of the weights is zero.
func (w *weightedAvg) number(_ string, bs buckets, i int) float64 {
	if w.of == nil {
		w.of, w.by = w.a.reader(w.value, w.in.root), w.a.reader(w.weight, w.in.root)
	}
	w.sum, w.weights = compensated{}, compensated{}
	bs.walk(i, func(docs []docID) {
		for _, d := range docs {
			w.add(d)
		}
		w.a.work.Charge(len(docs))
	})
	if w.weights.sum == 0 {
		return math.NaN()
	}
	return w.sum.sum / w.weights.sum
}

func (w *weightedAvg) add(d docID) {
	weights, weight := 0, 0.0
	w.by.all(d, func(id int) {
		weights++
		weight = w.weight.number(id)
	})
	if weights == 0 {
		return
	}
	values := 0
	w.of.all(d, func(id int) {
		values++
		w.sum.add(w.value.number(id) * weight)
		w.weights.add(weight)
	})
	if values > 0 && weights > 1 {
		w.a.work.Fail(badAgg(w.path, w.agg, "weight", "an item has several weights in field %.80q: name a field of one number", w.agg.Options.(*query.WeightedAvg).Weight.Field))
	}
}
