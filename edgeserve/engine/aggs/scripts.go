// This file runs the scripts of pipelines for each bucket.

package aggs

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/query"
)

// scriptSteps is the work of a node of a script for a bucket.
const scriptSteps = 2

// eachBucket calls f with the values that the script of a pipeline reads of each bucket. An absent value is NaN.
func (s *subs) eachBucket(o *ordered, p *query.Pipeline, bs buckets, f func(i int, values []float64)) {
	columns := make([][]float64, len(p.Paths))
	for k, path := range p.Paths {
		if columns[k] = s.read(o, path.Path, p.Zeros, bs); s.a.work.Failed() != nil {
			return
		}
	}
	if s.a.work.Charge(len(o.order)*scriptSteps*(1+len(p.Paths)+p.Script.Size)) != nil {
		return
	}
	values := make([]float64, len(p.Paths))
	for _, i := range o.order {
		for k, column := range columns {
			if values[k] = column[i]; values[k] == absent {
				values[k] = math.NaN()
			}
		}
		f(i, values)
	}
}

// choose leaves out the buckets for which the script is false.
func (s *subs) choose(o *ordered, p *query.Pipeline, bs buckets) {
	kept := make([]bool, bs.n)
	s.eachBucket(o, p, bs, func(i int, values []float64) { kept[i] = p.Script.Number(values) != 0 })
	o.order = slices.DeleteFunc(o.order, func(i int) bool { return !kept[i] })
}

// script returns the number of each bucket. A gap has none.
func (s *subs) script(o *ordered, p *query.Pipeline, bs buckets) []float64 {
	out := make([]float64, bs.n)
	s.eachBucket(o, p, bs, func(i int, values []float64) {
		if out[i] = absent; slices.ContainsFunc(values, math.IsNaN) {
			return
		}
		if out[i] = p.Script.Number(values); math.IsInf(out[i], 0) {
			out[i] = math.NaN()
		}
	})
	return out
}
